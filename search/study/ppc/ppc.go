// Package ppc runs posterior predictive checks. For each subject it computes the Kolmogorov–Smirnov distance between observed and
// simulated response times; times at the lower boundary count as negative.
//
// Two other predictions help to judge a distance. Trials simulated at the true parameters have a distance that no estimator with
// errors reaches. The fair null is an unbiased estimator that recovers each parameter as well as the fits do, but has independent
// errors in different parameters. If the fits predict better than the null, their errors cancel in their effect on the trials.
package ppc

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"likc/runtime/model/ssm"
	"likc/runtime/num/chains"
	"likc/runtime/num/finite"
	"likc/runtime/num/statistic"
	"likc/runtime/num/stream"
	"likc/runtime/sys/settings"
	"likc/search/study"
	"likc/search/study/bank"
	"likc/search/study/banked"
)

// Settings determine how subjects are fitted, and how many trials are predicted.
type Settings struct {
	study.Sampling
	Trials     int     `json:"trials" flag:"trials" default:"1000" in:"[1,1000000]" help:"trials of each predictive"` // each from another posterior draw, if there are enough draws
	Replicates int     `json:"replicates" flag:"replicates" default:"25" in:"[1,10000]" help:"replicates of the fair null"`
	Seed       uint64  `json:"seed" flag:"seed" default:"1" help:"seed of draws, predictives and null"`
	Init       float64 `json:"init" flag:"init" value:"DISTANCE" default:"1" in:"[0,10]" help:"chains start uniformly within this DISTANCE of the middle of the ranges, unconstrained; 0: there"`
}

// DefaultSettings returns settings that fit as the judge does, and predict as many trials as subjects have.
func DefaultSettings() Settings { return settings.Default[Settings]() }

// Check returns an error for the first setting outside its bounds. It begins with the name of its flag.
func (s Settings) Check() error { return settings.Check(&s) }

// Subject is the result of one subject.
type Subject struct {
	ID     int             `json:"subject"`
	Trials int             `json:"trials"`
	Upper  finite.Number   `json:"upper"` // share of responses at the upper boundary
	Truth  []finite.Number `json:"truth"`
	Mean   []finite.Number `json:"mean"`     // posterior means
	KS     finite.Number   `json:"ks"`       // distance of the observed trials from the posterior predictive
	AtTrue finite.Number   `json:"ks_truth"` // distance of the observed trials from the predictive at the true parameters
	Rhat   finite.Number   `json:"rhat"`
	Error  string          `json:"error,omitempty"`
}

// Simulator simulates trials as the bank's trials were simulated.
type Simulator struct {
	Model  *ssm.Model
	Scheme ssm.Scheme
}

// SimulatorOf returns the simulator of a bank.
func SimulatorOf(b *bank.Bank) (Simulator, error) {
	m, err := b.Settings.Process()
	return Simulator{m, b.Settings.How()}, err
}

// These are the purposes of random streams.
const (
	forPosterior = iota
	forTruth
	forNull
	forNoise         // plus the index of a parameter
	forSpread = 0x80 // above forNoise plus the index of any parameter
)

// numbers returns the random stream for one purpose, subject and replicate.
func numbers(seed uint64, purpose byte, subject, replicate int) *rand.Rand {
	key := [32]byte{24: 'p', 'p', 'c', purpose}
	for i := range 8 {
		key[i], key[8+i], key[16+i] = byte(seed>>(8*i)), byte(uint64(subject)>>(8*i)), byte(uint64(replicate)>>(8*i))
	}
	return rand.New(stream.Keyed(key))
}

// question is the check of one model on a bank.
type question struct {
	Settings
	model  string
	params []string // the model's parameters, in the order of the simulator's
	bank   *bank.Bank
	sim    Simulator
	fitter study.Fitter
}

// run fits all subjects and predicts their trials.
func (q *question) run(ctx context.Context, check *study.Check) ([]Subject, error) {
	return study.Run(ctx, check, banked.Source(q.bank), q.fitter, q.compare)
}

// compare compares a subject's trials with predictions of its fit, and with trials simulated at the truth.
func (q *question) compare(c *study.Case, f *study.Fitted) Subject {
	rt, nan := c.Columns[0], finite.Number(math.NaN())
	out := Subject{ID: c.ID, Trials: len(rt), Upper: nan, Truth: finite.Numbers(c.Truth), KS: nan, AtTrue: nan, Rhat: nan}
	for range q.params {
		out.Mean = append(out.Mean, nan)
	}
	err := f.Err
	if len(rt) > 0 {
		out.Upper = finite.Number(upperShare(c.Choice))
		var truth []float64
		if truth, err = predict(q.sim, numbers(q.Seed, forTruth, c.ID, 0), [][]float64{c.Truth}, q.Trials); err == nil {
			out.AtTrue = finite.Number(statistic.KolmogorovSmirnov(statistic.Signed(rt, c.Choice), truth))
			err = f.Err
		}
	}
	if err == nil {
		err = out.predict(q, c, f.Draws)
	}
	if err != nil {
		out.Error = err.Error()
	}
	return out
}

// predict sets the posterior means, R-hat, and the distance of the trials from the predicted ones.
func (out *Subject) predict(q *question, c *study.Case, d *chains.Draws) error {
	rhat := math.Inf(-1)
	for j := range d.Names {
		x := d.Param(j)
		out.Mean[j] = finite.Number(chains.Mean(x))
		rhat = max(rhat, chains.Rhat(x))
	}
	out.Rhat = finite.Number(rhat)
	predicted, err := q.predicted(c.ID, d)
	if err == nil {
		out.KS = finite.Number(statistic.KolmogorovSmirnov(statistic.Signed(c.Columns[0], c.Choice), predicted))
	}
	return err
}

// predicted simulates a subject's posterior predictive trials.
func (q *question) predicted(subject int, d *chains.Draws) ([]float64, error) {
	return predict(q.sim, numbers(q.Seed, forPosterior, subject, 0), thetas(d, q.Trials), q.Trials)
}

// thetas returns at most the given number of draws, evenly spaced over all chains.
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

// predict simulates trials, divided as evenly as possible among the given parameters, and returns signed response times.
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
