package fit

import (
	"context"
	"math"

	"likc/runtime/fit/hierarchy"
	"likc/runtime/model/kernel"
	"likc/runtime/num/chains"
)

// LapseRecord is the part of summary.json that says where lapses are uniform.
type LapseRecord struct {
	Low     float64 `json:"low"` // of the window of response times, in seconds
	High    float64 `json:"high"`
	Choices int     `json:"choices"`
}

// mostLapseDraws is over how many draws, evenly spaced, a trial's probability of being a lapse is averaged.
const mostLapseDraws = 1000

// lapses computes each trial's posterior probability of being a lapse: p u / ((1-p) f + p u), averaged over draws.
func (f *fitter) lapses(ctx context.Context, r *Result) {
	if f.Lapse == nil || r.Summary == nil || r.Draws == nil {
		return
	}
	r.lapses(ctx, f.Settings, func() (int, func(k int) [][]float64) {
		theta := f.spec.rowsOf(r.Draws.Common())
		return len(theta), func(k int) [][]float64 { return kernel.Fixed(theta[k]) }
	})
}

// studyLapses is lapses for a study: each draw has parameters for each trial.
func (r *Result) studyLapses(ctx context.Context, study *hierarchy.Study, d *chains.Draws, s Settings) {
	if s.Lapse == nil {
		return
	}
	r.lapses(ctx, s, func() (int, func(k int) [][]float64) {
		rows, at := study.Rows(), make([]float64, len(study.Model().Params))
		theta := make([][]float64, len(at))
		for j := range theta {
			theta[j] = make([]float64, r.Trials())
		}
		return len(d.Chains) * d.Len(), func(k int) [][]float64 {
			rows.Draw(d, k/d.Len(), k%d.Len())
			for i := range r.Trials() {
				rows.Theta(i, at)
				for j, x := range at {
					theta[j][i] = x
				}
			}
			return theta
		}
	})
}

// lapses takes the number of draws, and the parameters at one of them: one number for all trials, or one a trial.
func (r *Result) lapses(ctx context.Context, s Settings, draws func() (n int, at func(k int) [][]float64)) {
	r.Summary.Lapse = &LapseRecord{Low: s.Lapse.Window.Low, High: s.Lapse.Window.High, Choices: s.Lapse.Choices}
	if s.PriorOnly {
		return // draws from the priors say nothing of a trial
	}
	rows, err := s.Lapse.Rows(kernel.Responses(r.Columns[0], r.Choice))
	if err != nil {
		return // it was bound before
	}
	uniform := make([]float64, rows.N())
	for i, rt := range r.Columns[0] {
		choice := 0.0
		if r.Choice != nil {
			choice = r.Choice[i]
		}
		uniform[i] = s.Lapse.Uniform(rt, choice)
	}
	n, at := draws()
	r.Lapses = lapseProbabilities(ctx, rows, uniform, n, at)
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
