package judge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/front"
	"likc/runtime/model/honesty"
	"likc/runtime/num/finite"
	"likc/runtime/num/statistic"
	"likc/search/study"
	"likc/search/study/bank"
	"likc/search/study/banked"
	"likc/search/study/recovery"
)

// Reference is a likelihood with which candidates are compared on the same bank: an exact density, or the teacher from which
// expressions were distilled. [Reference.Fit] must fit the bank's subjects first.
//
// A slow reference need not be fitted. Instead, a similar but faster likelihood, the Proposal, is fitted, and its draws get weights,
// so that they represent the reference's posterior: see [study.Reweighed]. The candidates in Weighted also get weighted draws of
// the proposal.
type Reference struct {
	Entry
	Proposal *Entry  // nil: the reference itself is fitted
	Weighted []Entry // candidates that get weighted draws of the proposal instead of a fit
	Slow     bool    // whether the reference is too slow to be fitted itself: a subject whose weights cannot be trusted is given up
	Stored   string  // path of the file of finished subjects, from which an interrupted run continues; "" for none

	fits     []Fit            // one fit for each subject, in the bank's order
	known    map[string][]Fit // fits of the proposal and of the weighted candidates, by their form
	refitted map[string]int   // by form, number of subjects whose weights could not be trusted, so that the likelihood itself was fitted
}

// Compared compares the estimates of a parameter with the reference's estimates and with the truth.
type Compared struct {
	Covered50 finite.Number `json:"covered_50"` // share of the 50 % intervals between quantiles that contain the truth: 0.5 for an honest posterior
	RMSERatio finite.Number `json:"rmse_ratio"` // RMSE divided by the reference's RMSE, on the subjects that both could fit; 1: equally near to the truth
	SDRatio   finite.Number `json:"sd_ratio"`   // median over subjects of the posterior sd divided by the reference's sd; 1: equally wide

	ReferenceCovered finite.Number `json:"reference_covered_90,omitzero"` // share of the reference's 90 % intervals that contain the truth, on the subjects that both could fit

	CoveredBounds honesty.Bounds `json:"covered_90_bounds,omitzero"` // one-sided 95 % bounds of covered_90
	RatioBounds   honesty.Bounds `json:"rmse_ratio_bounds,omitzero"` // one-sided 95 % bounds of rmse_ratio
}

// Honest states whether estimates are about as near to the truth as the reference's, and whether 90 % intervals contain the truth
// about as often as they should. It returns "" without a reference.
func (p *Param) Honest() honesty.Verdict {
	if p.Compared == nil {
		return ""
	}
	return p.figures().Verdict()
}

// figures returns the figures that determine the parameter's honesty.
func (p *Param) figures() honesty.Figures {
	return honesty.Figures{Covered: float64(p.Covered), Ratio: float64(p.RMSERatio), CoveredBounds: p.CoveredBounds, RatioBounds: p.RatioBounds}
}

// Fit fits every subject of the bank. It returns an error if none can be fitted. With a nil reference it does nothing.
func (r *Reference) Fit(ctx context.Context, b *bank.Bank, s Settings) error {
	if r == nil {
		return nil
	}
	if r.Proposal != nil {
		if err := r.reweigh(ctx, b, s); err != nil {
			return fmt.Errorf("reference %s: %w", r.Name, err)
		}
		return nil
	}
	s.Reference, s.Fits, s.Progress = nil, true, nil
	if _, ok := r.Model.Expression(); !ok {
		s.Engine = bound.Auto
	}
	job := &Job{Entries: []Entry{r.Entry}, Bank: b, Settings: s}
	err := job.Run(ctx)
	if err == nil && job.Verdicts[0].Reason != "" {
		err = errors.New(job.Verdicts[0].Reason)
	}
	if err != nil {
		return fmt.Errorf("reference %s: %w", r.Name, err)
	}
	r.fits = job.Verdicts[0].Fits
	return nil
}

// reweigh fits every subject of the bank with the proposal and weights its draws.
func (r *Reference) reweigh(ctx context.Context, b *bank.Bank, s Settings) error {
	entries := []Entry{*r.Proposal, r.Entry}
	for _, e := range r.Weighted {
		if !slices.ContainsFunc(entries, func(o Entry) bool { return o.form() == e.form() }) {
			entries = append(entries, e)
		}
	}
	models := make([]*catalog.Model, len(entries))
	for i, e := range entries {
		models[i] = e.Model
	}
	all, _, err := bound.PrepareAll(ctx, models, s.Engine, s.Threads)
	if err != nil {
		return err
	}
	columns, likelihoods := make([][]int, len(entries)), make([]study.Other, len(entries))
	for i, e := range entries {
		if err := all[i].Err; err != nil {
			return err
		}
		if columns[i], err = truthColumns(Candidate{Name: e.Name, Params: e.Model.ParamNames()}, b); err != nil {
			return err
		}
		likelihoods[i] = study.Other{Bind: study.Binding(e.Model, all[i].Prepared), Least: study.LeastOfFormula}
	}
	likelihoods[1].Least, likelihoods[1].Slow = study.LeastOfReference, r.Slow
	fitter := study.Reweighed{Draws: study.Draws{Bind: likelihoods[0].Bind, Sampler: s.sampler(), Limit: s.MaxGradients}, Others: likelihoods[1:]}
	codes := codes(b)
	check := study.NewFile(study.Where{Threads: max(s.Threads, 1)}, r.Stored, s.Hash(b, nil))
	if s.Progress != nil {
		check.Progress = func(_, _ string, done, total int) { s.Progress(done, total) }
	}
	r.known, r.refitted = map[string][]Fit{}, map[string]int{}
	cases, err := study.Run(ctx, check, banked.Source(b), fitter, func(c *study.Case, f *study.Fitted) (w weightedFits) {
		for i, one := range f.Several {
			w.Fits, w.Refitted = append(w.Fits, newFit(columns[i], codes, c, one)), append(w.Refitted, one.Refitted)
		}
		return w
	})
	if err != nil {
		return err
	}
	for i, e := range entries {
		fits := make([]Fit, len(cases))
		for k, w := range cases {
			if fits[k] = w.Fits[i]; w.Refitted[i] {
				r.refitted[e.form()]++
			}
		}
		r.known[e.form()] = fits
	}
	r.fits = r.known[r.form()]
	if !slices.ContainsFunc(r.fits, func(f Fit) bool { return f.Error == "" }) {
		return fmt.Errorf("none of %d subjects could be fitted: %s", len(r.fits), r.fits[0].Error)
	}
	return nil
}

// weightedFits are the fits of one subject: of the proposal, the reference and the weighted candidates.
type weightedFits struct {
	Fits     []Fit  `json:"fits"`
	Refitted []bool `json:"refitted"`
}

// fitsOf returns the fits of an entry that were made with those of the reference; nil if there are none.
func (r *Reference) fitsOf(e Entry) []Fit {
	if r == nil {
		return nil
	}
	return r.known[e.form()]
}

// CheckReference returns an error for the first entry with a parameter that the reference does not have.
func CheckReference(r *Reference, entries []Entry) error {
	known := r.Model.ParamNames()
	for _, e := range entries {
		for _, name := range e.Model.ParamNames() {
			if !slices.Contains(known, name) {
				return fmt.Errorf("reference %s has no parameter %s, and %s has", r.Name, name, e.Name)
			}
		}
	}
	return nil
}

// identity returns texts that differ for two references whose verdicts may differ.
func (r *Reference) identity() []string {
	form := ""
	if m, ok := r.Model.Expression(); ok {
		form = front.Canonical(m)
	}
	identity := []string{"reference", r.Name, r.Model.Origin.Sum, form}
	if text := calledText(r.Model); text != "" {
		identity = append(identity, text)
	}
	if r.Proposal != nil {
		identity = append(identity, "weights on rounds of positions, which formulas share, around draws of a flatter posterior of", r.Proposal.form())
		for _, e := range r.Weighted {
			identity = append(identity, e.form())
		}
	}
	return identity
}

// compare sets the figures of parameter j that compare the fits with the reference's.
func (r *Reference) compare(p *Param, j int, fits []Fit) {
	if r == nil {
		return
	}
	k := r.Model.ParamIndex(p.Name)
	half, ninety, others := 0, 0, 0
	var errs, references, widths, alone []float64
	for i, f := range fits {
		if f.Error != "" {
			continue
		}
		truth := float64(f.Truth[j])
		if (recovery.Interval{Low: float64(f.Q25[j]), High: float64(f.Q75[j])}).Holds(truth) {
			half++
		}
		if (recovery.Interval{Low: float64(f.Q5[j]), High: float64(f.Q95[j])}).Holds(truth) {
			ninety++
		}
		of, off := r.fits[i], float64(f.Mean[j])-truth
		if of.Error != "" {
			alone = append(alone, off)
			continue
		}
		if (recovery.Interval{Low: float64(of.Q5[k]), High: float64(of.Q95[k])}).Holds(truth) {
			others++
		}
		errs, references = append(errs, off), append(references, float64(of.Mean[k])-truth)
		widths = append(widths, float64(f.SD[j]/of.SD[k]))
	}
	p.Covered = ratio(ninety, len(fits))
	p.Compared = &Compared{Covered50: ratio(half, len(fits)), RMSERatio: finite.Number(rootMeanSquare(errs) / rootMeanSquare(references)),
		SDRatio: finite.Number(statistic.Median(widths)), ReferenceCovered: ratio(others, len(errs)), CoveredBounds: honesty.Coverage(float64(ninety), len(fits)),
		RatioBounds: ratioBounds(errs, references, alone)}
}

// ratioBounds returns bounds of the RMSE divided by the reference's. alone holds errors for subjects to which the reference could not be
// fitted. Its errors are unknown there: the upper bound is that for errors of 0. So no formula becomes honest because such subjects are
// left out.
func ratioBounds(errs, references, alone []float64) honesty.Bounds {
	b := honesty.RMSERatio(errs, references)
	if len(alone) > 0 {
		b[1] = honesty.RMSERatio(slices.Concat(errs, alone), slices.Concat(references, make([]float64, len(alone))))[1]
	}
	return b
}

func rootMeanSquare(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return math.Sqrt(sum / float64(len(x)))
}

// compare sets the verdict's figures that compare it with the reference r.
func (v *Verdict) compare(r *Reference) {
	if r == nil {
		return
	}
	v.Reference, v.Alone = r.Name, r.failed()
	if r.Proposal != nil {
		v.Proposal, v.Refitted = r.Proposal.Name, r.refitted[r.form()]
	}
	v.decide()
}

// failed returns the number of subjects to which the reference could not be fitted.
func (r *Reference) failed() (n int) {
	for _, f := range r.fits {
		if f.Error != "" {
			n++
		}
	}
	return n
}

// decide sets whether the verdict is honest. A candidate that could not be fitted is not honest.
func (v *Verdict) decide() {
	if v.Reason != "" || len(v.Params) == 0 {
		v.Honest, v.UndecidedFor = honesty.NotHonest, 0
		return
	}
	var all []honesty.Figures
	for i := range v.Params {
		all = append(all, v.Params[i].figures())
	}
	v.Honest, v.UndecidedFor = honesty.Of(all, v.Fitted)
}

// settle completes a verdict of an earlier version, which has no confidence bounds. It computes the bounds of the coverage. The
// bounds of the RMSE ratio are unknown without the fits, so such a verdict becomes not honest or undecided.
func (v *Verdict) settle() {
	if v.Reference == "" {
		return
	}
	for i := range v.Params {
		p := &v.Params[i]
		if p.Compared == nil || p.CoveredBounds != (honesty.Bounds{}) {
			continue
		}
		p.CoveredBounds = honesty.Coverage(math.Round(float64(p.Covered)*float64(v.Fitted)), v.Fitted)
		p.RatioBounds = honesty.Bounds{undefined(), undefined()}
	}
	v.decide()
}
