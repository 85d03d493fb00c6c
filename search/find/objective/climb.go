package objective

import (
	"math"
	"slices"
)

// climb is the state of one group's climb: the search for the parameters at which an expression, summed over the group's trials, is
// largest. A group is the trials of one simulated subject.
type climb struct {
	at, next  []float64   // the present point and the proposed next one, as fractions of the ranges
	value     float64     // the group's sum at the point `at`
	gradient  []float64   // gradient of the group's sum at the point `at`
	curvature [][]float64 // minus the Hessian, on and below the diagonal
	limit     []float64   // for each coordinate, the highest value inside the support
	stuck     []bool      // for each parameter, whether it is at the end of the support
	damping   float64     // factor of the diagonal that is added to the curvature
	done      bool        // whether the climb has ended
	moved     bool        // whether a step was accepted

	factor [][]float64 // working memory: the Cholesky factor
	step   []float64   // working memory: the Newton step
}

// Lengths of steps, as fractions of the parameters' ranges.
const (
	longest   = 0.25 // the longest step along a coordinate
	leastStep = 1e-3 // a climb ends with a step shorter than this
)

// accept moves the climb to next, where the sum is value.
func (s *climb) accept(value float64) {
	moved := 0.0
	for i := range s.at {
		moved = max(moved, math.Abs(s.next[i]-s.at[i]))
	}
	copy(s.at, s.next)
	s.value, s.damping, s.moved = value, s.damping/8, true
	s.done = moved < leastStep
}

// propose sets the point `next` to a Newton step from the point `at`. The step is damped until the damped curvature is positive definite.
// Parameters that would leave their range do not move.
func (s *climb) propose() {
	n := len(s.at)
	for !s.solve() {
		s.damping *= 8
	}
	length := 0.0
	for _, d := range s.step {
		length = max(length, math.Abs(d))
	}
	scale := min(1, longest/max(length, 1e-300))
	for i := range n {
		s.next[i] = max(0, min(s.limit[i], s.at[i]+scale*s.step[i]))
	}
	s.done = length*scale < leastStep/10 || slices.Equal(s.at, s.next)
}

// held reports whether coordinate i does not move. Its finite difference leaves the support, or it is at a bound towards which the gradient
// points.
func (s *climb) held(i int) bool {
	return s.stuck[i] || s.at[i] <= 0 && s.gradient[i] < 0 || s.at[i] >= s.limit[i] && s.gradient[i] > 0
}

// solve computes the step for the matrix curvature + damping·diagonal by Cholesky factorisation. It returns false if that matrix is
// not positive definite.
func (s *climb) solve() bool {
	if !s.factorise() {
		return false
	}
	n := len(s.at)
	for i := range n {
		v := s.gradient[i]
		if s.held(i) {
			v = 0
		}
		for k := range i {
			v -= s.factor[i][k] * s.step[k]
		}
		s.step[i] = v / s.factor[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			s.step[i] -= s.factor[k][i] * s.step[k]
		}
		s.step[i] /= s.factor[i][i]
	}
	return true
}

// factorise sets factor to the Cholesky factor of the damped curvature. It returns false if that matrix is not positive definite.
func (s *climb) factorise() bool {
	for i := range s.at {
		for j := range i + 1 {
			v := s.damped(i, j)
			for k := range j {
				v -= s.factor[i][k] * s.factor[j][k]
			}
			switch {
			case i != j:
				s.factor[i][j] = v / s.factor[j][j]
			case v <= 0:
				return false
			default:
				s.factor[i][i] = math.Sqrt(v)
			}
		}
	}
	return true
}

// damped returns an element of the damped curvature. The row and column of a held parameter are those of the identity matrix.
func (s *climb) damped(i, j int) float64 {
	switch held := s.held(i) || s.held(j); {
	case held && i == j:
		return 1
	case held:
		return 0
	case i == j:
		return s.curvature[i][i] + s.damping*(1+math.Abs(s.curvature[i][i]))
	}
	return s.curvature[i][j]
}

// lost reports whether the climb found no maximum: no sum was finite, or no step was accepted because the sums are too rough. Then
// the start must not count as an estimate.
func (s *climb) lost() bool { return math.IsInf(s.value, -1) || !s.moved }
