package plan

import (
	"likc/compiler/emit"
	"likc/compiler/ir"
)

// Header returns the comment lines at the top of a printed file, as [emit.Config.Header] does.
func (pl *Plan) Header(cfg emit.Config, notes ...string) []string {
	return cfg.Header(cfg.Formula(pl.Model), notes...)
}

// Edge is a support condition "parameter < column". With one, tests can put a parameter exactly on the border of the support.
type Edge struct{ Param, Column int }

// Edge returns a condition "parameter < column" that every group has, or nil if there is none.
func (pl *Plan) Edge() *Edge {
	for _, c := range pl.Groups[0].Support {
		left, right := pl.Values[c.Left], pl.Values[c.Right]
		if left.Kind != ir.Param || right.Kind != ir.Least || !pl.everyGroup(left.Index) {
			continue
		}
		if column := pl.Values[right.Args[0]]; column.Kind == ir.Column {
			return &Edge{left.Index, column.Index}
		}
	}
	return nil
}

// everyGroup reports whether every group's support has the parameter itself on the left of a condition.
func (pl *Plan) everyGroup(param int) bool {
	for _, g := range pl.Groups {
		found := false
		for _, c := range g.Support {
			v := pl.Values[c.Left]
			found = found || v.Kind == ir.Param && v.Index == param
		}
		if !found {
			return false
		}
	}
	return true
}
