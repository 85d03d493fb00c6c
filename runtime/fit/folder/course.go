package folder

import (
	"context"
	"math"
	"slices"

	"likc/runtime/fit"
	"likc/runtime/fit/figure"
	"likc/runtime/model/trials"
	"likc/runtime/num/statistic"
)

// courseFigure shows how often each choice is made in the course of the trials, beside predictions.
const courseFigure = "course"

// These are the number of draws in the figure of the course of choices, and the largest number of its bins.
const (
	courseDraws = 100
	courseBins  = 12
)

// courses returns the figure of how often each choice is made in the course of the trials. It is drawn for models in which a
// trial depends on earlier trials.
func (f *Folder) courses(ctx context.Context, r *fit.Result) []plannedFigure {
	m := f.Spec.Model
	if !m.Stateful() || m.Choice == "" {
		return nil
	}
	return []plannedFigure{{courseFigure, func() (*figure.Figure, error) {
		c := newCourse(positions(m.Trials, r), r.Choice)
		if len(c.at) == 0 {
			return nil, nil
		}
		codes := m.Codes()
		if len(codes) == 2 {
			codes = []float64{slices.Max(codes)} // the other choice has the remaining share
		}
		observed, predicted := c.shares(r.Choice, codes), make([][][]float64, len(codes))
		err := r.Predictor(f.Simulator, f.Seed).Each(ctx, r.Draws.Common(), courseDraws, func(_ int, _, choice []float64) error {
			for k, shares := range c.shares(choice, codes) {
				predicted[k] = append(predicted[k], shares)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		var panels []figure.Comparison
		for k, code := range codes {
			panels = append(panels, c.panel(f.nameOf(r).Of(code), observed[k], predicted[k]))
		}
		return figure.Comparisons(panels)
	}}}
}

// positions returns the number of each trial, from 1, since the participant's first trial or since the states were restarted.
func positions(columns []string, r *fit.Result) []int {
	all, last := make([]int, r.Trials()), map[int32]int{}
	restarts := r.Columns[len(columns):]
	for i := range all {
		who := int32(0)
		if r.Person != nil {
			who = r.Person[i]
		}
		before, seen := last[who]
		fresh := !seen || slices.ContainsFunc(restarts, func(c []float64) bool { return c[i] != c[before] })
		if all[i] = 1; !fresh {
			all[i] += all[before]
		}
		last[who] = i
	}
	return all
}

// course divides trials into bins by their positions.
type course struct {
	bin []int     // for each trial, the index of its bin; -1 for a trial without response, which is left out
	at  []float64 // for each bin, the mean position of its trials
}

// newCourse divides the trials with a response into bins of about as many trials each.
func newCourse(positions []int, choice []float64) *course {
	c := &course{bin: make([]int, len(positions))}
	var sorted []int
	for i, at := range positions {
		if c.bin[i] = -1; choice[i] != trials.Omitted {
			sorted = append(sorted, at)
		}
	}
	if len(sorted) == 0 {
		return c
	}
	slices.Sort(sorted)
	var ends []int // for each bin, the first position after it
	for k := 1; k <= courseBins; k++ {
		if end := sorted[max(1, len(sorted)*k/courseBins)-1] + 1; len(ends) == 0 || end > ends[len(ends)-1] {
			ends = append(ends, end)
		}
	}
	counts := make([]float64, len(ends))
	c.at = make([]float64, len(ends))
	for i, at := range positions {
		if choice[i] == trials.Omitted {
			continue
		}
		k, _ := slices.BinarySearch(ends, at+1)
		c.bin[i], c.at[k], counts[k] = k, c.at[k]+float64(at), counts[k]+1
	}
	for k := range c.at {
		c.at[k] /= counts[k]
	}
	return c
}

// shares returns, for each choice and bin, the share of the choice among the bin's responses; NaN for a bin without responses.
func (c *course) shares(choice, codes []float64) [][]float64 {
	counts, all := make([]float64, len(c.at)), make([][]float64, len(codes))
	for k := range all {
		all[k] = make([]float64, len(c.at))
	}
	for i, bin := range c.bin {
		if bin < 0 || choice[i] == trials.Omitted {
			continue
		}
		counts[bin]++
		for k, code := range codes {
			if choice[i] == code {
				all[k][bin]++
			}
		}
	}
	for k := range all {
		for bin, n := range counts {
			all[k][bin] /= n
		}
	}
	return all
}

// panel compares observed shares with the mean and the central 90 % of predicted shares.
func (c *course) panel(title string, observed []float64, predicted [][]float64) figure.Comparison {
	p := figure.Comparison{Title: title, X: "trial since the start", Y: "share of responses", Share: true}
	for bin, at := range c.at {
		var all []float64
		sum := 0.0
		for _, shares := range predicted {
			if x := shares[bin]; !math.IsNaN(x) {
				all, sum = append(all, x), sum+x
			}
		}
		slices.Sort(all)
		p.Add(at, observed[bin], sum/float64(len(all)), statistic.Quantile(all, 0.05), statistic.Quantile(all, 0.95))
	}
	return p
}
