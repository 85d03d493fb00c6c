package hierarchy

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"likc/runtime/model/posterior"
)

// Mode finds the mode of the posterior, with the coefficients in the order of [Study.Names]. Without formulas, the search begins
// at start or, if that is nil, at the middle of the ranges. For a study with groups, the offsets of levels are integrated out by
// Laplace's approximation, as in programs for mixed models [breslow1993], because a joint mode of spreads and offsets tells nothing
// about the spreads. The result is the mode of means, spreads, correlations and parameters. Each offset is then at its own mode,
// and its standard deviation is conditional on the population's values.
//
//	[breslow1993] Breslow, Clayton (1993). Approximate inference in generalized linear mixed models. Journal of the American
//	              Statistical Association 88.
func (s *Study) Mode(ctx context.Context, start []float64) (*posterior.Mode, error) {
	switch {
	case !s.Varies():
		post, err := s.Posterior()
		if err != nil {
			return nil, err
		}
		return post.MAPContext(ctx, start)
	case !s.Grouped():
		p, err := s.Prepare(ctx)
		if err != nil {
			return nil, err
		}
		return p.Mode, nil
	}
	b, err := newBlocks(s.groups, len(s.coords))
	if err != nil {
		return nil, err
	}
	p, err := s.Prepare(ctx)
	if err != nil {
		return nil, err
	}
	m := newMarginal(s, p.mode, b)
	var params []posterior.Parameter
	var from []float64
	for _, i := range m.population {
		params, from = append(params, s.coords[i]), append(from, m.found[i])
	}
	post, err := posterior.Of(m.density, params)
	if err != nil {
		return nil, err
	}
	post.Inside(from)
	mode, err := post.MAPContext(ctx, from)
	if err != nil {
		return nil, err
	}
	return m.allCoefficients(mode), nil
}

// marginal is the likelihood of a study's population, with the offsets integrated out, separately for each block of offsets that
// depend on one another. The coordinates of offsets are non-centred, so each has a standard normal prior.
type marginal struct {
	*evaluation                // the likelihood as a function of all coordinates
	*blocks                    // the sets of offsets that depend on one another
	population  []int          // indices of the population's coordinates
	at          []float64      // all coordinates at the point that is evaluated
	work        [][]float64    // gradients, as working memory
	found       []float64      // all coordinates at the last point, with the offsets at their mode
	gradients   int            // number of gradients computed so far
	precisions  []mat.Cholesky // precision matrices of the offsets of each block
}

func newMarginal(s *Study, mode []float64, b *blocks) *marginal {
	m := &marginal{evaluation: s.evaluation(), blocks: b, at: slices.Clone(mode), found: slices.Clone(mode), precisions: make([]mat.Cholesky, len(b.coords))}
	for _, g := range m.groups {
		g.setShares(0) // no offset is centred
	}
	for i := range s.coords {
		if !s.isOffset(i) {
			m.population = append(m.population, i)
		}
	}
	m.startSpreads()
	for range 2 + 2*len(b.moves) { // two for Newton's method, and two for each set of coordinates that are moved up and down
		m.work = append(m.work, make([]float64, len(mode)))
	}
	return m
}

// startSpreads sets each spread to the standard deviation of its offsets at the joint mode of spreads and offsets. The offsets
// stay the same: their coordinates are divided by the change of the spread.
func (m *marginal) startSpreads() {
	for _, g := range m.groups {
		for k, e := range g.effects {
			squares := 0.0
			for level := range g.levels {
				squares += math.Pow(m.found[e.spread]*m.found[g.offset(level, k)], 2)
			}
			spread := max(math.Sqrt(squares/float64(len(g.levels))), e.wide/100) // wide is a spread at which levels hardly influence one another
			for level := range g.levels {
				m.found[g.offset(level, k)] *= m.found[e.spread] / spread
			}
			m.found[e.spread] = spread
		}
	}
}

// stepOf returns the step for finite differences with respect to a coordinate of size x.
func stepOf(x float64) float64 { return 1e-3 * max(1e-1, math.Abs(x)) }

// density returns the log-likelihood of the population's coordinates, with the offsets integrated out, and overwrites grad with its
// gradient. The derivative of the log determinant is a finite difference, for which the offsets move to their mode on each side.
func (m *marginal) density(population, grad []float64) float64 {
	clear(grad)
	copy(m.at, m.found)
	for j, i := range m.population {
		m.at[i] = population[j]
	}
	top, ok := m.settle()
	if !ok {
		return math.Inf(-1)
	}
	copy(m.found, m.at)
	value := top - m.logRootDeterminant()
	m.slopes(m.work[0])
	here := slices.Clone(m.at)
	for j, i := range m.population {
		grad[j] = m.work[0][i]
		h := stepOf(here[i])
		var sides [2]float64
		for k, side := range []float64{1, -1} {
			copy(m.at, here)
			m.at[i] += side * h
			if _, ok := m.settle(); !ok {
				return math.Inf(-1)
			}
			sides[k] = m.logRootDeterminant()
		}
		grad[j] -= (sides[0] - sides[1]) / (2 * h)
	}
	return value
}

// slopes writes the gradient at the coordinates, and returns the log density of trials and offsets.
func (m *marginal) slopes(grad []float64) float64 {
	m.gradients++
	return m.evaluation.LogLikGrad(m.at, grad)
}

// settle moves the offsets to their mode by Newton's method, and returns the log density there; ok is false if no mode is found.
// It leaves the precisions at the mode.
func (m *marginal) settle() (top float64, ok bool) {
	const maxSteps, tolerance = 50, 1e-9
	top = m.slopes(m.work[0])
	for range maxSteps {
		if math.IsInf(top, 0) || math.IsNaN(top) || !m.setPrecisions() {
			return top, false
		}
		before, longest, share := slices.Clone(m.at), 0.0, 1.0
		steps := m.steps(m.work[0])
		for _, x := range steps {
			longest = max(longest, math.Abs(x))
		}
		if longest < tolerance {
			return top, true
		}
		for next := math.Inf(-1); !(next >= top-1e-9); share /= 2 {
			if share < 1e-6 {
				copy(m.at, before)
				m.slopes(m.work[0])
				return top, true // the climb ends because of rounding
			}
			copy(m.at, before)
			k := 0
			for _, of := range m.blocks.coords {
				for _, i := range of {
					m.at[i] += share * steps[k]
					k++
				}
			}
			if next = m.slopes(m.work[0]); next >= top-1e-9 {
				top = next
				break
			}
		}
	}
	return top, true
}

// setPrecisions computes the precision matrices of the offsets at their present values, by finite differences. Where the density
// is not curved as at a maximum, it adds to the diagonal until the matrix is positive definite. It returns false if that fails.
func (m *marginal) setPrecisions() bool {
	const step = 1e-4
	n := len(m.moves)
	up, down := m.work[2:2+n], m.work[2+n:]
	for k, moved := range m.moves {
		for _, side := range []struct {
			step float64
			grad []float64
		}{{step, up[k]}, {-step, down[k]}} {
			for _, i := range moved {
				m.at[i] += side.step
			}
			if lp := m.slopes(side.grad); math.IsInf(lp, 0) || math.IsNaN(lp) {
				return false
			}
			for _, i := range moved {
				m.at[i] -= side.step
			}
		}
	}
	for block, of := range m.blocks.coords {
		h := mat.NewSymDense(len(of), nil)
		m.curvature(block, up, down, 2*step, h)
		for more := 1.0; !m.precisions[block].Factorize(h); more *= 2 {
			if more > 1e12 {
				return false
			}
			for k := range of {
				h.SetSym(k, k, h.At(k, k)+more)
			}
		}
	}
	return true
}

// steps returns the steps of Newton's method, block after block.
func (m *marginal) steps(grad []float64) (all []float64) {
	for block, of := range m.blocks.coords {
		slope, step := mat.NewVecDense(len(of), nil), mat.NewVecDense(len(of), nil)
		for k, i := range of {
			slope.SetVec(k, grad[i])
		}
		if m.precisions[block].SolveVecTo(step, slope) != nil {
			step.Zero()
		}
		all = append(all, step.RawVector().Data...)
	}
	return all
}

// logRootDeterminant returns ½ log|H| - (n/2) log 2π, where H is the precision matrix of n offsets. Laplace's approximation of the
// integral over the offsets is the log density at their mode minus this number.
func (m *marginal) logRootDeterminant() (sum float64) {
	for block, of := range m.blocks.coords {
		sum += m.precisions[block].LogDet()/2 - float64(len(of))*halfLog2Pi
	}
	return sum
}

// allCoefficients returns the mode of all coefficients, given the mode of the population's.
func (m *marginal) allCoefficients(of *posterior.Mode) *posterior.Mode {
	m.density(of.Theta, make([]float64, len(of.Theta)))
	copy(m.at, m.found)
	m.setPrecisions()
	n := len(m.at)
	out := &posterior.Mode{Theta: slices.Clone(m.at), LogDensity: of.LogDensity, SD: make([]float64, n), AtBound: make([]bool, n), Level: make([]bool, n), Gradients: m.gradients}
	for j, i := range m.population {
		out.SD[i], out.AtBound[i], out.Level[i] = of.SD[j], of.AtBound[j], of.Level[j]
	}
	for i, g := range m.groups {
		g.toOffsets(m.at, out.Theta, m.workspaces[i])
		if g.correlated() {
			g.correlations(out.Theta, m.workspaces[i])
		}
	}
	for block, of := range m.blocks.coords {
		var variance mat.SymDense
		if m.precisions[block].InverseTo(&variance) != nil {
			continue
		}
		for p, i := range of {
			out.SD[i] = m.at[m.spread[i]] * math.Sqrt(variance.At(p, p)) // exact for one effect, approximate for correlated effects
		}
	}
	return out
}
