package hierarchy

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"likc/runtime/model/posterior"
)

// Mode finds the mode of the posterior of the coefficients, in the order of [Study.Names]; without formulas it climbs from start, nil for
// the middle of the ranges. Of a study with groups it is that of means, spreads, correlations and parameters after the offsets of levels
// are integrated out by Laplace's approximation, as programs for mixed models do [breslow1993]: the mode of spreads and offsets together says
// nothing of the spreads. Each offset is at its own mode then, and its standard deviation is for the population as it is. All groups must be by one
// column.
//
//	[breslow1993] Breslow, Clayton (1993). Approximate inference in generalized linear mixed models. Journal of the American Statistical
//	Association 88.
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
	for _, g := range s.groups {
		if by := s.groups[0].by; g.by != by {
			return nil, fmt.Errorf("mode: offsets by %s and by %s cannot be integrated out together: --map wants groups by one column", by, g.by)
		}
	}
	p, err := s.Prepare(ctx)
	if err != nil {
		return nil, err
	}
	m := newMarginal(s, p.mode)
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
	return m.whole(mode), nil
}

// marginal is the likelihood of the population of a study whose groups are by one column: offsets are integrated out, with those of a level
// independent of those of others. Their coordinates are not centred, so that each is standard normal before the data.
type marginal struct {
	*evaluation
	population []int   // coordinates
	offsets    [][]int // coordinates, by level
	at         []float64
	work       [][]float64 // gradients
	found      []float64   // offsets at the last place, by coordinate
	gradients  int
	precisions []mat.Cholesky // precisions of the offsets of each level
}

func newMarginal(s *Study, mode []float64) *marginal {
	m := &marginal{evaluation: s.evaluation(), at: slices.Clone(mode), found: slices.Clone(mode)}
	levels := s.groups[0].levels
	m.offsets, m.precisions = make([][]int, len(levels)), make([]mat.Cholesky, len(levels))
	for _, g := range m.groups {
		g.setShares(0)
		for level := range levels {
			for k := range g.effects {
				m.offsets[level] = append(m.offsets[level], g.offset(level, k))
			}
		}
	}
	for i := range s.coords {
		if !s.isOffset(i) {
			m.population = append(m.population, i)
		}
	}
	m.begin()
	for range 2 + 2*len(m.offsets[0]) {
		m.work = append(m.work, make([]float64, len(mode)))
	}
	return m
}

// begin gives each spread that of the offsets where spreads and offsets together have their mode, which leaves the offsets themselves.
func (m *marginal) begin() {
	for _, g := range m.groups {
		for k, e := range g.effects {
			squares := 0.0
			for level := range g.levels {
				squares += math.Pow(m.found[e.spread]*m.found[g.offset(level, k)], 2)
			}
			spread := max(math.Sqrt(squares/float64(len(g.levels))), e.wide/100)
			for level := range g.levels {
				m.found[g.offset(level, k)] *= m.found[e.spread] / spread
			}
			m.found[e.spread] = spread
		}
	}
}

// stepOf is the step of derivatives of a curvature, of a coordinate of that size.
func stepOf(x float64) float64 { return 1e-3 * max(1e-1, math.Abs(x)) }

// density returns the log-likelihood of the population and overwrites grad with its gradient. The derivative of the determinant is by
// differences, with offsets that follow their mode.
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

// settle moves the offsets to their mode by Newton's method, and returns the log density there; false where there is none. Precisions are
// those at the mode.
func (m *marginal) settle() (top float64, ok bool) {
	const most, enough = 50, 1e-9
	top = m.slopes(m.work[0])
	for range most {
		if math.IsInf(top, 0) || math.IsNaN(top) || !m.curve() {
			return top, false
		}
		before, longest, share := slices.Clone(m.at), 0.0, 1.0
		steps := m.steps(m.work[0])
		for _, x := range steps {
			longest = max(longest, math.Abs(x))
		}
		if longest < enough {
			return top, true
		}
		for next := math.Inf(-1); !(next >= top-1e-9); share /= 2 {
			if share < 1e-6 {
				copy(m.at, before)
				m.slopes(m.work[0])
				return top, true // rounding ends the climb
			}
			copy(m.at, before)
			k := 0
			for _, of := range m.offsets {
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

// curve computes the precisions of the offsets where they are, by differences: an effect is moved in all levels at once. Where the density is not
// curved as at a maximum, they are those that the offsets have before the data, and more as need be.
func (m *marginal) curve() bool {
	n := len(m.offsets[0])
	for k := range n {
		const h = 1e-4
		for side, x := range []float64{h, -h} {
			for _, of := range m.offsets {
				m.at[of[k]] += x
			}
			if lp := m.slopes(m.work[2+2*k+side]); math.IsInf(lp, 0) || math.IsNaN(lp) {
				return false
			}
			for _, of := range m.offsets {
				m.at[of[k]] -= x
			}
		}
	}
	for level, of := range m.offsets {
		h := mat.NewSymDense(n, nil)
		for k := range n {
			for l := range k + 1 {
				const width = 2e-4
				one := (m.work[2+2*k][of[l]] - m.work[3+2*k][of[l]]) / width
				other := (m.work[2+2*l][of[k]] - m.work[3+2*l][of[k]]) / width
				h.SetSym(k, l, -(one+other)/2)
			}
		}
		for more := 1.0; !m.precisions[level].Factorize(h); more *= 2 {
			if more > 1e12 {
				return false
			}
			for k := range n {
				h.SetSym(k, k, h.At(k, k)+more)
			}
		}
	}
	return true
}

// steps are those of Newton's method, level after level.
func (m *marginal) steps(grad []float64) (all []float64) {
	for level, of := range m.offsets {
		slope, step := mat.NewVecDense(len(of), nil), mat.NewVecDense(len(of), nil)
		for k, i := range of {
			slope.SetVec(k, grad[i])
		}
		if m.precisions[level].SolveVecTo(step, slope) != nil {
			step.Zero()
		}
		all = append(all, step.RawVector().Data...)
	}
	return all
}

// logRootDeterminant is half the log determinant of the precisions, less what normal densities of the offsets have of it.
func (m *marginal) logRootDeterminant() (sum float64) {
	for level, of := range m.offsets {
		sum += m.precisions[level].LogDet()/2 - float64(len(of))*halfLog2Pi
	}
	return sum
}

// whole is the mode of all coefficients, given that of the population.
func (m *marginal) whole(of *posterior.Mode) *posterior.Mode {
	m.density(of.Theta, make([]float64, len(of.Theta)))
	copy(m.at, m.found)
	m.curve()
	n := len(m.at)
	out := &posterior.Mode{Theta: slices.Clone(m.at), LogDensity: of.LogDensity, SD: make([]float64, n), AtBound: make([]bool, n), Level: make([]bool, n), Gradients: m.gradients}
	for j, i := range m.population {
		out.SD[i], out.AtBound[i], out.Level[i] = of.SD[j], of.AtBound[j], of.Level[j]
	}
	for i, g := range m.groups {
		g.place(m.at, out.Theta, m.rooms[i])
		if g.correlated() {
			g.correlations(out.Theta, m.rooms[i])
		}
	}
	for level, of := range m.offsets {
		var variance mat.SymDense
		if m.precisions[level].InverseTo(&variance) != nil {
			continue
		}
		for _, g := range m.groups {
			for k, e := range g.effects {
				i := g.offset(level, k)
				at := slices.Index(of, i)
				out.SD[i] = m.at[e.spread] * math.Sqrt(variance.At(at, at)) // this is for one effect; correlated ones have about as much
			}
		}
	}
	return out
}
