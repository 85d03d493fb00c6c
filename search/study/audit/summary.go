package audit

import (
	"likc/runtime/num/finite"
	"likc/runtime/num/statistic"
	"likc/search/study/bank"
	"likc/search/study/judge"
)

// Recovery is the judge's verdict on a bank in which a share of the trials are guesses.
type Recovery struct {
	Share    float64         `json:"share"`
	Pass     bool            `json:"pass"`
	WeakestR finite.Number   `json:"weakest_r"`
	R        []finite.Number `json:"r"`
	Edge     []finite.Number `json:"edge"`
	Failed   int             `json:"failed"`
}

// NewRecovery returns the figures of a verdict that the audit reports.
func NewRecovery(share float64, v *judge.Verdict) Recovery {
	out := Recovery{Share: share, Pass: v.Pass, WeakestR: finite.Number(v.WeakestR), Failed: v.Failed}
	for _, p := range v.Params {
		out.R, out.Edge = append(out.R, finite.Number(p.R)), append(out.Edge, finite.Number(p.Edge))
	}
	return out
}

// Param compares the recovery by the population argmax with the recovery by fits.
type Param struct {
	Name     string        `json:"name"`
	Implied  finite.Number `json:"r_implied"`  // correlation of the population argmax with the truth
	Measured finite.Number `json:"r_measured"` // correlation of posterior means with the truth, without guesses
	Gap      finite.Number `json:"gap"`        // implied minus measured
	Edge     finite.Number `json:"edge"`       // share of population argmaxes within 1% of a bound
}

// Summary is a model's audit.
type Summary struct {
	Model       string        `json:"model"`
	Bank        string        `json:"bank"`
	Population  string        `json:"population"` // exact density, or the number of trials of each subject
	Params      []Param       `json:"params"`
	MedianGap   finite.Number `json:"median_gap"`
	ImpliedPass bool          `json:"implied_pass"` // whether the model passes the judge's rule, applied to the population argmaxes
	Failed      int           `json:"failed"`
	Guesses     Guesses       `json:"guesses"`
	Lapse       string        `json:"lapse,omitempty"` // probability of a lapse in the likelihood that was fitted, or the prior of that probability
	Recoveries  []Recovery    `json:"recoveries"`      // recoveries for each share of guesses, 0 first
	Limits      []Limit       `json:"limits"`
}

// Summarise computes a model's audit. The first of recoveries is the one without guesses.
func Summarise(m Model, b *bank.Bank, limits []Limit, recoveries []Recovery, g Guesses) Summary {
	out := Summary{Model: m.Name, Bank: b.Settings.Role, Guesses: g, Recoveries: recoveries, Limits: limits, ImpliedPass: true}
	for _, l := range limits {
		if l.Error != "" {
			out.Failed++
		}
	}
	var gaps []float64
	for j, p := range m.Params {
		one := implied(p.Name, b.Settings.Params[j], j, limits)
		one.Measured = recoveries[0].R[j]
		one.Gap = one.Implied - one.Measured
		gaps = append(gaps, float64(one.Gap))
		out.ImpliedPass = out.ImpliedPass && one.Implied > judge.LeastR && one.Edge < judge.MostEdge
		out.Params = append(out.Params, one)
	}
	out.MedianGap = finite.Number(statistic.Median(gaps))
	return out
}

func implied(name string, theta bank.Range, j int, limits []Limit) Param {
	var truth, argmax []float64
	edge := 0
	width := judge.EdgeWidth * (theta.Upper - theta.Lower)
	for _, l := range limits {
		x := float64(l.Argmax[j])
		if l.Error == "" {
			truth, argmax = append(truth, float64(l.Truth[j])), append(argmax, x)
		}
		if !(x >= theta.Lower+width && x <= theta.Upper-width) {
			edge++
		}
	}
	return Param{Name: name, Implied: finite.Number(statistic.Correlation(truth, argmax)), Edge: finite.Number(float64(edge) / float64(len(limits)))}
}
