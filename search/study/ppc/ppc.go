// Package ppc runs posterior predictive checks. For each subject it computes the Kolmogorov–Smirnov distance between observed and
// simulated response times; times at the lower boundary count as negative.
//
// Two other predictions show how good a distance is. Trials simulated at the true parameters have a distance that no estimator with
// errors reaches. The fair null is an unbiased estimator that recovers each parameter as well as the fits do, but whose errors in different
// parameters are independent. Fits that predict better than the null have errors that cancel in their effect on the trials.
package ppc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"likc/runtime/fit/nuts"
	"likc/runtime/model/posterior"
	"likc/runtime/model/ssm"
	"likc/runtime/num/chains"
	"likc/runtime/num/finite"
	"likc/runtime/num/statistic"
	"likc/runtime/num/stream"
	"likc/search/study/bank"
	"likc/search/study/checks"
)

// Model is what is checked.
type Model struct {
	Name   string
	Params []string // in the order of the simulator's

	// Bind gives the posterior of a subject's trials.
	Bind func(s bank.Subject) (*posterior.Posterior, error)
}

// Settings of a check.
type Settings struct {
	Chains     int    `json:"chains"`
	Warmup     int    `json:"warmup"`
	Draws      int    `json:"draws"`      // a chain
	Trials     int    `json:"trials"`     // of a subject's predictive, from as many posterior draws where there are as many
	Replicates int    `json:"replicates"` // of the fair null
	Seed       uint64 `json:"seed"`

	Init float64 `json:"init"` // chains start within (-Init, Init) of the middle, unconstrained
}

// DefaultSettings fit as the judge does and predict as many trials as subjects have.
func DefaultSettings() Settings {
	return Settings{Chains: 2, Warmup: 500, Draws: 500, Trials: 1000, Replicates: 25, Seed: 1, Init: 1}
}

// Check says which setting cannot be.
func (s Settings) Check() error {
	if !(s.Init >= 0 && s.Init <= 10) {
		return fmt.Errorf("init %v: want 0 to 10", s.Init)
	}
	return checks.InRange(
		checks.Bound{Name: "chains", Value: s.Chains, Low: 1, High: checks.MostChains},
		checks.Bound{Name: "warmup", Value: s.Warmup, Low: 0, High: checks.MostDraws},
		checks.Bound{Name: "draws", Value: s.Draws, Low: 1, High: checks.MostDraws},
		checks.Bound{Name: "trials", Value: s.Trials, Low: 1, High: checks.MostTrials},
		checks.Bound{Name: "replicates", Value: s.Replicates, Low: 1, High: 10_000})
}

// Subject is what came of one.
type Subject struct {
	ID     int             `json:"subject"`
	Trials int             `json:"trials"`
	Upper  finite.Number   `json:"upper"` // share of responses at the upper boundary
	Truth  []finite.Number `json:"truth"`
	Mean   []finite.Number `json:"mean"`     // of the posterior
	KS     finite.Number   `json:"ks"`       // observed against posterior predictive
	AtTrue finite.Number   `json:"ks_truth"` // against the predictive at the true parameters
	Rhat   finite.Number   `json:"rhat"`
	Error  string          `json:"error,omitempty"`
}

// Simulator draws trials as the bank's were drawn.
type Simulator struct {
	Model  *ssm.Model
	Scheme ssm.Scheme
}

// SimulatorOf is the simulator of a bank.
func SimulatorOf(b *bank.Bank) (Simulator, error) {
	m, err := ssm.Lookup(b.Settings.Model)
	return Simulator{m, b.Settings.How()}, err
}

// What the streams of random numbers are for.
const (
	forPosterior = iota
	forTruth
	forNull
	forNoise         // and the purposes after it, one a parameter
	forSpread = 0x80 // no model has as many parameters
)

// numbers are a source of random numbers for one purpose, subject and replicate.
func numbers(seed uint64, purpose byte, subject, replicate int) *rand.Rand {
	key := [32]byte{24: 'p', 'p', 'c', purpose}
	for i := range 8 {
		key[i], key[8+i], key[16+i] = byte(seed>>(8*i)), byte(uint64(subject)>>(8*i)), byte(uint64(replicate)>>(8*i))
	}
	return rand.New(stream.Keyed(key))
}

// Fit fits one subject and predicts its trials.
func Fit(ctx context.Context, m Model, sim Simulator, s bank.Subject, settings Settings) (Subject, error) {
	nan := finite.Number(math.NaN())
	out := Subject{ID: s.ID, Trials: len(s.RT), Upper: nan, Truth: finite.Numbers(s.Theta), KS: nan, AtTrue: nan, Rhat: nan}
	for range m.Params {
		out.Mean = append(out.Mean, nan)
	}
	if err := out.fit(ctx, m, sim, s, settings); err != nil {
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		out.Error = err.Error()
	}
	return out, nil
}

func (out *Subject) fit(ctx context.Context, m Model, sim Simulator, s bank.Subject, settings Settings) error {
	if len(s.RT) == 0 {
		return errors.New("no trials")
	}
	out.Upper = finite.Number(upperShare(s.Choice))
	seen := statistic.Signed(s.RT, s.Choice)
	truth, err := predict(sim, numbers(settings.Seed, forTruth, s.ID, 0), [][]float64{s.Theta}, settings.Trials)
	if err != nil {
		return err
	}
	out.AtTrue = finite.Number(KS(seen, truth))
	d, err := draw(ctx, m, s, settings)
	if err != nil {
		return err
	}
	rhat := math.Inf(-1)
	for j := range d.Names {
		x := d.Param(j)
		out.Mean[j] = finite.Number(chains.Mean(x))
		rhat = max(rhat, chains.Rhat(x))
	}
	out.Rhat = finite.Number(rhat)
	predicted, err := predict(sim, numbers(settings.Seed, forPosterior, s.ID, 0), thetas(d, settings.Trials), settings.Trials)
	if err == nil {
		out.KS = finite.Number(KS(seen, predicted))
	}
	return err
}

// draw samples the posterior, with the judge's settings.
func draw(ctx context.Context, m Model, s bank.Subject, settings Settings) (*chains.Draws, error) {
	post, err := m.Bind(s)
	if err != nil {
		return nil, err
	}
	n := nuts.DefaultSettings()
	n.NumChains, n.NumWarmup, n.NumSamples, n.Threads = settings.Chains, settings.Warmup, settings.Draws, 1
	n.Seed, n.Stream = settings.Seed, uint64(s.ID)
	n.Init = settings.Init
	result, err := nuts.Sample(ctx, func(int) nuts.Target { return post.Target() }, n)
	if err != nil {
		return nil, err
	}
	post.ConstrainDraws(result.Draws)
	return result.Draws, nil
}

// thetas picks at most that many draws, evenly spaced over all chains.
func thetas(d *chains.Draws, most int) [][]float64 {
	columns := make([][]float64, len(d.Names))
	for j := range columns {
		columns[j] = slices.Concat(d.Param(j)...)
	}
	picked := make([][]float64, min(most, len(columns[0])))
	for k := range picked {
		picked[k] = make([]float64, len(columns))
		for j, column := range columns {
			picked[k][j] = column[k*len(column)/len(picked)]
		}
	}
	return picked
}

// predict simulates trials, as evenly as can be from the given parameters, and signs them.
func predict(sim Simulator, rng *rand.Rand, thetas [][]float64, trials int) ([]float64, error) {
	rt, choice := make([]float64, trials), make([]float64, trials)
	for k, theta := range thetas {
		from, to := k*trials/len(thetas), (k+1)*trials/len(thetas)
		if err := sim.Model.Simulate(rng, theta, sim.Scheme, rt[from:to], choice[from:to]); err != nil {
			return nil, err
		}
	}
	return statistic.Signed(rt, choice), nil
}

func upperShare(choice []float64) float64 {
	upper := 0
	for _, c := range choice {
		if c > 0 {
			upper++
		}
	}
	return float64(upper) / float64(len(choice))
}

// Predict draws a subject's posterior predictive again, for a figure: the same trials that Fit compared.
func Predict(ctx context.Context, m Model, sim Simulator, s bank.Subject, settings Settings) (signed []float64, err error) {
	d, err := draw(ctx, m, s, settings)
	if err != nil {
		return nil, err
	}
	return predict(sim, numbers(settings.Seed, forPosterior, s.ID, 0), thetas(d, settings.Trials), settings.Trials)
}
