package fit

import (
	"context"
	"fmt"
	"math"

	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/lapse"
	"likc/runtime/model/trials"
	"likc/runtime/num/finite"
)

// LapseRecord is the part of summary.json that describes the response times and choices of lapses.
type LapseRecord struct { // start of the window of response times, in seconds
	Low     finite.Number `json:"low"`  // start of the window of response times, in seconds
	High    finite.Number `json:"high"` // end of the window, in seconds
	Choices int           `json:"choices"`
	Times   string        `json:"times,omitempty"` // text for [lapse.ParseTimes]; "" in old fits, whose times are uniform in the window
}

// newLapseRecord records lapses of a model.
func newLapseRecord(l lapse.Lapses, choices int) *LapseRecord {
	low, high := l.Times.Range()
	return &LapseRecord{Low: finite.Number(low), High: finite.Number(high), Choices: max(1, choices), Times: l.Times.Text()}
}

// Read parses the response times of lapses.
func (r *LapseRecord) Read() (lapse.Times, error) {
	if r.Times == "" {
		return lapse.Window{Low: float64(r.Low), High: float64(r.High)}, nil
	}
	return lapse.ParseTimes(r.Times)
}

// TimesFor returns a distribution of lapses' response times in which the numbers that depend on the data are set. It returns an
// error for a response time that no lapse can have. A trial without response counts with its deadline.
func TimesFor(m *catalog.Model, of lapse.Times, subjects []Subject) (lapse.Times, error) {
	largest := 0.0
	for i := range subjects {
		for _, rt := range subjects[i].Times(m) {
			largest = max(largest, rt)
		}
	}
	of = of.ForData(largest)
	for i := range subjects {
		s := &subjects[i]
		for row, rt := range s.Times(m) {
			if answered := s.Choice == nil || s.Choice[row] != trials.Omitted; answered && of.Density(rt) == 0 {
				return nil, s.Name(fmt.Errorf("%s: no lapse has the response time %.6g s: they are %s", s.nameTrial(row), rt, of))
			}
		}
	}
	return of, nil
}

// mostLapseDraws is the largest number of draws over which a trial's probability of being a lapse is averaged.
const mostLapseDraws = 1000

// lapses computes each trial's posterior probability of being a lapse: p u / ((1-p) f + p u), averaged over draws.
func (f *fitter) lapses(ctx context.Context, r *Result, of lapse.Lapses) {
	m := f.spec.Model
	r.Summary.Lapse = newLapseRecord(of, len(m.Codes()))
	if f.PriorOnly {
		return // draws from the priors contain no information about trials
	}
	t := kernel.Trials{Columns: r.Columns, Choice: r.Choice, Person: r.Person}
	rows, err := f.binder.Rows(t)
	if err != nil {
		return // cannot happen: the trials were bound before
	}
	lapse := of.Densities(m, t)
	d, at := r.Draws.Common(), r.Study.Rows()
	r.Lapses = lapseProbabilities(ctx, rows, lapse, len(d.Chains)*d.Len(), func(k int) [][]float64 {
		at.Draw(d, k/d.Len(), k%d.Len())
		return at.All()
	})
}

// lapseProbabilities averages each trial's probability of being a lapse over at most mostLapseDraws of `total` draws. lapse holds
// the density of each trial if it is a lapse; at returns the parameters at draw k.
func lapseProbabilities(ctx context.Context, rows kernel.Rows, lapse []float64, total int, at func(k int) [][]float64) []float64 {
	n := min(total, mostLapseDraws)
	mean, logp := make([]float64, rows.N()), make([]float64, rows.N())
	for k := range n {
		if ctx.Err() != nil {
			return nil
		}
		theta := at(k * total / n)
		rows.Each(theta, logp, nil)
		for i, x := range logp {
			mean[i] += kernel.At(theta[len(theta)-1], i) * lapse[i] * math.Exp(-x) / float64(n)
		}
	}
	return mean
}
