package applied

import (
	"math"
	"slices"

	"likc/runtime/num/finite"
	"likc/runtime/num/statistic"
)

// Summary compares the fits of a study with the reference's. Medians are over the expressions that converged.
type Summary struct {
	Study       string        `json:"study"`
	Reference   string        `json:"reference"`
	Expressions int           `json:"expressions"`
	Failed      int           `json:"failed"`    // number of expressions that could not be fitted
	Converged   int           `json:"converged"` // number of expressions whose R-hats are all below 1.01
	Params      []Agreement   `json:"params"`    // the agreement for each parameter, in the model's order
	Shifts      []Shift       `json:"coefficients"`
	Seconds     finite.Number `json:"seconds"`           // median time of a fit, on one core
	OfReference finite.Number `json:"seconds_reference"` // time of the reference's fit
	Slower      int           `json:"slower"`            // number of expressions that converged and took longer than the reference
	Models      []Beside      `json:"models"`            // figures of the reference, then of further models
}

// Agreement says how well expressions agree with the reference on one parameter of the participants.
type Agreement struct {
	Name      string           `json:"name"`
	Rank      finite.Number    `json:"rank"`      // median correlation of the ranks of participants' posterior means
	LowRank   finite.Number    `json:"rank_q10"`  // the 10th percentile of that correlation
	Spread    finite.Number    `json:"spread"`    // median ratio of the standard deviation of the participants' means to the reference's
	Inflated  finite.Number    `json:"inflated"`  // share of expressions with a larger spread than the reference
	Shift     finite.Number    `json:"shift"`     // median difference between the mean over participants and the reference's, in the parameter's unit
	Bound     int              `json:"at_bound"`  // number of expressions for which at least half of the participants' values, or the shared value, are at an end of the range
	Reference [2]finite.Number `json:"reference"` // the smallest and the largest posterior mean under the reference
}

// Shift compares a coefficient of the regression under the expressions with that under the reference.
type Shift struct {
	Coefficient                  // the coefficient under the reference
	Median      finite.Number    `json:"median"`   // median of the expressions' posterior means
	Interval    [2]finite.Number `json:"interval"` // 5th and 95th percentiles of these means
}

// Beside holds the figures of one model that is not an expression.
type Beside struct {
	Fit
	Agreement []Agreement `json:"agreement"` // agreement with the reference; these are the model's own figures, not medians
}

// Compare compares fits, of which the first is the reference.
func Compare(h Header, all []Fit) *Summary {
	s := &Summary{Study: h.Settings.Study(), Params: []Agreement{}, Shifts: []Shift{}}
	if len(all) == 0 {
		return s
	}
	reference := &all[0]
	s.Reference, s.OfReference = reference.Model, finite.Number(reference.Seconds)
	var good []*Fit
	var seconds []float64
	for i := range all {
		f := &all[i]
		if f.Kind != Expression {
			s.Models = append(s.Models, Beside{*f, agreements(reference, []*Fit{f})})
			continue
		}
		s.Expressions++
		if f.Failed != "" {
			s.Failed++
		}
		if f.Converged() {
			good, seconds = append(good, f), append(seconds, f.Seconds)
			if f.Seconds > reference.Seconds {
				s.Slower++
			}
		}
	}
	s.Converged, s.Seconds = len(good), finite.Number(statistic.Median(seconds))
	s.Params = agreements(reference, good)
	s.Shifts = shifts(reference, good)
	return s
}

// agreements compares fits with the reference, parameter by parameter. It ignores fits that failed.
func agreements(reference *Fit, fits []*Fit) []Agreement {
	all := []Agreement{}
	for j := range reference.Params {
		p := &reference.Params[j]
		a := Agreement{Name: p.Name}
		truth := p.means()
		var rank, spread, shift []float64
		inflated := 0
		for _, f := range fits {
			own := f.param(p.Name)
			if own == nil || len(own.Levels) != len(truth) {
				continue
			}
			means := own.means()
			shift = append(shift, statistic.Mean(means)-statistic.Mean(truth))
			if p.Varies && own.Varies {
				ratio := sd(means) / sd(truth)
				rank, spread = append(rank, statistic.Spearman(means, truth)), append(spread, ratio)
				if ratio > 1 {
					inflated++
				}
			}
			if own.bound() {
				a.Bound++
			}
		}
		a.Rank, a.LowRank, a.Spread, a.Shift = median(rank), low(rank), median(spread), median(shift)
		a.Inflated = finite.Number(float64(inflated) / float64(len(spread))) // NaN without any fit
		a.Reference = [2]finite.Number{finite.Number(slices.Min(truth)), finite.Number(slices.Max(truth))}
		all = append(all, a)
	}
	return all
}

func (f *Fit) param(name string) *Param {
	for i := range f.Params {
		if f.Params[i].Name == name {
			return &f.Params[i]
		}
	}
	return nil
}

func (p *Param) means() []float64 {
	x := make([]float64, len(p.Levels))
	for i, l := range p.Levels {
		x[i] = l.Mean
	}
	return x
}

// bound reports whether at least half of the levels are at an end of their range.
func (p *Param) bound() bool {
	n := 0
	for _, l := range p.Levels {
		if l.Bound {
			n++
		}
	}
	return 2*n >= len(p.Levels) && n > 0
}

// shifts compares coefficients by name.
func shifts(reference *Fit, fits []*Fit) []Shift {
	all := []Shift{}
	for _, c := range reference.Coefficients {
		var means []float64
		for _, f := range fits {
			for _, own := range f.Coefficients {
				if own.Name == c.Name {
					means = append(means, float64(own.Mean))
				}
			}
		}
		s := Shift{Coefficient: c, Median: median(means), Interval: [2]finite.Number{finite.Number(math.NaN()), finite.Number(math.NaN())}}
		if slices.Sort(means); len(means) > 0 {
			s.Interval = [2]finite.Number{finite.Number(statistic.Quantile(means, 0.05)), finite.Number(statistic.Quantile(means, 0.95))}
		}
		all = append(all, s)
	}
	return all
}

// median returns the median of the defined values.
func median(x []float64) finite.Number { return finite.Number(statistic.Median(defined(x))) }

// low returns the 10th percentile of the defined values.
func low(x []float64) finite.Number {
	x = defined(x)
	if slices.Sort(x); len(x) == 0 {
		return finite.Number(math.NaN())
	}
	return finite.Number(statistic.Quantile(x, 0.1))
}

func defined(x []float64) []float64 { return slices.DeleteFunc(slices.Clone(x), math.IsNaN) }

func sd(x []float64) float64 {
	squares, m := 0.0, statistic.Mean(x)
	for _, v := range x {
		squares += (v - m) * (v - m)
	}
	return math.Sqrt(squares / float64(len(x)-1))
}
