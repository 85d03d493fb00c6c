package fit

import (
	"context"
	"math"

	"likc/runtime/model/kernel"
)

// LapseRecord is the part of summary.json that says where lapses are uniform.
type LapseRecord struct {
	Low     float64 `json:"low"` // beginning of the window of response times, in seconds
	High    float64 `json:"high"`
	Choices int     `json:"choices"`
}

// mostLapseDraws is over how many draws, evenly spaced, a trial's probability of being a lapse is averaged.
const mostLapseDraws = 1000

// lapses computes each trial's posterior probability of being a lapse: p u / ((1-p) f + p u), averaged over draws.
func (f *fitter) lapses(ctx context.Context, r *Result) {
	r.Summary.Lapse = &LapseRecord{Low: f.Lapse.Window.Low, High: f.Lapse.Window.High, Choices: f.Lapse.Choices}
	if f.PriorOnly {
		return // draws from the priors say nothing of a trial
	}
	rows, err := f.Lapse.Rows(kernel.Responses(r.Columns[0], r.Choice))
	if err != nil {
		return // it was bound before
	}
	uniform := make([]float64, rows.N())
	for i, rt := range r.Columns[0] {
		choice := 0.0
		if r.Choice != nil {
			choice = r.Choice[i]
		}
		uniform[i] = f.Lapse.Uniform(rt, choice)
	}
	d, at := r.Draws.Common(), r.Study.Rows()
	r.Lapses = lapseProbabilities(ctx, rows, uniform, len(d.Chains)*d.Len(), func(k int) [][]float64 {
		at.Draw(d, k/d.Len(), k%d.Len())
		return at.All()
	})
}

// lapseProbabilities averages over total draws; uniform has each trial's density of a lapse.
func lapseProbabilities(ctx context.Context, rows kernel.Rows, uniform []float64, total int, at func(k int) [][]float64) []float64 {
	n := min(total, mostLapseDraws)
	mean, logp := make([]float64, rows.N()), make([]float64, rows.N())
	for k := range n {
		if ctx.Err() != nil {
			return nil
		}
		theta := at(k * total / n)
		rows.Each(theta, logp, nil)
		for i, x := range logp {
			mean[i] += kernel.At(theta[len(theta)-1], i) * uniform[i] * math.Exp(-x) / float64(n)
		}
	}
	return mean
}
