package text

import (
	"errors"
	"fmt"
	"slices"

	"likc/compiler/expr"
)

// errElementwise means that an operator has no spelling for vectors.
var errElementwise = errors.New("an operator takes no vectors")

// elementwise writes expressions in which the trial columns are vectors, with an element for each trial. Other symbols are numbers.
type elementwise struct {
	columns []string
	known   map[*expr.Expr]bool // whether an expression is a vector
}

// isVector reports whether an expression depends on a trial column. It is false if columns are no vectors.
func (v *elementwise) isVector(e *expr.Expr) bool {
	if v == nil {
		return false
	}
	if is, ok := v.known[e]; ok {
		return is
	}
	is := e.Op == expr.Sym && slices.Contains(v.columns, e.Name) || slices.ContainsFunc(e.Args, v.isVector)
	v.known[e] = is
	return is
}

// overVectors returns the code of an operator of which some argument is a vector, and its precedence.
func (w *writer) overVectors(e *expr.Expr) (text string, prec int) {
	s, info := w.spelling(e.Op), e.Op.Info()
	both := len(e.Args) == 2 && w.vectors.isVector(e.Args[0]) && w.vectors.isVector(e.Args[1])
	binary := func(sign string) (string, int) {
		return w.write(e.Args[0], info.Prec) + " " + sign + " " + w.write(e.Args[1], info.Prec+1), info.Prec
	}
	switch {
	case (e.Op == expr.Mul || e.Op == expr.Div) && both:
		return binary("." + s.Text)
	case e.Op == expr.Div && w.vectors.isVector(e.Args[1]):
		return w.write(e.Args[0], expr.Mul.Info().Prec) + " * inv(" + w.text(e.Args[1]) + ")", expr.Mul.Info().Prec
	case e.Op == expr.FMA:
		return w.unnamed(expr.New(expr.Add, expr.New(expr.Mul, e.Args[0], e.Args[1]), e.Args[2]))
	case s.Kind == expr.Binary:
		return binary(s.Text)
	case s.Kind == expr.Unary:
		return s.Text + w.write(e.Args[0], info.Prec+1), info.Prec
	case s.Kind == expr.Function && len(e.Args) == 1 && s.Body == "":
		return s.Text + "(" + w.text(e.Args[0]) + ")", primary
	}
	w.err = fmt.Errorf("%s: %w", e.Op, errElementwise)
	return "", primary
}

// shareOutsideBranches gives names to the values below an expression that are used more than once, so that they are differentiated once. In an
// expression with branches there are none, because a value may have no derivative where its branch is not taken.
func (w *writer) shareOutsideBranches(e *expr.Expr) []bound {
	if slices.ContainsFunc(expr.Order(e), func(n *expr.Expr) bool { return n.Op == expr.If }) {
		return nil
	}
	return w.share(w.integrals.names, nil, false, e)
}

// outside returns the condition that a vector has a trial outside the support, as code.
func (w *writer) outside(s expr.Support) string {
	left, right := w.vectors.isVector(s.Left), w.vectors.isVector(s.Right)
	switch {
	case left && right:
		return "max(" + w.text(expr.New(expr.Sub, s.Left, s.Right)) + ") < 0"
	case left:
		return "max(" + w.text(s.Left) + ") < " + w.text(s.Right)
	case right:
		return w.text(s.Left) + " < min(" + w.text(s.Right) + ")"
	}
	return w.text(s.Left) + " < " + w.text(s.Right)
}
