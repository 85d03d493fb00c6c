package sbc

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"likc/runtime/num/finite"
)

// Level is the probability with which an honest model's ranks stay inside the band.
const Level = 0.95

// Summary is the calibration of a model.
type Summary struct {
	Model     string        `json:"model"`
	Settings  Settings      `json:"settings"`
	Flagged   int           `json:"flagged"` // number of simulations with R-hat above 1.05 or bulk ESS below 100
	Failed    int           `json:"failed"`  // number of flagged simulations that could not be fitted
	LogZGap   finite.Number `json:"logz_gap_max"`
	Divergent int           `json:"divergent"` // number of simulations with at least one divergence
	Kept      Ranking       `json:"kept"`      // ranks of the simulations that are not flagged
	All       Ranking       `json:"all"`       // ranks of all simulations
}

// Ranking compares the ranks of some simulations with uniform ones.
type Ranking struct {
	Simulations int     `json:"simulations"`
	Params      []Param `json:"params"`
	Inside      int     `json:"inside"` // number of parameters whose ranks stay within the band

	Band *Band `json:"-"` // nil if there are no simulations
}

// Param compares one parameter's ranks with uniform ones.
type Param struct {
	Name       string        `json:"name"`
	Inside     bool          `json:"inside"`     // whether the ranks stay inside the 95 % simultaneous band
	Excursion  finite.Number `json:"excursion"`  // largest distance of the empirical distribution from the uniform one
	Dispersion finite.Number `json:"dispersion"` // variance of the ranks divided by that of uniform ones
	ChiSquared finite.Number `json:"chi_squared"`
	P          finite.Number `json:"p"` // probability that uniform ranks have a χ² at least as large

	Counts []int `json:"-"` // number of ranks up to each evaluation point
}

// Summarise computes the calibration from the simulations.
func Summarise(m Model, s Settings, all []Simulation) Summary {
	out := Summary{Model: m.Name, Settings: s}
	var kept, fitted []Simulation
	worst := 0.0
	for _, one := range all {
		if one.Flagged() {
			out.Flagged++
		} else {
			kept = append(kept, one)
		}
		if one.Error != "" {
			out.Failed++
			continue
		}
		fitted = append(fitted, one)
		if worst = max(worst, float64(one.LogZGap)); one.Divergences > 0 { // max keeps a NaN
			out.Divergent++
		}
	}
	out.LogZGap = finite.Number(worst)
	out.Kept, out.All = newRanking(m, s, kept), newRanking(m, s, fitted)
	return out
}

func newRanking(m Model, s Settings, simulations []Simulation) Ranking {
	r := Ranking{Simulations: len(simulations)}
	if len(simulations) == 0 {
		return r
	}
	band := NewBand(len(simulations), s.Kept, Level)
	r.Band = &band
	for j, p := range m.Params {
		ranks := make([]int, len(simulations))
		for i := range simulations {
			ranks[i] = simulations[i].Ranks[j]
		}
		one := judge(p.Name, ranks, s.Kept, r.Band)
		if one.Inside {
			r.Inside++
		}
		r.Params = append(r.Params, one)
	}
	return r
}

// judge compares ranks from 0 to highest with uniform ones.
func judge(name string, ranks []int, highest int, band *Band) Param {
	p := Param{Name: name, Counts: make([]int, highest)}
	bins := make([]int, chiBins(highest+1))
	values := make([]float64, len(ranks))
	for i, r := range ranks {
		values[i] = float64(r)
		bins[r*len(bins)/(highest+1)]++
		for point := r; point < highest; point++ {
			p.Counts[point]++
		}
	}
	n, excursion := float64(len(ranks)), 0.0
	for i, c := range p.Counts {
		excursion = max(excursion, math.Abs(float64(c)/n-float64(i+1)/float64(highest+1)))
	}
	p.Inside, p.Excursion = band.Inside(p.Counts), finite.Number(excursion)
	steps := float64(highest + 1)
	p.Dispersion = finite.Number(stat.Variance(values, nil) / ((steps*steps - 1) / 12))
	chi := 0.0
	for _, c := range bins {
		expected := n / float64(len(bins))
		chi += (float64(c) - expected) * (float64(c) - expected) / expected
	}
	p.ChiSquared = finite.Number(chi)
	p.P = finite.Number(distuv.ChiSquared{K: float64(len(bins) - 1)}.Survival(chi))
	return p
}

// chiBins returns the number of equal bins of the ranks: 20 if that divides their number, otherwise 10.
func chiBins(ranks int) int {
	if ranks%20 == 0 {
		return 20
	}
	return 10
}
