package recovery

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"likc/runtime/fit"
	"likc/runtime/fit/nuts"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/posterior"
	"likc/runtime/model/ssm"
	"likc/runtime/num/chains"
	"likc/runtime/num/finite"
	"likc/runtime/num/stream"
)

// Settings say what is simulated and how it is fitted. Results depend on nothing else.
type Settings struct {
	Subjects int      `json:"subjects"`
	Trials   int      `json:"trials"` // of each subject
	Seed     uint64   `json:"seed"`
	Priors   []string `json:"priors,omitempty"` // as NAME=PRIOR; the others are uniform over their ranges
	Ranges   []string `json:"ranges,omitempty"` // as NAME=LOW,HIGH; the others are the model's
	Fixed    []string `json:"fixed,omitempty"`  // as NAME=VALUE, in the simulation and in the fit
	Chains   int      `json:"chains"`
	Warmup   int      `json:"warmup"`
	Draws    int      `json:"draws"` // a chain
}

// DefaultSettings returns settings that take a minute for an exact density.
func DefaultSettings() Settings {
	return Settings{Subjects: 100, Trials: 200, Seed: 1, Chains: 4, Warmup: 500, Draws: 500}
}

// nuts are the settings of the sampler.
func (s *Settings) nuts() nuts.Settings {
	n := nuts.DefaultSettings()
	n.NumChains, n.NumWarmup, n.NumSamples, n.Seed = s.Chains, s.Warmup, s.Draws, s.Seed
	return n
}

// Plan is a model with the settings, ready for its subjects. It is safe for concurrent use.
type Plan struct {
	Settings
	spec     *fit.Spec
	binder   *bound.Prepared
	truths   []*posterior.Sampler // one a parameter that is sampled
	simulate fit.Simulate         // nil for a model of sessions
	sampler  nuts.Settings
}

// New prepares a model. It fails for a model that nothing can simulate, for wrong priors and for settings of the sampler that cannot
// be. Close releases the plan.
func New(m *catalog.Model, s Settings) (*Plan, error) {
	p := &Plan{Settings: s, sampler: s.nuts()}
	if err := p.sampler.Validate(); err != nil {
		return nil, err
	}
	wishes, err := fit.ParseWishes(m, s.Priors, s.Ranges, s.Fixed)
	if err != nil {
		return nil, err
	}
	if p.spec, err = fit.NewSpec(m, wishes); err != nil {
		return nil, fit.WishError{Err: err}
	}
	params, err := p.spec.Parameters(nil, nil)
	if err != nil {
		return nil, err
	}
	for i := range params {
		sampler, err := params[i].Sampler()
		if err != nil {
			return nil, err
		}
		p.truths = append(p.truths, sampler)
	}
	if p.binder, err = bound.Open(m, bound.Auto); err != nil {
		return nil, err
	}
	if _, session := m.Session(); session {
		return p, nil
	}
	if p.simulate, err = fit.SimulatorOf(m, p.binder); err != nil {
		p.binder.Close()
		return nil, err
	}
	return p, nil
}

// Names returns the names of the parameters that are recovered: those that are not fixed, in the model's order.
func (p *Plan) Names() []string { return p.spec.Names() }

// NotDensity says why what the model says of a trial is no log density; "" if it is one.
func (p *Plan) NotDensity() string { return fit.NotDensity(p.spec.Model, p.binder) }

// Close releases what was loaded for the model.
func (p *Plan) Close() error { return p.binder.Close() }

// Subject is what came of one simulated subject, or of one simulated study.
type Subject struct {
	Truth       []finite.Number `json:"truth"` // of the parameters that are not fixed
	Mean        []finite.Number `json:"mean"`
	Quantiles   [][]float64     `json:"quantiles"` // 5, 25, 75 and 95 % of each parameter's draws
	Rhat        finite.Number   `json:"rhat"`      // the worst of all parameters
	Divergences int             `json:"divergences"`
	Error       string          `json:"error,omitempty"` // why the fit failed
}

// levels are those of Subject.Quantiles.
var levels = []float64{0.05, 0.25, 0.75, 0.95}

// Subject draws true parameters, simulates trials and fits them. Its numbers depend on the settings and on i alone. The error is
// the context's; what else goes wrong is the subject's own Error.
func (p *Plan) Subject(ctx context.Context, i int) (Subject, error) {
	truth, of, err := p.Simulate(ctx, fmt.Sprintf("subject %d of recovery", i))
	of.Label = strconv.Itoa(i)
	out := Subject{Truth: finite.Numbers(truth), Rhat: finite.Number(math.NaN())}
	if err == nil {
		err = p.fit(ctx, &out, of)
	}
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	if err != nil {
		out.Error = err.Error()
	}
	return out, nil
}

// Simulate draws true parameters from the priors, those that are not fixed, and trials at them. They depend on the settings and on the
// label alone.
func (p *Plan) Simulate(ctx context.Context, label string) (truth []float64, of fit.Subject, err error) {
	rng := ssm.NewRand(p.Seed, stream.Of(label))
	truth, theta := make([]float64, len(p.truths)), make([]float64, len(p.spec.Params))
	for j, s := range p.truths {
		truth[j] = s.Draw(rng)
	}
	p.spec.Theta(theta, truth)
	if _, session := p.spec.Model.Session(); session {
		columns, choice, err := p.spec.Model.DrawSession(rng, theta, p.Trials)
		return truth, fit.Subject{Label: label, Columns: columns, Choice: choice}, err
	}
	rt := make([]float64, p.Trials)
	of = fit.Subject{Label: label, Columns: [][]float64{rt}}
	if p.spec.Model.Choice != "" {
		of.Choice = make([]float64, p.Trials)
	}
	return truth, of, p.simulate(ctx, rng, theta, rt, of.Choice)
}

// Prediction says whether a fit also estimates how well its model predicts single trials, by PSIS-LOO.
type Prediction bool

// The two kinds of fit.
const (
	WithLOO    Prediction = true
	WithoutLOO Prediction = false
)

// Fit fits a subject's trials on one thread. The draws depend on the settings and on the subject's label alone.
func (p *Plan) Fit(ctx context.Context, of fit.Subject, loo Prediction) (*fit.Result, error) {
	r := fit.Run(ctx, p.spec, p.binder, []fit.Subject{of}, fit.Settings{Sampler: p.sampler, Threads: 1, LOO: bool(loo)})[0]
	if r.Err == nil && r.Draws == nil {
		return nil, errors.New("no draws")
	}
	return r, r.Err
}

// fit fits a subject's trials and keeps what the draws say of the parameters.
func (p *Plan) fit(ctx context.Context, out *Subject, of fit.Subject) error {
	r, err := p.Fit(ctx, of, WithoutLOO)
	if err != nil {
		return err
	}
	var all [][][]float64
	for j := range r.Summary.Params {
		all = append(all, r.Draws.Param(j))
	}
	out.take(all)
	out.Divergences = r.Summary.Divergences
	return nil
}

// take takes in the draws of each parameter, a slice a chain.
func (s *Subject) take(draws [][][]float64) {
	worst := math.Inf(-1)
	for _, x := range draws {
		s.Mean = append(s.Mean, finite.Number(chains.Mean(x)))
		worst = max(worst, chains.Rhat(x))
		sorted := slices.Concat(x...)
		slices.Sort(sorted)
		var q []float64
		for _, level := range levels {
			q = append(q, chains.Quantile(sorted, level))
		}
		s.Quantiles = append(s.Quantiles, q)
	}
	s.Rhat = finite.Number(worst)
}
