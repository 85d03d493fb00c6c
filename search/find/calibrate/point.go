package calibrate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"likc/compiler/expr"
	"likc/runtime/model/catalog"
	"likc/runtime/sys/workers"

	"gonum.org/v1/gonum/mat"
)

// point is the binding function at one parameter vector, with matrices from which the precision of estimates follows.
type point struct {
	theta      []float64
	bound      []float64 // the binding function: the parameters, then the tilt if there is one
	found      bool      // whether bound is a maximum
	second     bool      // whether there is another maximum, on the other side of the true parameters
	pulls      []float64 // gradient of the pull at bound, in nats per trial
	divergence float64   // Kullback-Leibler divergence of the model at bound from the teacher, in nats per trial

	// These matrices are per trial. curvature is minus the mean second derivatives of the model's log density at bound. pulled is
	// the same with the curvature of the pull added. spread is the variance of the model's gradient, and information that of the
	// teacher's gradient at theta. slopes are the derivatives of bound with respect to theta.
	curvature, pulled, spread, information, slopes *mat.Dense
}

// solver computes the binding function of a model under a teacher.
type solver struct {
	model    *expr.Model
	teacher  *catalog.Model
	family   *family
	climbers []*climber // one climber for each thread
}

func newSolver(m *expr.Model, teacher *catalog.Model, set *Settings, threads int) (*solver, error) {
	of := *m
	if set.Tilt {
		of.Binding = &expr.Binding{Tilt: []expr.BindingTerm{{}}} // the tilt is a parameter of the parts, whose grid is right without a tilt
	}
	f, err := newFamily(&of)
	if err != nil {
		return nil, err
	}
	s := &solver{model: m, teacher: teacher, family: f}
	for range threads {
		c := &climber{f: f, space: newSpace(f), here: newJet(f.dim), there: newJet(f.dim), strength: set.Pull}
		for _, p := range m.Params {
			c.width = append(c.width, p.Upper-p.Lower)
		}
		if set.Tilt {
			c.width = append(c.width, 0) // width for the tilt, which solveOne computes for each point
		}
		s.climbers = append(s.climbers, c)
	}
	return s, nil
}

// solve computes the binding function at each parameter vector.
func (s *solver) solve(ctx context.Context, thetas [][]float64, report func(done, of int)) ([]*point, error) {
	var done atomic.Int64
	points, errs := make([]*point, len(thetas)), make([]error, len(s.climbers))
	workers.Do(ctx, len(thetas), len(s.climbers), func(worker, i int) {
		var err error
		if points[i], err = s.solveOne(s.climbers[worker], thetas[i]); err != nil {
			errs[worker] = err
		}
		report(int(done.Add(1)), len(thetas))
	})
	for _, err := range append(errs, ctx.Err()) {
		if err != nil {
			return nil, err
		}
	}
	return points, nil
}

// solveOne computes the binding function at one parameter vector.
func (s *solver) solveOne(c *climber, theta []float64) (*point, error) {
	p, err := populationOf(s.teacher, theta, s.model.Lapse.Until)
	if err != nil {
		return nil, err
	}
	if len(c.width) > len(theta) {
		c.width[len(theta)] = math.Sqrt(12) / p.deviation()
	}
	out := &point{theta: theta}
	value := 0.0
	start := append(slices.Clone(theta), make([]float64, s.family.dim-len(theta))...) // the tilt starts at 0
	out.bound, value, out.found = c.climb(p, start, start)
	if math.IsInf(value, 0) || math.IsNaN(value) {
		return nil, fmt.Errorf("the log density of %s is infinite or undefined at %v", s.model.Name, theta)
	}
	out.divergence = -p.entropy - s.mirror(c, p, out, value)
	s.describe(c, p, out)
	return out, nil
}

// mirror climbs a second time, from the other side of the true parameters, and uses the higher maximum, because two maxima of a
// density tend to lie on both sides. It returns the value at the maximum.
func (s *solver) mirror(c *climber, p *population, out *point, value float64) float64 {
	if !c.far(out.theta, out.bound) {
		return value
	}
	truth, start := make([]float64, len(out.bound)), slices.Clone(out.bound)
	copy(truth, out.theta)
	for j, x := range out.theta {
		start[j] = 2*x - out.bound[j]
	}
	bound, other, found := c.climb(p, truth, start)
	out.second = found && out.found && c.far(out.bound, bound)
	if !found || out.found && other <= value || math.IsInf(other, 0) || math.IsNaN(other) {
		return value
	}
	out.bound, out.found = bound, true
	return other
}

// far reports whether two parameter vectors differ by more than mirrorFrom in some parameter of the model; the tilt is ignored.
func (c *climber) far(x, y []float64) bool {
	for j := range x {
		if math.Abs(x[j]-y[j]) > mirrorFrom*c.width[j] {
			return true
		}
	}
	return false
}

// describe computes the matrices of a point.
func (s *solver) describe(c *climber, p *population, out *point) {
	k, n := s.family.dim, len(out.theta)
	scores := make([][]float64, len(p.rt))
	for i := range scores {
		scores[i] = make([]float64, k)
	}
	s.family.mean(c.space, p, out.bound, c.here, scores)
	out.curvature = mat.NewDense(k, k, nil)
	out.curvature.Scale(-1, mat.NewDense(k, k, c.here.hess))
	out.spread, out.information = product(p.weight, scores, scores), product(p.weight, p.score, p.score)
	cross := product(p.weight, scores, p.score)
	out.pulled = mat.DenseCopyOf(out.curvature)
	for j := range k {
		out.pulled.Set(j, j, out.pulled.At(j, j)+c.pull(j))
	}
	for j, x := range out.bound {
		if j < n {
			x -= out.theta[j]
		}
		out.pulls = append(out.pulls, c.pull(j)*x)
	}
	for j := range n {
		cross.Set(j, j, cross.At(j, j)+c.pull(j))
	}
	// The gradient of the mean is 0 at bound for every theta: curvature · slopes = the mean of the model's gradient times the teacher's.
	out.slopes = mat.NewDense(k, n, nil)
	if out.slopes.Solve(out.pulled, cross) != nil {
		out.found = false
	}
}

// product returns the weighted mean of x yᵀ.
func product(weight []float64, x, y [][]float64) *mat.Dense {
	m, n := len(x[0]), len(y[0])
	out := mat.NewDense(m, n, nil)
	for i, w := range weight {
		for a := range m {
			for b := range n {
				out.Set(a, b, out.At(a, b)+w*x[i][a]*y[i][b])
			}
		}
	}
	return out
}

// bias returns how far the pull moves the estimates of a calibrated model from a number of trials, in standard deviations of its
// posterior. It is NaN if the trials do not determine some direction.
func (p *point) bias(trials float64) float64 {
	var half, inner, gradient, moved mat.Dense
	half.Mul(p.slopes.T(), p.pulled)
	inner.Mul(&half, p.slopes)
	gradient.Mul(p.slopes.T(), mat.NewDense(len(p.pulls), 1, p.pulls))
	if moved.Solve(&inner, &gradient) != nil {
		return math.NaN()
	}
	return math.Sqrt(trials * mat.Dot(moved.ColView(0), gradient.ColView(0)) / float64(len(p.theta)))
}

// precision returns a root of the inverse of a variance. The variance is the mean of two: that of the model's estimates of bound
// from a number of trials, and that of its posterior. The root multiplies an error of bound and gives it in standard deviations
// in each direction. Errors far below 1 change neither estimates nor intervals. ok is false if the trials do not determine some
// direction.
func (p *point) precision(trials float64) (root []float64, ok bool) {
	n := len(p.bound)
	var posterior, half, variance mat.Dense
	if posterior.Inverse(p.pulled) != nil {
		return nil, false
	}
	half.Mul(&posterior, p.spread)
	variance.Mul(&half, &posterior)
	variance.Add(&variance, &posterior)
	sym := mat.NewSymDense(n, nil)
	for a := range n {
		for b := a; b < n; b++ {
			sym.SetSym(a, b, (variance.At(a, b)+variance.At(b, a))/(4*trials))
		}
	}
	var ch mat.Cholesky
	if !ch.Factorize(sym) {
		return nil, false
	}
	var lower, inverse mat.TriDense
	ch.LTo(&lower)
	if inverse.InverseTri(&lower) != nil { // the variance is L Lᵀ, so L⁻¹ times an error has variance 1
		return nil, false
	}
	for a := range n {
		for b := range n {
			root = append(root, inverse.At(a, b))
		}
	}
	return root, true
}

// spreadOver returns n parameter vectors that fill the ranges evenly: elements first, first+1, … of a low-discrepancy sequence.
func spreadOver(m *expr.Model, first, n int) [][]float64 {
	dim := len(m.Params)
	base := 1.5
	for range 60 { // solves x^(dim+1) = x + 1
		base = math.Pow(1+base, 1/float64(dim+1))
	}
	all := make([][]float64, n)
	for i := range all {
		for j, p := range m.Params {
			_, u := math.Modf(0.5 + float64(first+i+1)*math.Pow(base, -float64(j+1)))
			all[i] = append(all[i], p.Lower+(p.Upper-p.Lower)*u)
		}
	}
	return all
}
