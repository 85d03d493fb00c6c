package evidence

import (
	"math"
	"testing"

	"likc/runtime/model/kernel"
)

// thresholdText is a process whose drift is applied to the density without it.
const thresholdText = `model threshold {
  trial rt positive param v in [0.5, 5] param b in [0.3, 3] param t in [0, 1]
  evidence x after t { start 0 drift v upper b }
}`

// BenchmarkTrials: value and gradient of 1,000 trials. Of urgency at one parameter vector and of ten distinct drifts, of a threshold, and of a task of conflict
// with its two conditions.
func BenchmarkTrials(b *testing.B) {
	urgency, dmc, threshold := density(b, urgencyText), density(b, dmcText), density(b, thresholdText)
	const n = 1000
	rt, choice, congruent, drifts := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		rt[i], choice[i], congruent[i], drifts[i] = 0.4+0.001*float64(i), 1-2*float64(i&1), 1-float64(i&2), 0.5+0.2*float64(i%10)
	}
	one := func(theta []float64) (columns [][]float64) {
		for _, x := range theta {
			columns = append(columns, []float64{x})
		}
		return columns
	}
	ten := one([]float64{1, 1, 0.5, 0.3, 1, 1})
	ten[0] = drifts
	for _, c := range []struct {
		name    string
		density *Density
		columns [][]float64
		theta   [][]float64
	}{
		{"urgency", urgency, [][]float64{rt}, one([]float64{1, 1, 0.5, 0.3, 1, 1})},
		{"ten drifts", urgency, [][]float64{rt}, ten},
		{"threshold", threshold, [][]float64{rt}, one([]float64{1, 1, 0.3})},
		{"conflict", dmc, [][]float64{rt, congruent}, one([]float64{4.2, 0.38, 0.3, 0.03, 0.05, 2, 0.1, 3})},
	} {
		b.Run(c.name, func(b *testing.B) {
			rows, err := c.density.Rows(kernel.Trials{Columns: c.columns, Choice: choice})
			if err != nil {
				b.Fatal(err)
			}
			logp, grad := make([]float64, n), make([][]float64, c.density.dim)
			for p := range grad {
				grad[p] = make([]float64, n)
			}
			b.ReportAllocs()
			for b.Loop() {
				rows.Each(c.theta, logp, grad)
			}
			sum := 0.0
			for _, x := range logp {
				sum += x
			}
			if math.IsNaN(sum) {
				b.Fatal("not a number")
			}
		})
	}
}
