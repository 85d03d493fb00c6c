package syntax

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"

	"likc/compiler/expr"
)

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// printable returns an error if the language cannot write a model.
func printable(m *expr.Model) error {
	if m.Called != nil {
		return fmt.Errorf("states and calls of densities stand only in the text that declares them")
	}
	if m.LogLik == nil && (m.Normalise || m.Evidence == nil && len(m.Lets) > 0) {
		return fmt.Errorf("no loglik")
	}
	for _, name := range append(append(declaredNames(m), processNames(m)...), m.Name) {
		if !identifier.MatchString(name) || slices.Contains(keywords, name) {
			return fmt.Errorf("name %s is not an identifier", quote(name))
		}
	}
	written := *m
	written.Computed = nil // Computed may contain other columns of the data, which are not declared
	nodes := expr.Order(allRoots(&written)...)
	if len(nodes) > MaxNodes {
		return fmt.Errorf("%d nodes, at most %d can be read", len(nodes), MaxNodes)
	}
	for _, e := range nodes {
		if err := printableNode(m, e); err != nil {
			return err
		}
	}
	if err := bindPrintable(m); err != nil {
		return err
	}
	if err := cmp.Or(printableBlock(m, "lower", m.Lower), printableBlock(m, "computed", m.Computed)); err != nil || m.Simulator == nil {
		return err
	}
	return printableBlock(m, "simulator", m.Simulator.Params)
}

// processNames returns the names of the simulator and of its parameters in a model.
func processNames(m *expr.Model) []string {
	if m.Simulator == nil {
		return nil
	}
	names := []string{m.Simulator.Name}
	for _, a := range m.Simulator.Params {
		names = append(names, a.Param)
	}
	return names
}

func printableNode(m *expr.Model, e *expr.Expr) error {
	switch {
	case e.Op.Info().Internal:
		return fmt.Errorf("operator %s is not in the language", e.Op)
	case e.Op == expr.Const && (math.IsNaN(e.Value) || math.IsInf(e.Value, 0)):
		return fmt.Errorf("constant %s is not finite", expr.Literal(e.Value))
	case e.Op == expr.Sym && e.Name != m.Choice && !m.IsParam(e.Name) && !m.IsTrial(e.Name) && !m.Evidence.Has(e.Name):
		return fmt.Errorf("symbol %s is not declared", quote(e.Name))
	}
	return nil
}

// printableBlock returns an error if a value in a lower or simulator block would need a let, because lets are not allowed
// there.
func printableBlock(m *expr.Model, keyword string, assigns []expr.Assign) error {
	names := newNodeNames(m)
	var err error
	for _, a := range assigns {
		names.visit(a.Value, func(*expr.Expr) { err = fmt.Errorf("%s value of %s is nested too deep", keyword, a.Param) })
		if names.tree(a.Value) >= MaxNodes {
			err = fmt.Errorf("%s value of %s is too large", keyword, a.Param)
		}
	}
	return err
}
