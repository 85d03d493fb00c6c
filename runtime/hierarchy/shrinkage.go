package hierarchy

import (
	"context"
	"slices"

	"likc/runtime/chains"
	"likc/runtime/likelihood"
	"likc/runtime/posterior"
)

// Shrinkage is how the levels of a grouping are drawn towards each other in one parameter, on the parameter's own scale and at the
// mean row of each level.
type Shrinkage struct {
	By, Param string
	Levels    []string
	Alone     []float64 // what a level's own trials say, given the coefficients of the population
	Together  []float64 // posterior means in the study
	Mean      float64   // of Together
}

// mostAlone is the largest number of offsets for which Shrinkage is computed.
const mostAlone = 5000

// Shrinkage returns one for each parameter whose formula has group terms; nil for a study without groups or with very many levels. d
// are the study's draws. A level alone is the posterior mode of all offsets where the population's coefficients are at their
// posterior means and spreads are as wide as the usual width of the linear predictor, so that levels hardly know of each other.
func (s *Study) Shrinkage(ctx context.Context, d *chains.Draws) ([]Shrinkage, error) {
	offsets := 0
	for _, g := range s.groups {
		offsets += len(g.shares)
	}
	if offsets == 0 || offsets > mostAlone {
		return nil, nil
	}
	alone, err := s.alone(ctx, d)
	if err != nil {
		return nil, err
	}
	levels := s.Levels(d)
	var all []Shrinkage
	var done []string
	for _, g := range s.groups {
		if !slices.Contains(done, g.by) {
			done = append(done, g.by)
			all = append(all, s.shrinkageOf(g, alone, levels)...)
		}
	}
	return all, nil
}

// shrinkageOf compares coefficients of levels alone with what the study says of a grouping.
func (s *Study) shrinkageOf(g *group, alone []float64, levels []Level) (all []Shrinkage) {
	values, at := s.meanRows(g)
	type place struct{ by, level, param string }
	together := map[place]float64{}
	for _, l := range levels {
		together[place{l.By, l.Level, l.Param}] = l.Mean
	}
	for i, l := range s.params {
		if !slices.ContainsFunc(s.groups, func(of *group) bool { return of.by == g.by && of.param == l.index }) {
			continue
		}
		one := Shrinkage{By: g.by, Param: l.Name, Levels: g.levels}
		for k := i; k < len(at); k += len(s.params) {
			mean := together[place{at[k].By, at[k].Level, at[k].Param}]
			one.Alone, one.Together = append(one.Alone, values.at(k, alone)), append(one.Together, mean)
			one.Mean += mean / float64(len(g.levels))
		}
		all = append(all, one)
	}
	return all
}

// alone returns coefficients with the offsets of levels alone.
func (s *Study) alone(ctx context.Context, d *chains.Draws) ([]float64, error) {
	e := s.evaluation()
	coords := make([]float64, len(s.coords))
	for i := range coords {
		coords[i] = chains.Mean(d.Param(i))
	}
	var free []int
	var params []posterior.Parameter
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
			coords[g.first+i] = 0
			free, params = append(free, g.first+i), append(params, s.coords[g.first+i])
		}
	}
	p, err := posterior.New(likelihood.Fix(e, coords, free), params)
	if err != nil {
		return nil, err
	}
	top, err := p.Top(ctx, make([]float64, len(free)))
	if err != nil {
		return nil, err
	}
	for k, i := range free {
		coords[i] = top.Theta[k]
	}
	out := slices.Clone(coords)
	for i, g := range e.groups {
		g.place(coords, out, e.rooms[i])
	}
	return out, nil
}
