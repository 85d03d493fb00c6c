package fit

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"likc/runtime/fit/hierarchy"
	"likc/runtime/fit/loo"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/num/chains"
	"likc/runtime/num/stream"
)

// Hierarchy is what a [Result] has of a study besides draws and their summary.
type Hierarchy struct {
	Study *hierarchy.Study
	Cells []hierarchy.Cell // of the design; nil where they could not be computed
}

// Study draws from the posterior of a study, or from its priors: it is [Run] for one subject whose parameters depend on columns of
// the data. The result's parameters are the study's coefficients; of is its trials.
func Study(ctx context.Context, study *hierarchy.Study, of Subject, s Settings) *Result {
	start := time.Now()
	r := &Result{Subject: of, whole: s.Record}
	threads := cmp.Or(s.Threads, runtime.GOMAXPROCS(0))
	switch {
	case s.Mode:
		r.Err = r.climbStudy(ctx, study, s)
	case s.PriorOnly:
		r.Err = r.drawStudyPriors(ctx, study, s)
	default:
		r.Err = r.sampleStudy(ctx, study, s, threads)
	}
	switch {
	case !r.Kept():
		return r
	case s.Mode:
		r.took(time.Since(start))
		if s.Save != nil {
			r.Unsaved = s.Save(ctx, r, threads)
		}
		return r
	}
	d := r.Draws.Common()
	r.Hierarchy = &Hierarchy{Study: study}
	r.setCells()
	r.Summary.Regression = study.Record()
	r.Summary.setTrials(study.Model(), &r.Subject)
	r.Summary.Record = s.Record.of(&r.Subject)
	r.warnOfCuts()
	r.took(time.Since(start))
	if !s.PriorOnly {
		r.lean(studyLeaning(study, d))
		r.Summary.Warnings = append(r.Summary.Warnings, studyStrays(study, d)...)
		for _, p := range studyPulls(study, d) {
			r.Summary.Warnings = append(r.Summary.Warnings, p.String())
			r.Summary.Pulls = append(r.Summary.Pulls, p)
		}
		if s.LOO {
			r.leaveOutStudy(ctx, study, threads)
		}
	}
	r.studyLapses(ctx, study, d, s)
	if s.Save != nil {
		r.Unsaved = s.Save(ctx, r, threads)
	}
	return r
}

// climbStudy finds the mode of a study without groups, over its coefficients.
func (r *Result) climbStudy(ctx context.Context, study *hierarchy.Study, s Settings) error {
	prepared, err := study.Prepare(ctx)
	if err != nil {
		return err
	}
	r.Mode = modeOf(study.Names(), prepared.Mode)
	if r.Mode.Cells, err = modeCells(study, prepared.Mode.Theta); err != nil {
		return err
	}
	r.Mode.Model, r.Mode.N, r.Mode.Record = study.Model().Name, r.Trials(), s.Record.of(&r.Subject)
	return nil
}

// leaveOutStudy computes PSIS-LOO and WAIC of a study's draws.
func (r *Result) leaveOutStudy(ctx context.Context, study *hierarchy.Study, threads int) {
	b, err := bound.Open(study.Model(), bound.Ready) // for the mass
	if err != nil {
		r.Summary.Missing = err.Error()
		return
	}
	defer b.Close()
	r.leaveOut(ctx, study.Model(), b, func() (*loo.Result, error) { return r.studyLOO(ctx, study, threads) })
}

// drawStudyPriors draws independent values from the priors.
func (r *Result) drawStudyPriors(ctx context.Context, study *hierarchy.Study, s Settings) error {
	priors, err := study.PriorSampler()
	if err != nil {
		return err
	}
	d := independent(study.Names(), s.Sampler, r.Label, priors.Draw)
	d.Run.Model = study.Model().Name
	r.describePrior(ctx, d, s.Sampler, s.Record)
	return nil
}

// studyLOO estimates PSIS-LOO of a study's common draws.
func (r *Result) studyLOO(ctx context.Context, study *hierarchy.Study, threads int) (*loo.Result, error) {
	if err := study.Bound().CheckRows(); err != nil {
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
	return loo.Estimate(ctx, study.Bound(), rows, loo.Settings{Chains: len(d.Chains), Threads: threads})
}

// sampleStudy draws, and keeps the chains that did not fail, and of those what was drawn until the context ended.
func (r *Result) sampleStudy(ctx context.Context, study *hierarchy.Study, settings Settings, threads int) error {
	prepared, err := study.Prepare(ctx)
	if err != nil {
		return err
	}
	prepared.Limit = settings.Limit
	s := settings.Sampler
	s.Threads, s.Progress, s.Stream = threads, settings.Chain, stream.Of(r.Label)
	if settings.Keep != nil {
		s.Keep = settings.Keep(&r.Subject)
	}
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
	return err
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
