package regress

import (
	"fmt"
	"math"

	"likc/compiler/diff"
	"likc/search/tree"

	"gonum.org/v1/gonum/mat"
)

// fit is the work space of one fit: the expression and its derivatives by the constants, as trees in which constant k is
// the symbol behind the table's.
type fit struct {
	value    tree.Tree
	partial  []tree.Tree
	bound    tree.Tree // one of them with the constants' values in place
	jacobian [][]float64
}

// The method is Levenberg's with Marquardt's scaling [marquardt1963]: damping shrinks after a step that helps and grows
// until one does.
//
// Reference: [marquardt1963] D. W. Marquardt, An Algorithm for Least-Squares Estimation of Nonlinear Parameters, J. SIAM 11.
const (
	maxSteps      = 12
	firstDamping  = 1e-3
	lessDamping   = 0.2
	moreDamping   = 5
	maxDamping    = 1e9
	smallProgress = 1e-12 // of the loss, below which the fit is done
)

// FitConstants moves the constants of t towards the least squares and reports whether they are better than before. The
// result depends on t alone.
func (s *scorer) FitConstants(t *tree.Tree) bool {
	if t.Constants() == 0 || !s.prepare(*t) {
		return false
	}
	current := append([]float64(nil), t.Values...)
	loss, damping := s.sum(*t), firstDamping
	start := loss
	for range maxSteps {
		normal, gradient, ok := s.normal(current)
		if !ok {
			break
		}
		before := loss
		for ; damping <= maxDamping; damping *= moreDamping {
			if next, ok := step(normal, gradient, current, damping); ok {
				copy(t.Values, next)
				if sum := s.sum(*t); sum < loss {
					copy(current, next)
					loss, damping = sum, damping*lessDamping
					break
				}
			}
		}
		if !(before-loss > smallProgress*before) {
			break
		}
	}
	copy(t.Values, current)
	return loss < start
}

// sum is the squared error over all rows.
func (s *scorer) sum(t tree.Tree) float64 {
	sum, finite := s.all.SquaredError(t, s.target)
	if !finite {
		return math.Inf(1)
	}
	return sum
}

// prepare differentiates t; false if there are too many constants, or if t is not finite.
func (s *scorer) prepare(t tree.Tree) bool {
	n := t.Constants()
	if len(s.symbols)+n > tree.MaxSymbols || math.IsInf(s.sum(t), 1) {
		return false
	}
	names := append([]string(nil), s.symbols...)
	s.fit.value = tree.Tree{}
	for _, c := range t.Codes {
		if c == tree.Constant {
			c = tree.Code(len(names))
			names = append(names, fmt.Sprintf("#%d", len(names)))
		}
		s.fit.value.Codes = append(s.fit.value.Codes, c)
	}
	s.fit.partial = s.fit.partial[:0]
	for _, d := range diff.Gradient(s.fit.value.Expr(names), names[len(s.symbols):]) {
		x, err := tree.FromExpr(d, names)
		if err != nil || x.Size() > maxDerivative {
			return false
		}
		s.fit.partial = append(s.fit.partial, x)
	}
	return s.reserve(n)
}

// maxDerivative is the size above which a derivative written as a tree is not worth its time.
const maxDerivative = 2000

func (s *scorer) reserve(n int) bool {
	for len(s.fit.jacobian) < n {
		s.fit.jacobian = append(s.fit.jacobian, make([]float64, len(s.target)))
	}
	return true
}

// bind puts the constants' values in the place of their symbols.
func (s *scorer) bind(t tree.Tree, constants []float64) tree.Tree {
	b, own := &s.fit.bound, 0
	b.Clear()
	for _, c := range t.Codes {
		switch k := int(c) - len(s.symbols); {
		case c == tree.Constant:
			b.Values = append(b.Values, t.Values[own])
			own++
		case c < tree.Constant && k >= 0:
			b.Values = append(b.Values, constants[k])
			c = tree.Constant
		}
		b.Codes = append(b.Codes, c)
	}
	return *b
}

// normal is JᵀJ and Jᵀr at the given constants; false where a derivative is not finite.
func (s *scorer) normal(constants []float64) (a *mat.SymDense, g []float64, ok bool) {
	if !s.all.Evaluate(s.bind(s.fit.value, constants), s.values) {
		return nil, nil, false
	}
	n := len(constants)
	a, g = mat.NewSymDense(n, nil), make([]float64, n)
	for k, d := range s.fit.partial {
		column := s.fit.jacobian[k]
		if !s.all.Evaluate(s.bind(d, constants), column) {
			return nil, nil, false
		}
		for i, y := range s.target {
			g[k] += column[i] * (s.values[i] - y)
		}
		for j := range k + 1 {
			sum := 0.0
			for i, x := range s.fit.jacobian[j] {
				sum += x * column[i]
			}
			a.SetSym(j, k, sum)
		}
	}
	return a, g, true
}

// step solves (A + μ·diag A) δ = -g and returns the constants moved by δ.
func step(a *mat.SymDense, g, at []float64, damping float64) (next []float64, ok bool) {
	n := len(g)
	damped := mat.NewSymDense(n, nil)
	damped.CopySym(a)
	for k := range n {
		damped.SetSym(k, k, a.At(k, k)*(1+damping)+math.SmallestNonzeroFloat64)
	}
	var factor mat.Cholesky
	if !factor.Factorize(damped) {
		return nil, false
	}
	var delta mat.VecDense
	if err := factor.SolveVecTo(&delta, mat.NewVecDense(n, g)); err != nil {
		return nil, false
	}
	for k := range n {
		next = append(next, at[k]-delta.AtVec(k))
	}
	return next, true
}
