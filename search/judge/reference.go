package judge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"likc/runtime/engine"
	"likc/runtime/finite"
	"likc/runtime/front"
	"likc/runtime/recovery"
	"likc/runtime/statistic"
	"likc/search/bank"
)

// What an honest parameter is.
const (
	MostRMSE                  = 1.5        // times the reference's root mean squared error
	LeastCovered, MostCovered = 0.80, 0.97 // share of 90 % intervals that hold the truth
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
}

// Honest reports whether estimates are about as near to the truth as the reference's, and 90 % intervals hold it about as often as they
// should. It is false without a reference.
func (p *Param) Honest() bool {
	return p.Compared != nil && p.RMSERatio <= MostRMSE && p.Covered >= LeastCovered && p.Covered <= MostCovered
}

// Fit fits every subject of the bank. It fails if none can be fitted. A nil reference has nothing to fit.
func (r *Reference) Fit(ctx context.Context, b *bank.Bank, s Settings) error {
	if r == nil {
		return nil
	}
	s.Reference, s.Fits, s.Progress = nil, true, nil
	if _, ok := r.Model.Expression(); !ok {
		s.Engine = engine.Auto
	}
	_, err := Run(ctx, []Entry{r.Entry}, []int{0}, nil, b, s, func(v *Verdict) error {
		r.fits = v.Fits
		if v.Reason != "" {
			return errors.New(v.Reason)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("reference %s: %w", r.Name, err)
	}
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
		if f.Err != nil {
			continue
		}
		if (recovery.Interval{Low: f.Q25[j], High: f.Q75[j]}).Holds(f.Truth[j]) {
			half++
		}
		if (recovery.Interval{Low: f.Q5[j], High: f.Q95[j]}).Holds(f.Truth[j]) {
			ninety++
		}
		if of := r.fits[i]; of.Err == nil {
			errs, references = append(errs, f.Mean[j]-f.Truth[j]), append(references, of.Mean[k]-f.Truth[j])
			widths = append(widths, f.SD[j]/of.SD[k])
		}
	}
	p.Covered = ratio(ninety, len(fits))
	p.Compared = &Compared{Covered50: ratio(half, len(fits)), RMSERatio: finite.Number(rootMeanSquare(errs) / rootMeanSquare(references)),
		SDRatio: finite.Number(statistic.Median(widths))}
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
	honest := v.Reason == "" && len(v.Params) > 0
	for i := range v.Params {
		honest = honest && v.Params[i].Honest()
	}
	v.Reference, v.Honest = r.Name, &honest
}
