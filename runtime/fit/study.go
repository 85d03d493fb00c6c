package fit

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"likc/runtime/catalog"
	"likc/runtime/chains"
	"likc/runtime/engine"
	"likc/runtime/hierarchy"
	"likc/runtime/loo"
	"likc/runtime/nuts"
	"likc/runtime/ssm"
)

// Hierarchy is what a [Result] has of a study besides draws and their summary.
type Hierarchy struct {
	Study  *hierarchy.Study
	Levels []hierarchy.Level // one a level of a grouping and parameter
}

// Study draws from the posterior of a study: it is [Run] for one subject whose parameters depend on columns of the data. The
// result's parameters are the study's coefficients; of is its trials.
func Study(ctx context.Context, study *hierarchy.Study, of Subject, s Settings) *Result {
	start := time.Now()
	r := &Result{Subject: of, whole: s.Record}
	threads := cmp.Or(s.Threads, runtime.GOMAXPROCS(0))
	if r.Err = r.sampleStudy(ctx, study, s, threads); r.Kept() {
		r.Hierarchy = &Hierarchy{Study: study, Levels: study.Levels(r.Draws.Common())}
		r.Summary.Record = s.Record.of(&r.Subject)
		r.took(time.Since(start))
		if s.LOO {
			r.leaveOutStudy(ctx, study, threads)
		}
		if s.Save != nil {
			r.Unsaved = s.Save(ctx, r, threads)
		}
	}
	return r
}

// leaveOutStudy computes PSIS-LOO and WAIC of a study's draws.
func (r *Result) leaveOutStudy(ctx context.Context, study *hierarchy.Study, threads int) {
	b, err := engine.Open(study.Model(), engine.Ready) // for the mass
	if err != nil {
		r.Summary.Missing = err.Error()
		return
	}
	defer b.Close()
	r.leaveOut(ctx, study.Model(), b, func() (*loo.Result, error) { return r.studyLOO(ctx, study, threads) })
}

// studyLOO estimates PSIS-LOO of a study's common draws.
func (r *Result) studyLOO(ctx context.Context, study *hierarchy.Study, threads int) (*loo.Result, error) {
	trials, err := study.Pointwise()
	if err != nil {
		return nil, err
	}
	d := r.Draws.Common()
	rows := make([][]float64, 0, len(d.Chains)*d.Len())
	for c := range d.Chains {
		for k := range d.Len() {
			row := make([]float64, len(d.Names))
			for j, column := range d.Chains[c].Params {
				row[j] = column[k]
			}
			rows = append(rows, row)
		}
	}
	return loo.Estimate(ctx, trials, rows, loo.Settings{Chains: len(d.Chains), Threads: threads})
}

// sampleStudy draws, and keeps the chains that did not fail, and of those what was drawn until the context ended.
func (r *Result) sampleStudy(ctx context.Context, study *hierarchy.Study, settings Settings, threads int) error {
	prepared, err := study.Prepare(ctx)
	if err != nil {
		return err
	}
	s := settings.Sampler
	s.Threads, s.Progress, s.Stream = threads, settings.Chain, nuts.StreamOf(r.Label)
	drawn, err := prepared.Sample(ctx, s)
	if drawn == nil {
		return err
	}
	d := drawn.Draws
	d.Chains = slices.DeleteFunc(d.Chains, func(c chains.Chain) bool { return c.Len() == 0 || slices.Contains(drawn.Failed, c.ID) })
	if len(d.Chains) == 0 {
		return err
	}
	d.Run.Model = study.Model().Name
	r.describe(ctx, d, s, drawn.Failed)
	r.Summary.Gradients += prepared.Gradients
	r.Summary.Regression = study.Record()
	return err
}

// predictStudy simulates the trials of a study again: their conditions and participants are those of rows drawn at random.
func predictStudy(ctx context.Context, study *hierarchy.Study, d *chains.Draws, seed uint64) (rt, choice []float64, err error) {
	simulator, ok := study.Model().Simulator()
	if !ok {
		return nil, nil, nil
	}
	scheme, _, err := simulator.Process.Scheme("")
	if err != nil {
		return nil, nil, err
	}
	rng := ssm.NewRand(seed, nuts.StreamOf("predictive trials of a study"))
	rt, choice = make([]float64, predictiveDraws*predictiveTrials), make([]float64, predictiveDraws*predictiveTrials)
	rows, theta := study.Rows(), make([]float64, len(study.Model().Params))
	total := len(d.Chains) * d.Len()
	for k := range predictiveDraws {
		at := k * total / predictiveDraws
		rows.Draw(d, at/d.Len(), at%d.Len())
		for i := k * predictiveTrials; i < (k+1)*predictiveTrials; i++ {
			if ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			rows.Theta(rng.IntN(study.Trials()), theta)
			if err := simulator.Simulate(rng, theta, scheme, rt[i:i+1], choice[i:i+1]); err != nil {
				return nil, nil, fmt.Errorf("posterior predictive trials: %w", err)
			}
		}
	}
	return rt, choice, nil
}

// Ranged returns the model with the ranges of the spec.
func (s *Spec) Ranged() *catalog.Model { return s.ranged }

// Lend tells a study what the spec says of parameters without a formula: fixed values and priors. It refuses a fixed parameter
// that has a formula.
func (s *Spec) Lend(to *hierarchy.Spec) error {
	to.Fixed = map[string]float64{}
	for _, p := range s.Params {
		_, varies := to.Params[p.Name]
		switch {
		case varies && p.Fixed:
			return fmt.Errorf("%s: it has a formula", p.Name)
		case p.Fixed:
			to.Fixed[p.Name] = p.Value
		case !p.Prior.IsFlat():
			to.Priors[p.Name] = p.Prior
		}
	}
	return nil
}

// PredictStudy is [Predict] for the result of a study.
func (r *Result) PredictStudy(ctx context.Context, d *chains.Draws, seed uint64) (rt, choice []float64, err error) {
	return predictStudy(ctx, r.Hierarchy.Study, d, seed)
}
