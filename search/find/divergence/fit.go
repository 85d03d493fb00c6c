package divergence

import (
	"math"

	"likc/search/find/columns"
	"likc/search/find/tree"

	"gonum.org/v1/gonum/mat"
)

// Limits of a fit of constants.
const (
	mostFitted   = 16   // constants
	fitTolerance = 1e-3 // a fit ends with a step that lowers the loss by less than this share
	firstDamping = 1e-2
	mostDamping  = 1e6
)

// fitter holds what a fit of constants needs.
type fitter struct {
	slopes   *columns.Slopes
	sections []section // that are fitted to
	frozen   []bool    // by constant, whether it stays; nil: none does
	trial    tree.Tree
	grad     []float64
	fisher   *mat.SymDense
	product  []float64 // scratch of a block
	weight   []float64 // scratch of a block
	means    []float64 // by constant and lane: mean of the slope under q

	nodes        []int     // where a tree may grow
	adjoint      []float64 // by node of these, row by row: derivative of the tree
	fresh, found tree.Tree
}

// effort is how much work a fit is.
type effort struct{ sections, steps int }

var (
	thorough = effort{math.MaxInt, 4}
	quick    = effort{1, 3}
)

// FitConstants changes the tree's constants for the better and returns true, or leaves them.
func (s *scorer) FitConstants(t *tree.Tree) bool { return s.fit(t, thorough, math.Inf(1)) }

// Refit is a quick FitConstants on few groups. It leaves a tree whose loss there is above limit.
func (s *scorer) Refit(t *tree.Tree, limit float64) bool { return s.fit(t, quick, limit) }

func (s *scorer) fit(t *tree.Tree, e effort, limit float64) bool {
	n := t.Constants()
	if n == 0 || n > mostFitted {
		return false
	}
	f := s.fitting(e)
	f.trial.Copy(*t)
	start := s.slope(f.trial)
	if !(start <= limit*float64(len(s.all))) || math.IsInf(start, 1) {
		return false
	}
	best, damping := start, firstDamping
	for range e.steps {
		before := best
		for ; damping < mostDamping; damping *= 10 {
			copy(f.trial.Values, t.Values)
			if !f.step(f.trial.Values, damping) {
				continue
			}
			if loss := s.some(f.trial); loss < best {
				best = loss
				copy(t.Values, f.trial.Values)
				damping /= 10
				break
			}
		}
		if best > before*(1-fitTolerance) {
			break
		}
		s.slope(*t)
	}
	return best < start
}

// fitting returns the fitter for some of the sections.
func (s *scorer) fitting(e effort) *fitter {
	if s.fitter == nil {
		width := len(s.x)
		s.fitter = &fitter{slopes: columns.NewSlopes(), product: make([]float64, width), weight: make([]float64, width), means: make([]float64, mostFitted*width)}
	}
	s.fitter.sections = s.loss.sections[:min(e.sections, len(s.loss.sections))]
	return s.fitter
}

// step moves values by a damped Newton step; false where the system cannot be solved.
func (f *fitter) step(values []float64, damping float64) bool {
	n := len(values)
	var cholesky mat.Cholesky
	if !cholesky.Factorize(f.damped(n, damping)) {
		return false
	}
	var delta mat.VecDense
	if err := cholesky.SolveVecTo(&delta, mat.NewVecDense(n, f.grad)); err != nil {
		return false
	}
	for i := range values {
		if f.frozen == nil || !f.frozen[i] {
			values[i] -= delta.AtVec(i)
		}
		if values[i]-values[i] != 0 {
			return false
		}
	}
	return true
}

// damped returns the expected second derivatives with a damped diagonal. Frozen constants are apart from the others.
func (f *fitter) damped(n int, damping float64) *mat.SymDense {
	m := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i {
			if f.frozen == nil || !f.frozen[i] && !f.frozen[j] {
				m.SetSym(i, j, f.fisher.At(i, j))
			}
		}
		m.SetSym(i, i, f.fisher.At(i, i)*(1+damping)+1e-12)
	}
	return m
}
