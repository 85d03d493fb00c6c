package judge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"likc/runtime/model/bound"
	"likc/runtime/model/front"
	"likc/runtime/model/honesty"
	"likc/runtime/num/finite"
	"likc/runtime/num/statistic"
	"likc/search/study/bank"
	"likc/search/study/recovery"
)

// Reference is a likelihood that others are compared with on the same bank: an exact density, or the teacher that expressions were
// distilled from. [Reference.Fit] fits the bank's subjects with it, before verdicts are compared.
type Reference struct {
	Entry
	fits []Fit // one a subject, in the bank's order
}

// Compared says how the estimates of a parameter compare with the reference's and with the truth.
type Compared struct {
	Covered50 finite.Number `json:"covered_50"` // share of 50 % intervals, between quantiles, that hold the truth: 0.5 for an honest posterior
	RMSERatio finite.Number `json:"rmse_ratio"` // RMSE over the reference's, on the subjects that both could fit; 1: as near to the truth
	SDRatio   finite.Number `json:"sd_ratio"`   // median over subjects of the posterior sd over the reference's; 1: as wide

	CoveredBounds honesty.Bounds `json:"covered_90_bounds,omitzero"` // one-sided 95 % bounds of covered_90
	RatioBounds   honesty.Bounds `json:"rmse_ratio_bounds,omitzero"` // and of rmse_ratio
}

// Honest says whether estimates are about as near to the truth as the reference's, and 90 % intervals hold it about as often as they
// should; "" without a reference.
func (p *Param) Honest() honesty.Verdict {
	if p.Compared == nil {
		return ""
	}
	return p.figures().Verdict()
}

// figures are those that the parameter's honesty hangs on.
func (p *Param) figures() honesty.Figures {
	return honesty.Figures{Covered: float64(p.Covered), Ratio: float64(p.RMSERatio), CoveredBounds: p.CoveredBounds, RatioBounds: p.RatioBounds}
}

// Fit fits every subject of the bank. It fails if none can be fitted. A nil reference has nothing to fit.
func (r *Reference) Fit(ctx context.Context, b *bank.Bank, s Settings) error {
	if r == nil {
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

// CheckReference says which parameter of an entry the reference does not have.
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

// identity tells references apart whose verdicts may differ.
func (r *Reference) identity() []string {
	form := ""
	if m, ok := r.Model.Expression(); ok {
		form = front.Canonical(m)
	}
	return []string{"reference", r.Name, r.Model.Origin.Sum, form}
}

// compare enters what the fits say of parameter j beside the reference.
func (r *Reference) compare(p *Param, j int, fits []Fit) {
	if r == nil {
		return
	}
	k := r.Model.ParamIndex(p.Name)
	half, ninety := 0, 0
	var errs, references, widths []float64
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
		if of := r.fits[i]; of.Error == "" {
			errs, references = append(errs, float64(f.Mean[j])-truth), append(references, float64(of.Mean[k])-truth)
			widths = append(widths, float64(f.SD[j]/of.SD[k]))
		}
	}
	p.Covered = ratio(ninety, len(fits))
	p.Compared = &Compared{Covered50: ratio(half, len(fits)), RMSERatio: finite.Number(rootMeanSquare(errs) / rootMeanSquare(references)),
		SDRatio: finite.Number(statistic.Median(widths)), CoveredBounds: honesty.Coverage(float64(ninety), len(fits)),
		RatioBounds: honesty.RMSERatio(errs, references)}
}

func rootMeanSquare(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return math.Sqrt(sum / float64(len(x)))
}

// compare enters whether all parameters are honest.
func (v *Verdict) compare(r *Reference) {
	if r == nil {
		return
	}
	v.Reference = r.Name
	v.decide()
}

// decide enters the verdict on honesty. Of a candidate that could not be fitted it is no.
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

// settle gives a verdict of an earlier version, which knew no sampling error, what its figures say of that: bounds of its coverage. Those of
// the ratio are unknown without the fits, so that such a verdict is no or undecided.
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
