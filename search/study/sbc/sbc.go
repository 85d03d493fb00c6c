// Package sbc runs simulation-based calibration. It draws parameters from the prior, data from the density at those parameters, and then
// from the posterior under the same density. If sampler, likelihood and normalisation are all correct, the rank of the true value among
// the draws is uniform.
//
// References:
//
//	[talts2018]       Talts, Betancourt, Simpson, Vehtari, Gelman (2018). Validating Bayesian inference algorithms with
//	                  simulation-based calibration. arXiv:1804.06788.
//	[saeilynoja2022]  Säilynoja, Bürkner, Vehtari (2022). Graphical test for discrete uniformity and its applications in
//	                  goodness-of-fit evaluation and multiple sample comparison. Statistics and Computing 32:32.
package sbc

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"likc/runtime/fit/figure"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/model/catalog"
	"likc/runtime/model/posterior"
	"likc/runtime/num/chains"
	"likc/runtime/num/finite"
	"likc/runtime/num/stream"
	"likc/runtime/sys/settings"
	"likc/search/study"
)

// Model is a model to calibrate.
type Model struct {
	Name   string
	Params []posterior.Parameter // the prior is uniform over the ranges

	Simulate func(rng *rand.Rand, theta []float64, trials int) (hierarchy.Data, error) // simulates trials at theta
	Bind     study.Bind
	Gap      func(theta []float64) float64 // absolute difference of log Z between grid and adaptive quadrature; NaN if unknown
}

// Settings determine a calibration.
type Settings struct {
	Simulations    int `json:"simulations" flag:"simulations" default:"200" in:"[10,5000]" help:"simulated subjects"`
	Trials         int `json:"trials" flag:"trials" default:"1000" in:"[1,1000000]" help:"trials of each"`
	study.Sampling `but:"draws.default=750"`
	Kept           int     `json:"kept" flag:"kept" default:"99" in:"[9,1000000000]" help:"evenly spaced draws that the true value is ranked among"`
	Seed           uint64  `json:"seed" flag:"seed" default:"1" help:"seed of truths, trials and draws"`
	Process        bool    `json:"process,omitempty" flag:"process" help:"trials come from the process whose trials MODEL scores, not from its own density"`
	Init           float64 `json:"init" flag:"init" value:"DISTANCE" default:"1" in:"[0,10]" help:"chains start uniformly within this DISTANCE of the middle of the ranges, unconstrained; 0: there"`
}

// DefaultSettings returns the paper's 200 simulations of 1,000 trials. It keeps 99 draws, a fifteenth of all, for 100 possible
// ranks; they are nearly independent. Chains start as the judge's do.
func DefaultSettings() Settings { return settings.Default[Settings]() }

// Parts returns the number of parts into which the simulations of several models are divided among machines: 50 simulations each.
func (s Settings) Parts(models int) int { return study.CountParts(models, s.Simulations, 50) }

// Check returns an error for the first setting outside its bounds. It begins with the name of its flag.
func (s Settings) Check() error {
	if s.Kept < 9 || s.Kept > s.Chains*s.Draws || (s.Kept+1)%10 != 0 {
		return fmt.Errorf("kept %d: want 9, 19, 29, … and no more than there are (%d)", s.Kept, s.Chains*s.Draws)
	}
	return settings.Check(&s)
}

// Simulation is the result for one true parameter vector.
type Simulation struct {
	Number      int             `json:"simulation"`
	Theta       []finite.Number `json:"theta"`
	Ranks       []int           `json:"ranks"` // rank of each true value among the kept draws, from 0 to their number
	Rhat        finite.Number   `json:"rhat"`  // largest R-hat of all parameters
	ESSBulk     finite.Number   `json:"ess_bulk"`
	Divergences int             `json:"divergences"`
	Gradients   int             `json:"gradients"`
	LogZGap     finite.Number   `json:"logz_gap"`
	Error       string          `json:"error,omitempty"`
}

// These are the paper's limits for a simulation's draws.
const (
	MostRhat = 1.05
	LeastESS = 100
)

// Flagged reports whether the draws are doubtful: the fit failed, did not converge, or has too few independent draws.
func (s *Simulation) Flagged() bool {
	return s.Error != "" || !(s.Rhat <= MostRhat) || !(s.ESSBulk >= LeastESS)
}

// question is the calibration of a model: a source of simulations.
type question struct {
	Settings
	Model
}

// N returns the number of simulations.
func (q *question) N() int { return q.Simulations }

// Case draws true parameters from the prior, and trials. It depends only on the model, the settings and the number i. Models share
// no true parameters, so that chance affects each of them separately.
func (q *question) Case(_ context.Context, i int) (c study.Case, err error) {
	rng := stream.Named(fmt.Sprintf("sbc %s %d %d", q.Name, q.Seed, i)) // each simulation has its own stream
	c = study.Case{ID: i}
	for _, p := range q.Params {
		c.Names, c.Truth = append(c.Names, p.Name), append(c.Truth, p.Lower+(p.Upper-p.Lower)*rng.Float64())
	}
	c.Data, err = q.Simulate(rng, c.Truth, q.Trials)
	return c, err
}

// run simulates and fits all cases, and returns the ranks.
func (q *question) run(ctx context.Context, check *study.Check) ([]Simulation, error) {
	n := q.NUTS(q.Seed)
	n.Init = q.Init
	return study.Run(ctx, check, q, study.Draws{Bind: q.Bind, Sampler: n}, q.compare)
}

// compare returns the rank of the truth among the draws.
func (q *question) compare(c *study.Case, f *study.Fitted) Simulation {
	nan := finite.Number(math.NaN())
	out := Simulation{Number: c.ID, Theta: finite.Numbers(c.Truth), Rhat: nan, ESSBulk: nan, LogZGap: nan}
	if f.Problem.Sum != nil {
		out.LogZGap = finite.Number(q.Gap(c.Truth))
	}
	if f.Err != nil {
		out.Error = f.Err.Error()
		return out
	}
	d, rhat, ess := f.Draws, math.Inf(-1), math.Inf(1)
	for j := range d.Names {
		x := d.Param(j)
		rhat, ess = max(rhat, chains.Rhat(x)), min(ess, chains.BulkESS(x))
		out.Ranks = append(out.Ranks, rank(slices.Concat(x...), c.Truth[j], q.Kept))
	}
	out.Rhat, out.ESSBulk = finite.Number(rhat), finite.Number(ess)
	out.Divergences, out.Gradients = d.Divergences(), d.TotalGradients()
	return out
}

// rank returns how many of `kept` evenly spaced draws are below the truth.
func rank(draws []float64, truth float64, kept int) (below int) {
	for k := range kept {
		if draws[k*len(draws)/kept] < truth {
			below++
		}
	}
	return below
}

// Calibrate calibrates a model. It runs the missing simulations and writes the model's files.
func Calibrate(ctx context.Context, m *catalog.Model, s Settings, where study.Where) (Summary, error) {
	model, done, err := Open(ctx, m, s.Process)
	if err != nil {
		return Summary{}, err
	}
	defer done()
	q := &question{s, model}
	check := study.NewCheck(where, "sbc", "simulations", m, nil, s)
	all, err := q.run(ctx, check)
	return study.Conclude(check, all, err, func(all []Simulation) (Summary, error) { return Summarise(model, s, all), nil }, drawRanks)
}

// drawRanks draws the ranks of the simulations that are not flagged, or of all if every one is flagged.
func drawRanks(s *Summary) (study.Drawing, error) {
	r := s.Kept
	if r.Band == nil {
		r = s.All
	}
	if r.Band == nil {
		return figure.NoRanks("no simulation could be fitted")
	}
	var panels []figure.Ranked
	for _, p := range r.Params {
		panels = append(panels, figure.Ranked{Name: p.Name, Counts: p.Counts, Inside: p.Inside,
			Note: fmt.Sprintf("dispersion %.2f", p.Dispersion)})
	}
	return figure.RankDifference(panels, r.Band.Low, r.Band.High, r.Simulations)
}
