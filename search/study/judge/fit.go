package judge

import (
	"math"
	"slices"
	"strings"

	"likc/runtime/fit/hierarchy"
	"likc/runtime/fit/nuts"
	"likc/runtime/model/timing"
	"likc/runtime/num/chains"
	"likc/runtime/num/finite"
	"likc/runtime/num/statistic"
	"likc/search/study"
)

// Fit is the fit of one subject.
type Fit struct {
	Subject int             `json:"subject"`
	Trials  int             `json:"trials"`
	Rarer   int             `json:"rarer"` // number of trials with the rarest choice
	Truth   []finite.Number `json:"truth"`
	Mean    []finite.Number `json:"mean"` // posterior means, or for a screen the mode; NaN if the fit failed
	SD      []finite.Number `json:"sd"`

	// These are quantiles of the posterior at 5, 25, 75 and 95 %, the ends of its central 90 % and 50 % intervals. They are NaN
	// for modes and if the fit failed.
	Q5  []finite.Number `json:"q5,omitempty"`
	Q25 []finite.Number `json:"q25,omitempty"`
	Q75 []finite.Number `json:"q75,omitempty"`
	Q95 []finite.Number `json:"q95,omitempty"`

	Rhat        finite.Number `json:"rhat"` // the largest R-hat of all parameters; NaN for modes
	Divergences int           `json:"divergences"`
	Gradients   int           `json:"gradients"`
	Limited     bool          `json:"limited,omitempty"` // whether the limit on gradients cut the fit short
	Error       string        `json:"error,omitempty"`   // why the fit failed; "" if it did not

	seconds seconds // processor time of the fit, by kind of work
}

// newFit returns a candidate's fit of a case. columns are the indices of the candidate's parameters in the case's truth.
func newFit(columns []int, codes []float64, c *study.Case, f *study.Fitted) Fit {
	out := Fit{Subject: c.ID, Trials: len(c.Columns[0]), Rarer: rarest(c.Choice, codes), Rhat: undefined(), Gradients: f.Gradients, Limited: f.Limited,
		seconds: seconds{binding: f.Binding}}
	for _, k := range columns {
		out.Truth = append(out.Truth, finite.Number(c.Truth[k]))
		for _, figure := range []*[]finite.Number{&out.Mean, &out.SD, &out.Q5, &out.Q25, &out.Q75, &out.Q95} {
			*figure = append(*figure, undefined())
		}
	}
	switch {
	case f.Err != nil:
		out.Error = f.Err.Error()
	case f.Draws == nil:
		copy(out.Mean, finite.Numbers(f.Mode))
	default:
		start := timing.ThreadSeconds()
		out.describe(f.Draws)
		out.seconds.summaries = timing.ThreadSeconds() - start
		if f.Gradients > 0 {
			out.seconds.gradient = gradientSeconds(f.Problem, f.Draws) * float64(f.Gradients)
		}
	}
	return out
}

// describe sets the figures that follow from the draws. Parameters that are not judged count only for R-hat.
func (f *Fit) describe(d *chains.Draws) {
	rhat := math.Inf(-1)
	for j := range d.Names {
		x := d.Param(j)
		rhat = max(rhat, chains.QuickRhat(x))
		if j >= len(f.Mean) {
			continue
		}
		f.Mean[j], f.SD[j] = finite.Number(chains.Mean(x)), finite.Number(chains.SD(x))
		sorted := slices.Concat(x...)
		slices.Sort(sorted)
		for level, quantile := range map[float64][]finite.Number{0.05: f.Q5, 0.25: f.Q25, 0.75: f.Q75, 0.95: f.Q95} {
			quantile[j] = finite.Number(statistic.Quantile(sorted, level))
		}
	}
	f.Rhat, f.Divergences = finite.Number(rhat), d.Divergences()
}

// fitter returns the fitter of a candidate with the given Bind.
func (s Settings) fitter(bind study.Bind) study.Fitter {
	if s.Screen {
		return study.Modes{Bind: bind}
	}
	return study.Draws{Bind: bind, Sampler: s.sampler(), Limit: s.MaxGradients}
}

// sampler returns the sampler's settings, which are the same for every subject.
func (s Settings) sampler() nuts.Settings {
	n := s.NUTS(s.Seed)
	if s.Metric != "" {
		n.Metric = s.Metric
	}
	n.Init = s.Init
	if s.Prepare != nil {
		s.Prepare(&n)
	}
	return n
}

// cause returns the kind of a failure. Its text is the same for all subjects that fail for the same reason.
func cause(failure string) string {
	switch {
	case strings.Contains(failure, hierarchy.ErrLimit.Error()):
		return "more gradients than the limit before there were draws to judge by"
	case strings.Contains(failure, "initial values"), strings.Contains(failure, "no place with a density"):
		return "no start with a finite density and gradient"
	}
	line, _, _ := strings.Cut(failure, "\n")
	return line
}

// undefined returns a number without a value.
func undefined() finite.Number { return finite.Number(math.NaN()) }
