package objective

import (
	"math"

	"likc/runtime/num/vec"
	"likc/search/find/columns"
)

// profile is the recovery proxy of one parameter. Block m of its panels has the trials of all groups, with the parameter at point
// m of the grid and the other parameters at the truth. Many trials are distributed over several panels.
type profile[F columns.Float] struct {
	grid    []float64           // values of the parameter
	truth   []float64           // the true value in each group
	panels  []*columns.Panel[F] // the values of the symbols
	outside []bool              // [point][group]: whether the point is outside the support of some trial
}

// newProfile arranges the trials of a sample for the profile of one parameter.
func newProfile[F columns.Float](v *valuer, s sample, parameter, gridPoints int) profile[F] {
	groups, trials := len(s.theta), len(s.trials[0])
	f := profile[F]{grid: v.grid(parameter, gridPoints), outside: make([]bool, gridPoints*groups)}
	for _, theta := range s.theta {
		f.truth = append(f.truth, theta[parameter])
	}
	theta := make([]float64, len(v.params))
	bounds := chunks(trials, max(blockRows/groups, 1))
	for i := range len(bounds) - 1 {
		width := groups * (bounds[i+1] - bounds[i])
		f.panels = append(f.panels, newPanel[F](len(v.symbols), width, gridPoints, func(dst []float64, m, row int) {
			g, k := row%groups, bounds[i]+row/groups
			copy(theta, s.theta[g])
			theta[parameter] = f.grid[m]
			v.at(dst, theta, s.trials[g][k], s.choice[g][k])
			if !v.supported(dst) {
				f.outside[m*groups+g] = true
			}
		}))
	}
	return f
}

// profiler computes profiles of the tree that an evaluator has loaded.
type profiler[F columns.Float] struct {
	sums     []F       // [point][group]: the sum of the expression over a group's trials
	estimate []float64 // the estimate of each group
}

func newProfiler[F columns.Float](groups, gridPoints int) profiler[F] {
	return profiler[F]{make([]F, groups*gridPoints), make([]float64, groups)}
}

// sum sets s.sums to the sums of the tree that e has loaded, over the trials of each group, at each point.
func (s *profiler[F]) sum(e *columns.Evaluator[F], f *profile[F]) {
	groups := len(f.truth)
	clear(s.sums)
	for _, p := range f.panels {
		e.Enter(p)
		for m := range f.grid {
			block, sum := e.Block(m), s.sums[m*groups:(m+1)*groups]
			for at := 0; at < len(block); at += groups {
				addTo(sum, block[at:at+groups])
			}
		}
	}
}

// addTo sets sum = sum + x.
func addTo[F columns.Float](sum, x []F) {
	switch sum := any(sum).(type) {
	case []float64:
		vec.Add(sum, sum, any(x).([]float64))
	case []float32:
		vec.Add32(sum, sum, any(x).([]float32))
	}
}

// finite reports whether all sums are finite.
func (s *profiler[F]) finite() bool {
	var zero F
	for _, v := range s.sums {
		zero += v - v
	}
	return zero == 0
}

// recovery returns the correlation of estimates and truths, and the fraction of estimates that count as edges. These are the estimates
// at an end of the grid; with [Missed], only those for which the truth is nearer to another point. With [Role], points outside the
// support are left out.
func (s *profiler[F]) recovery(f *profile[F], settings *Settings) (rho, edge float64) {
	skipOutside, missed := settings.NonFinite == Role, settings.Edge == Missed
	groups, last := len(f.truth), len(f.grid)-1
	edges := 0
	for g := range groups {
		at, best := -1, math.Inf(-1)
		for m := range f.grid {
			v := float64(s.sums[m*groups+g])
			if v > best && v <= math.MaxFloat64 && !(skipOutside && f.outside[m*groups+g]) {
				at, best = m, v
			}
		}
		none := at < 0 // no point has a finite sum: the estimate is the first point, and counts as an edge
		at = max(at, 0)
		s.estimate[g] = f.grid[at]
		if none || (at == 0 || at == last) && !(missed && f.nearest(f.truth[g]) == at) {
			edges++
		}
	}
	return correlation(s.estimate, f.truth), float64(edges) / float64(groups)
}

// nearest returns the index of the grid point nearest to x.
func (f *profile[F]) nearest(x float64) int {
	last := len(f.grid) - 1
	m := math.Round((x - f.grid[0]) / (f.grid[last] - f.grid[0]) * float64(last))
	return int(max(0, min(float64(last), m)))
}

// correlation returns Pearson's correlation; 0 if x or y has no variance.
func correlation(x, y []float64) float64 {
	mx, my, n := 0.0, 0.0, float64(len(x))
	for i := range x {
		mx += x[i] / n
		my += y[i] / n
	}
	var xx, yy, xy float64
	same := true
	for i := range x {
		dx, dy := x[i]-mx, y[i]-my
		xx += dx * dx
		yy += dy * dy
		xy += dx * dy
		same = same && x[i] == x[0]
	}
	if same || xx == 0 || yy == 0 {
		return 0
	}
	return max(-1, min(1, xy/math.Sqrt(xx*yy)))
}
