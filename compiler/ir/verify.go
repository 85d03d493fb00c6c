package ir

import "fmt"

// Verify returns an error for the first invariant that a program breaks, or nil.
func Verify(p *Program) error {
	for i, v := range p.Values {
		if err := verifyValue(p, ID(i), v); err != nil {
			return fmt.Errorf("ir: value %d: %w", i, err)
		}
	}
	facts := Analyse(p)
	if i := trialAfterSum(p, facts); i >= 0 {
		return fmt.Errorf("ir: value %d: a trial's value depends on a sum over trials", i)
	}
	if i := nodeAfterSum(p, facts); i >= 0 {
		return fmt.Errorf("ir: value %d: a node's value depends on a sum over nodes", i)
	}
	for i, v := range p.Values {
		if v.Kind == NodeSum && !facts.PerNode[v.Args[0]] || (v.Kind == Total || v.Kind == Least) && facts.PerNode[v.Args[0]] {
			return fmt.Errorf("ir: value %d: a sum over nodes of what has none, or over trials of what has", i)
		}
		if (v.Kind == Total || v.Kind == Least) && !facts.PerTrial[v.Args[0]] && len(facts.Params[v.Args[0]]) > 0 {
			return fmt.Errorf("ir: value %d: a sum of one number for all trials", i)
		}
	}
	for _, g := range p.Groups {
		if len(g.Grad) != len(p.Params) {
			return fmt.Errorf("ir: group %s has %d derivatives for %d parameters", g.Name, len(g.Grad), len(p.Params))
		}
	}
	for _, r := range p.Roots() {
		if int(r) >= len(p.Values) || facts.PerTrial[r] || facts.PerNode[r] {
			return fmt.Errorf("ir: output %d is not one number a dataset", r)
		}
	}
	return nil
}

// verifyValue returns an error if a value is malformed.
func verifyValue(p *Program, id ID, v Value) error {
	arity := map[Kind]int{Total: 1, Least: 1, NodeSum: 1}[v.Kind]
	if v.Kind == Apply {
		arity = v.Op.Info().Arity
		if v.Op.Info().Eval == nil {
			return fmt.Errorf("%s cannot be applied", v.Op)
		}
	}
	if len(v.Args) != arity {
		return fmt.Errorf("%d arguments, want %d", len(v.Args), arity)
	}
	for _, a := range v.Args {
		if a < 0 || a >= id {
			return fmt.Errorf("argument %d is not computed before it", a)
		}
	}
	bound := map[Kind]int{Param: len(p.Params), Column: len(p.Trials)}
	if n, ok := bound[v.Kind]; ok && (v.Index < 0 || v.Index >= n) {
		return fmt.Errorf("index %d out of range", v.Index)
	}
	if (v.Kind == Node || v.Kind == NodeSum) && (v.Group < 0 || v.Group >= len(p.Tables)) {
		return fmt.Errorf("table %d out of range", v.Group)
	}
	if (v.Kind == Total || v.Kind == Least) && (v.Group < 0 || v.Group >= len(p.Groups)) {
		return fmt.Errorf("group %d out of range", v.Group)
	}
	return nil
}

// trialAfterSum returns a value with one number for each trial that needs a sum over trials, or -1. Such a value would need a
// second loop.
func trialAfterSum(p *Program, facts Facts) int {
	return after(p, func(v Value) bool { return v.Kind == Total || v.Kind == Least }, facts.PerTrial)
}

// nodeAfterSum returns a value with one number for each node that needs a sum over nodes, or -1. Such a value would need a
// nested loop.
func nodeAfterSum(p *Program, facts Facts) int {
	return after(p, func(v Value) bool { return v.Kind == NodeSum }, facts.PerNode)
}

// after returns the first marked value that is a sum or depends on one, or -1 if there is none.
func after(p *Program, isSum func(Value) bool, marked []bool) int {
	late := make([]bool, len(p.Values))
	for i, v := range p.Values {
		late[i] = isSum(v)
		for _, a := range v.Args {
			late[i] = late[i] || late[a]
		}
		if late[i] && marked[i] {
			return i
		}
	}
	return -1
}
