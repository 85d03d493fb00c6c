package spline

import (
	"math"
	"strings"
	"testing"

	"likc/runtime/model/kernel"
)

// TestBindBlocks checks that the log-likelihood of many blocks is the sum over blocks, and that its gradient consists
// of the blocks' gradients. Some blocks have responses at only one boundary, and one has no trials. There are more
// blocks than pass through the networks together.
func TestBindBlocks(t *testing.T) {
	s := untrained(t, "ornstein")
	m, dim := s.frame.Model, s.frame.Model.Dim()
	rt, choice := simulated(t, m, thetas(m, 1)[0], 400)
	var blocks []kernel.Trials
	for k := range 33 {
		b := kernel.Trials{Columns: [][]float64{rt[10*k : 10*k+k%11]}, Choice: append([]float64{}, choice[10*k:10*k+k%11]...)}
		for i := range b.Choice {
			if k%3 == 0 {
				b.Choice[i] = 1
			}
		}
		blocks = append(blocks, b)
	}
	lik, err := s.SumBlocks(blocks)
	if err != nil {
		t.Fatal(err)
	}
	var theta []float64
	for _, at := range thetas(m, len(blocks)) {
		at[m.Index("t")] = 0.001
		theta = append(theta, at...)
	}
	grad, sum := make([]float64, len(theta)), 0.0
	value := lik.LogLikGrad(theta, grad)
	for k, b := range blocks {
		one, err := s.Sum(kernel.Responses(b.Columns[0], b.Choice))
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float64, dim)
		sum += one.LogLikGrad(theta[k*dim:(k+1)*dim], want)
		for j, d := range want {
			if got := grad[k*dim+j]; math.Abs(got-d) > 1e-10*max(1, math.Abs(d)) {
				t.Errorf("block %d, derivative %d: %v, alone %v", k+1, j, got, d)
			}
		}
	}
	if lik.Dim() != len(theta) || math.Abs(value-sum) > 1e-10*math.Abs(sum) || math.Abs(lik.LogLik(theta)-sum) > 1e-10*math.Abs(sum) {
		t.Errorf("%v with and %v without a gradient, blocks alone %v", value, lik.LogLik(theta), sum)
	}
	theta[20*dim+m.Index("t")] = 100
	if value := lik.LogLikGrad(theta, grad); !math.IsInf(value, -1) || grad[0] != 0 {
		t.Errorf("a block outside its support: %v with gradient %v…", value, grad[0])
	}
	blocks[7].Choice[2] = 0
	if _, err := s.SumBlocks(blocks); err == nil || !strings.Contains(err.Error(), "block 8: trial 3: choice 0") {
		t.Errorf("a choice of 0: %v", err)
	}
}
