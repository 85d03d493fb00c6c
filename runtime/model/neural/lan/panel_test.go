package lan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// responses draws count trials after a non-decision time.
func responses(r *rand.Rand, t float64, count int) (rt, choice []float64) {
	rt, choice = make([]float64, count), make([]float64, count)
	for i := range rt {
		rt[i] = t + math.Exp(-0.7+0.6*r.NormFloat64())
		choice[i] = float64(2*r.IntN(2) - 1)
	}
	return rt, choice
}

// TestTabulateAgreesWithTrials compares interpolated with plain sums for real
// networks, at parameters over their ranges and a non-decision time just below
// the fastest trial, where the network is roughest.
func TestTabulateAgreesWithTrials(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 0))
	const tolerance = 1e-5
	for _, name := range []string{"ddm", "angle", "weibull", "ornstein"} {
		n := published(t, name)
		var worst, worstGrad float64
		for range 12 {
			theta := make([]float64, n.Dim())
			for i, p := range n.Params {
				theta[i] = n.Lower[i] + r.Float64()*(n.Upper[i]-n.Lower[i])
				if p == "t" {
					theta[i] = 0.1 + 0.5*r.Float64()
				}
			}
			rt, choice := responses(r, 0.3+0.2*r.Float64(), 3000)
			rt[0], rt[1] = 0.05, 12 // a fast guess and a lapse
			plain, err := n.Bind(rt, choice)
			if err != nil {
				t.Fatal(err)
			}
			table, err := n.Tabulate(rt, choice, tolerance)
			if err != nil {
				t.Fatal(err)
			}
			want, got := make([]float64, n.Dim()), make([]float64, n.Dim())
			wantValue, gotValue := plain.LogLikGrad(theta, want), table.LogLikGrad(theta, got)
			if again := table.LogLik(theta); again != gotValue {
				t.Errorf("value %v alone, %v with gradient", again, gotValue)
			}
			worst = max(worst, math.Abs(gotValue-wantValue)/3000)
			for i := range want {
				worstGrad = max(worstGrad, math.Abs(got[i]-want[i])/(3000+math.Abs(want[i])))
			}
		}
		t.Logf("%s: largest error a trial %.2g, of the gradient %.2g", name, worst, worstGrad)
		if !(worst < tolerance) || !(worstGrad < 30*tolerance) {
			t.Errorf("%s: error a trial %v, of the gradient %v", name, worst, worstGrad)
		}
	}
}

// TestPanelWeights checks that a panel's pseudo-trials integrate polynomials
// exactly: Σ ω_k x_k^j is Σ rt_i^j.
func TestPanelWeights(t *testing.T) {
	rt := make([]float64, 400)
	r := rand.New(rand.NewPCG(12, 0))
	for i := range rt {
		rt[i] = 0.5 + float64(r.IntN(1000))/1000
	}
	slices.Sort(rt)
	g := newGroup(1, rt)
	p := newPanel(&g, 0, len(g.rt)/lanes)
	for j := range 8 {
		var want, got float64
		for i, x := range g.rt {
			want += g.weight[i] * math.Pow(float64(x), float64(j))
		}
		for k, x := range p.rt {
			got += p.weight[k] * math.Pow(float64(x), float64(j))
		}
		if !(math.Abs(got-want) <= 1e-6*want) {
			t.Errorf("degree %d: %v by nodes, %v by trials", j, got, want)
		}
	}
}

func TestTabulateRefuses(t *testing.T) {
	n := randomNetwork(rand.New(rand.NewPCG(13, 0)), 2, 3)
	if _, err := n.Tabulate([]float64{1}, []float64{1}, 0); err == nil || !strings.Contains(err.Error(), "tolerance 0") {
		t.Errorf("tolerance 0: %v", err)
	}
	if _, err := n.Tabulate([]float64{1}, []float64{0}, 1); err == nil || !strings.Contains(err.Error(), "trial 1") {
		t.Errorf("choice 0: %v", err)
	}
	if b, err := n.Tabulate(nil, nil, 1); err != nil || b.LogLik([]float64{0, 0}) != 0 {
		t.Errorf("no trials: %v", err)
	}
}

func BenchmarkTabulated(b *testing.B) {
	n := published(b, "ddm")
	for _, count := range []int{100, 1000, 100000} {
		rt, choice := responses(rand.New(rand.NewPCG(14, 0)), 0.3, count)
		bound, err := n.Tabulate(rt, choice, 1e-5)
		if err != nil {
			b.Fatal(err)
		}
		theta, grad := []float64{0.5, 0.9, 0.5, 0.3}, make([]float64, n.Dim())
		b.Run(fmt.Sprintf("value/%d", count), func(b *testing.B) {
			for b.Loop() {
				bound.LogLik(theta)
			}
		})
		b.Run(fmt.Sprintf("gradient/%d", count), func(b *testing.B) {
			for b.Loop() {
				bound.LogLikGrad(theta, grad)
			}
		})
	}
}
