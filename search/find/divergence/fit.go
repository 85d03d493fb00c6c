package divergence

import (
	"math"

	"likc/search/find/columns"
	"likc/search/find/tree"

	"gonum.org/v1/gonum/mat"
)

// These are limits on fits of constants.
const (
	mostFitted   = 16   // largest number of constants that are fitted
	fitTolerance = 1e-3 // a fit ends when a step lowers the loss by less than this share
	firstDamping = 1e-2
	mostDamping  = 1e6
)

// fitter holds the working memory for fits of constants.
type fitter struct {
	slopes   *columns.Slopes
	sections []section // the sections of the loss to which the constants are fitted
	frozen   []bool    // for each constant, whether the fit does not change it; nil: the fit changes all
	trial    tree.Tree
	grad     []float64
	fisher   *mat.SymDense
	product  []float64 // working memory for a block
	weight   []float64 // working memory for a block
	means    []float64 // [constant][lane]: integral of the slope times the expression's density

	nodes        []int     // nodes of the tree to which Grow may add a term
	adjoint      []float64 // [node][row]: derivative of the tree with respect to that node
	fresh, found tree.Tree // the new term that Grow tries now, and the best new term so far
}

// effort determines how much work a fit does: how many sections of groups it uses, and how many steps it makes.
type effort struct{ sections, steps int }

var (
	thorough = effort{math.MaxInt, 4}
	quick    = effort{1, 3}
)

// FitConstants changes the tree's constants so that the loss falls, and returns true. If it finds no lower loss, it changes nothing
// and returns false.
func (s *scorer) FitConstants(t *tree.Tree) bool { return s.fit(t, thorough, math.Inf(1)) }

// Refit does a short fit of the constants, to the groups of the first section. It does not change a tree whose mean loss over these
// groups is above limit.
func (s *scorer) Refit(t *tree.Tree, limit float64) bool { return s.fit(t, quick, limit) }

func (s *scorer) fit(t *tree.Tree, e effort, limit float64) bool {
	n := t.Constants()
	if n == 0 || n > mostFitted {
		return false
	}
	f := s.fitting(e)
	f.trial.Copy(*t)
	start := s.lossAndSlopes(f.trial)
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
			if loss := s.fittedLoss(f.trial); loss < best {
				best = loss
				copy(t.Values, f.trial.Values)
				damping /= 10
				break
			}
		}
		if best > before*(1-fitTolerance) {
			break
		}
		s.lossAndSlopes(*t)
	}
	return best < start
}

// fitting returns the scorer's fitter, set to fit to the first e.sections sections.
func (s *scorer) fitting(e effort) *fitter {
	if s.fitter == nil {
		width := len(s.x)
		s.fitter = &fitter{slopes: columns.NewSlopes(), product: make([]float64, width), weight: make([]float64, width), means: make([]float64, mostFitted*width)}
	}
	s.fitter.sections = s.loss.sections[:min(e.sections, len(s.loss.sections))]
	return s.fitter
}

// step changes values by a damped Newton step. It returns false if the linear system has no solution, or a value becomes infinite
// or NaN.
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

// damped returns the expected second derivatives with a damped diagonal. The mixed derivatives of a frozen constant and any other
// constant are 0, so that the steps of the other constants do not depend on it.
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
