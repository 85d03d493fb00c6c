package audit

import (
	"context"
	"fmt"

	"likc/runtime/fit/figure"
	"likc/runtime/model/catalog"
	"likc/search/study"
	"likc/search/study/bank"
	"likc/search/study/banked"
	"likc/search/study/ppc"
)

// unit is the result of one unit of work: the population argmax of a subject, or the recovery of the bank with one share of guesses.
type unit struct {
	Limit    *Limit    `json:"limit,omitempty"`
	Recovery *Recovery `json:"recovery,omitempty"`
}

// header holds the settings on which units depend, so that units with other settings are not mixed in.
type header struct {
	Settings
	Judge string `json:"judge"` // hash of the fits' settings
}

// Admits returns an error if a model cannot be audited on a bank.
func Admits(src *catalog.Model, b *bank.Bank, known Judged) error {
	if !known.on(src, b) {
		return fmt.Errorf("%s: its parameters are not those of %s, from which the bank is simulated", src.Name, b.Settings.Model)
	}
	return nil
}

// Audit audits a model on a bank, whose simulator is sim. It runs the missing units and writes the model's files. If known has a
// verdict on the model, Audit uses that verdict as the recovery without guesses, and does not fit again.
func Audit(ctx context.Context, src *catalog.Model, b *bank.Bank, sim ppc.Simulator, all Settings, known Judged, where study.Where) (Summary, error) {
	if err := Admits(src, b, known); err != nil {
		return Summary{}, err
	}
	s := all
	s.Shares = known.shares(src, all.Shares)
	a, done, err := Open(ctx, src, b, sim, s)
	if err != nil {
		return Summary{}, err
	}
	defer done()
	subjects := len(b.Subjects)
	check := study.NewCheck(where, "audit", "units", src, b.Settings, header{s, s.Judge().Hash(b, nil)})
	limit := study.Each(populations{banked.Source(b), a}, a.model.fitter(), limitOf)
	found, err := study.Units(ctx, check, subjects+len(s.Shares), func(ctx context.Context, i int) (unit, error) {
		if i < subjects {
			limit, err := limit(ctx, i)
			return unit{Limit: &limit}, err
		}
		recovery, err := a.Recovery(ctx, s.Shares[i-subjects])
		return unit{Recovery: &recovery}, err
	})
	return study.Conclude(check, found, err, func(found []unit) (Summary, error) {
		var limits []Limit
		var recoveries []Recovery
		for _, u := range found {
			if u.Limit != nil {
				limits = append(limits, *u.Limit)
			} else {
				recoveries = append(recoveries, *u.Recovery)
			}
		}
		summary := Summarise(a.Model(), b, limits, known.complete(src, all.Shares, recoveries), s.Guesses)
		summary.Population, summary.Lapse = a.Population(), s.Lapse
		return summary, nil
	}, drawLimits)
}

// drawLimits draws a plot of the population argmax against the truth.
func drawLimits(s *Summary) (study.Drawing, error) {
	var params []figure.Recovered
	for j, p := range s.Params {
		r := figure.Recovered{Name: p.Name, Note: fmt.Sprintf("implied r = %.3f, measured %.3f", p.Implied, p.Measured)}
		for _, l := range s.Limits {
			r.Truth, r.Estimate = append(r.Truth, float64(l.Truth[j])), append(r.Estimate, float64(l.Argmax[j]))
		}
		params = append(params, r)
	}
	return figure.Recovery(params)
}
