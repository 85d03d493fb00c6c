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

	"likc/runtime/fit/nuts"
	"likc/runtime/model/posterior"
	"likc/runtime/num/chains"
	"likc/runtime/num/finite"
	"likc/runtime/num/stream"
	"likc/search/study/checks"
)

// Model is what is calibrated.
type Model struct {
	Name   string
	Params []posterior.Parameter // the prior is uniform over the ranges

	// Simulate draws trials at theta and binds them.
	Simulate func(rng *rand.Rand, theta []float64, trials int) (Dataset, error)
}

// Dataset is a posterior, over the model's parameters in order, of simulated trials. It is used by one goroutine.
type Dataset struct {
	Posterior *posterior.Posterior
	Gap       float64 // between log Z by the grid and by adaptive quadrature, at the truth; NaN where it was not asked
}

// Settings of a calibration.
type Settings struct {
	Simulations int    `json:"simulations"`
	Trials      int    `json:"trials"` // a simulation
	Chains      int    `json:"chains"`
	Warmup      int    `json:"warmup"`
	Draws       int    `json:"draws"` // a chain
	Kept        int    `json:"kept"`  // evenly spaced draws that the truth is ranked among
	Seed        uint64 `json:"seed"`
	Process     bool   `json:"process,omitempty"` // trials are the process's, not drawn from the model's own density

	Init float64 `json:"init"` // chains start within (-Init, Init) of the middle, unconstrained
}

// DefaultSettings are the paper's 200 simulations of 1,000 trials. 99 draws give 100 ranks; a fifteenth of all draws, they
// are as good as independent. Chains start as the judge's do.
func DefaultSettings() Settings {
	return Settings{Simulations: 200, Trials: 1000, Chains: 2, Warmup: 500, Draws: 750, Kept: 99, Seed: 1, Init: 1}
}

// Parts is into how many parts the simulations of so many models are divided where several machines share them: 50 simulations each.
func (s Settings) Parts(models int) int {
	return checks.CountParts(models, s.Simulations, 50)
}

// Check says which setting cannot be.
func (s Settings) Check() error {
	err := checks.InRange(
		checks.Bound{Name: "simulations", Value: s.Simulations, Low: 10, High: 5000},
		checks.Bound{Name: "trials", Value: s.Trials, Low: 1, High: checks.MostTrials},
		checks.Bound{Name: "chains", Value: s.Chains, Low: 1, High: checks.MostChains},
		checks.Bound{Name: "warmup", Value: s.Warmup, Low: 0, High: checks.MostDraws},
		checks.Bound{Name: "draws", Value: s.Draws, Low: 1, High: checks.MostDraws})
	switch {
	case err != nil:
		return err
	case !(s.Init >= 0 && s.Init <= 10):
		return fmt.Errorf("init %v: want 0 to 10", s.Init)
	case s.Kept < 9 || s.Kept > s.Chains*s.Draws || (s.Kept+1)%10 != 0:
		return fmt.Errorf("kept %d: want 9, 19, 29, … and no more than there are (%d)", s.Kept, s.Chains*s.Draws)
	}
	return nil
}

// Simulation is what came of one truth.
type Simulation struct {
	Number      int             `json:"simulation"`
	Theta       []finite.Number `json:"theta"`
	Ranks       []int           `json:"ranks"` // of the truth among the kept draws, from 0 to their number
	Rhat        finite.Number   `json:"rhat"`  // worst of all parameters
	ESSBulk     finite.Number   `json:"ess_bulk"`
	Divergences int             `json:"divergences"`
	Gradients   int             `json:"gradients"`
	LogZGap     finite.Number   `json:"logz_gap"`
	Error       string          `json:"error,omitempty"`
}

// The paper's limits, beyond which a simulation's draws are doubtful.
const (
	MostRhat = 1.05
	LeastESS = 100
)

// Flagged reports whether the draws are doubtful: not fitted, not converged, or too few independent ones.
func (s *Simulation) Flagged() bool {
	return s.Error != "" || !(s.Rhat <= MostRhat) || !(s.ESSBulk >= LeastESS)
}

// Simulate runs one simulation. It depends on the model, the settings and its number alone; models share no truths, so that
// what chance does to one says nothing of another.
func Simulate(ctx context.Context, m Model, s Settings, number int) (Simulation, error) {
	rng := stream.Named(fmt.Sprintf("sbc %s %d %d", m.Name, s.Seed, number)) // each simulation has its own
	theta := make([]float64, len(m.Params))
	for j, p := range m.Params {
		theta[j] = p.Lower + (p.Upper-p.Lower)*rng.Float64()
	}
	out := Simulation{Number: number, Theta: finite.Numbers(theta), Rhat: finite.Number(math.NaN()), ESSBulk: finite.Number(math.NaN())}
	data, err := m.Simulate(rng, theta, s.Trials)
	if err != nil {
		out.Error, out.LogZGap = err.Error(), finite.Number(math.NaN())
		return out, nil
	}
	out.LogZGap = finite.Number(data.Gap)
	settings := nuts.DefaultSettings()
	settings.NumChains, settings.NumWarmup, settings.NumSamples, settings.Threads = s.Chains, s.Warmup, s.Draws, 1
	settings.Seed, settings.Stream = s.Seed, uint64(number)
	settings.Init = s.Init
	result, err := nuts.Sample(ctx, func(int) nuts.Target { return data.Posterior.Target() }, settings)
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	if err != nil {
		out.Error = err.Error()
		return out, nil
	}
	data.Posterior.ConstrainDraws(result.Draws)
	out.describe(result.Draws, theta, s.Kept)
	return out, nil
}

// describe keeps what the draws say.
func (s *Simulation) describe(d *chains.Draws, theta []float64, kept int) {
	rhat, ess := math.Inf(-1), math.Inf(1)
	for j := range d.Names {
		x := d.Param(j)
		rhat, ess = max(rhat, chains.Rhat(x)), min(ess, chains.BulkESS(x))
		s.Ranks = append(s.Ranks, rank(slices.Concat(x...), theta[j], kept))
	}
	s.Rhat, s.ESSBulk = finite.Number(rhat), finite.Number(ess)
	s.Divergences, s.Gradients = d.Divergences(), d.TotalGradients()
}

// rank counts which of kept draws, evenly spaced among all, are below the truth.
func rank(draws []float64, truth float64, kept int) (below int) {
	for k := range kept {
		if draws[k*len(draws)/kept] < truth {
			below++
		}
	}
	return below
}
