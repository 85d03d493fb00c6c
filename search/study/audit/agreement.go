package audit

import (
	"math"

	"likc/runtime/num/finite"
	"likc/runtime/num/statistic"
	"likc/search/study/judge"
)

// Agreement compares, over models, the recovery that population argmaxes imply with the recovery that was measured.
type Agreement struct {
	Models  int        `json:"models"`
	Params  []Compared `json:"params"`
	Recover []Recover  `json:"recover"` // for each share of guesses, 0 first
}

// Compared compares one parameter over all models.
type Compared struct {
	Name          string        `json:"name"`
	ImpliedCount  int           `json:"implied"`  // models for which the parameter is recovered by the judge's rule, applied to the population argmaxes
	MeasuredCount int           `json:"measured"` // models for which the fits recover the parameter
	MedianGap     finite.Number `json:"median_gap"`
	Correlation   finite.Number `json:"correlation"` // correlation of implied and measured r, over models that have both
}

// Recover counts the models that recover all parameters with a share of guesses.
type Recover struct {
	Share  float64 `json:"share"`
	Models int     `json:"models"`
}

// Compare returns the agreement of audits. All must be on one bank, with the same shares of guesses.
func Compare(all []Summary) Agreement {
	out := Agreement{Models: len(all)}
	for j, p := range all[0].Params {
		out.Params = append(out.Params, compare(p.Name, j, all))
	}
	for k, r := range all[0].Recoveries {
		n := 0
		for _, s := range all {
			if s.Recoveries[k].Pass {
				n++
			}
		}
		out.Recover = append(out.Recover, Recover{r.Share, n})
	}
	return out
}

func compare(name string, j int, all []Summary) Compared {
	out := Compared{Name: name}
	var implied, measured, gaps []float64
	for _, s := range all {
		p, fits := s.Params[j], s.Recoveries[0]
		if p.Implied > judge.LeastR && p.Edge < judge.MostEdge {
			out.ImpliedCount++
		}
		if p.Measured > judge.LeastR && fits.Edge[j] < judge.MostEdge {
			out.MeasuredCount++
		}
		if gap := float64(p.Gap); !math.IsNaN(gap) {
			implied, measured, gaps = append(implied, float64(p.Implied)), append(measured, float64(p.Measured)), append(gaps, gap)
		}
	}
	out.MedianGap = finite.Number(statistic.Median(gaps))
	out.Correlation = finite.Number(statistic.Correlation(implied, measured))
	return out
}
