package hierarchy

import (
	"context"
	"fmt"
	"slices"

	"likc/runtime/model/posterior"
	"likc/runtime/num/chains"
)

// Shrinkage shows how far a study draws the levels of a grouping towards each other. It is for one parameter in one cell of the design, on
// the parameter's own scale. Numeric columns are at their means over the level's trials.
type Shrinkage struct {
	By, Param string
	Factors   string    // the cell's factors, such as [conf=HC]; "" if the parameter depends on no factor
	Levels    []string  // the levels that have trials in the cell
	Unpooled  []float64 // for each level, the estimate from the level's own trials only; see [Study.Shrinkage]
	Pooled    []float64 // for each level, the posterior mean in the whole study
	Mean      float64   // mean of Pooled
}

// mostUnpooled is the largest number of offsets for which Shrinkage is computed.
const mostUnpooled = 5000

// Shrinkage returns one Shrinkage for each cell of each parameter whose formula has group terms. It returns nil for a study
// without groups or with very many levels. d are the study's draws. The estimates from the levels' own trials are the joint
// posterior mode of all offsets, with other coefficients fixed. The population's coefficients are fixed at their posterior means.
// The spreads are fixed at a value so wide that other levels hardly influence a level's estimate.
func (s *Study) Shrinkage(ctx context.Context, d *chains.Draws) ([]Shrinkage, error) {
	offsets := 0
	for _, g := range s.groups {
		offsets += len(g.shares) // each offset has one share
	}
	if offsets == 0 || offsets > mostUnpooled {
		return nil, nil
	}
	alone, err := s.levelwiseCoefficients(ctx, d)
	if err != nil {
		return nil, err
	}
	l := s.layout()
	var all []Shrinkage
	done := map[string]bool{}
	for _, g := range s.groups {
		if key := fmt.Sprintf("%d|%s", g.param, g.by); !done[key] {
			done[key] = true
			more, err := l.shrinkage(g, alone, d)
			if err != nil {
				return nil, err
			}
			all = append(all, more...)
		}
	}
	return all, nil
}

// shrinkage returns the Shrinkage of each cell of one parameter and one grouping. alone is the result of
// [Study.levelwiseCoefficients].
func (l *layout) shrinkage(g *group, alone []float64, d *chains.Draws) (all []Shrinkage, err error) {
	var cells []Cell
	for level, rows := range membersOf(g) {
		for _, one := range l.ofLevel(g.param, g, level, rows) {
			if one.At == "" { // at the means of numeric columns
				cells = append(cells, one)
			}
		}
	}
	if err := l.setFigures(g.param, cells, d); err != nil {
		return nil, err
	}
	points, err := l.record.pointsOf(cells)
	if err != nil {
		return nil, err
	}
	values, err := l.record.Params[g.param].predictors(points, indexOf(d))
	if err != nil {
		return nil, err
	}
	for i, cell := range cells {
		k := slices.IndexFunc(all, func(s Shrinkage) bool { return s.Factors == cell.Factors() })
		if k < 0 {
			k = len(all)
			all = append(all, Shrinkage{By: g.by, Param: cell.Param, Factors: cell.Factors()})
		}
		one := &all[k]
		one.Levels, one.Unpooled, one.Pooled = append(one.Levels, cell.Level), append(one.Unpooled, values.At(i, alone)), append(one.Pooled, cell.Mean)
	}
	for i := range all {
		all[i].Mean = chains.Mean([][]float64{all[i].Pooled})
	}
	return all, nil
}

// levelwiseCoefficients returns the study's coefficients, where the offsets of each level are estimated from only the level's trials; see
// [Study.Shrinkage].
func (s *Study) levelwiseCoefficients(ctx context.Context, d *chains.Draws) ([]float64, error) {
	e := s.evaluation()
	coords := make([]float64, len(s.coords))
	for i := range coords {
		coords[i] = chains.Mean(d.Param(i))
	}
	var free []int
	var params []posterior.Parameter
	var from []float64 // the search starts at the offsets' posterior means, because there every parameter is in its support
	for _, g := range e.groups {
		g.setShares(0)
		for k, effect := range g.effects {
			coords[effect.spread] = effect.wide
			for j := range k {
				if g.correlated() {
					coords[g.partialIndex(k, j)] = 0
				}
			}
		}
		for i := range g.shares {
			from = append(from, coords[g.first+i]/g.effects[i%len(g.effects)].wide)
			coords[g.first+i] = 0
			free, params = append(free, g.first+i), append(params, s.coords[g.first+i])
		}
	}
	slopes := make([]float64, len(coords))
	p, err := posterior.Of(func(offsets, grad []float64) float64 {
		for k, i := range free {
			coords[i] = offsets[k]
		}
		value := e.LogLikGrad(coords, slopes)
		for k, i := range free {
			grad[k] = slopes[i]
		}
		return value
	}, params)
	if err != nil {
		return nil, err
	}
	top, err := p.Top(ctx, from)
	if err != nil {
		return nil, err
	}
	for k, i := range free {
		coords[i] = top.Theta[k]
	}
	out := slices.Clone(coords)
	for i, g := range e.groups {
		g.toOffsets(coords, out, e.workspaces[i])
	}
	return out, nil
}
