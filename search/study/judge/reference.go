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

// Reference is a likelihood with which others are compared on the same bank: an exact density, or the teacher from which expressions
// were distilled. [Reference.Fit] fits the bank's subjects with it, before verdicts are compared.
type Reference struct {
	Entry
	fits []Fit // one fit for each subject, in the bank's order
}

// Compared compares the estimates of a parameter with the reference's estimates and with the truth.
type Compared struct {
	Covered50 finite.Number `json:"covered_50"` // share of 50 % intervals, between quantiles, that contain the truth: 0.5 for an honest posterior
	RMSERatio finite.Number `json:"rmse_ratio"` // RMSE divided by the reference's, on the subjects that both could fit; 1: equally near to the truth
	SDRatio   finite.Number `json:"sd_ratio"`   // median over subjects of the posterior sd divided by the reference's; 1: equally wide

	CoveredBounds honesty.Bounds `json:"covered_90_bounds,omitzero"` // one-sided 95 % bounds of covered_90
	RatioBounds   honesty.Bounds `json:"rmse_ratio_bounds,omitzero"` // the same for rmse_ratio
}

// Honest says whether estimates are about as near to the truth as the reference's, and 90 % intervals contain it about as often as
// they should. It returns "" without a reference.
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

// identity returns what distinguishes two references whose verdicts may differ.
func (r *Reference) identity() []string {
	form := ""
	if m, ok := r.Model.Expression(); ok {
		form = front.Canonical(m)
	}
	identity := []string{"reference", r.Name, r.Model.Origin.Sum, form}
	if text := calledText(r.Model); text != "" {
		identity = append(identity, text)
	}
	return identity
}

// compare sets the figures of parameter j that compare the fits with the reference's.
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

// compare sets the verdict's figures that compare it with the reference r.
func (v *Verdict) compare(r *Reference) {
	if r == nil {
		return
	}
	v.Reference = r.Name
	v.decide()
}

// decide sets the verdict on honesty. It is no for a candidate that could not be fitted.
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

// settle completes a verdict of an earlier version, which has no confidence bounds. It computes those of the coverage. Those of the
// ratio are unknown without the fits, so such a verdict is no or undecided.
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
