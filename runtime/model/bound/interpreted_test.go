package bound

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"likc/compiler/expr"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/load"
	"likc/testdata"
)

// TestInterpretersAgree compares the interpreter that takes blocks of trials, which runs where there is no Go, with the one that takes trial after
// trial, for all normalised formulas that come with likc but the largest.
func TestInterpretersAgree(t *testing.T) {
	rt, choice := make([]float64, 300), make([]float64, 300)
	for i := range rt {
		rt[i], choice[i] = 0.3+2*math.Pow(float64(i+1)/300, 3), float64(1-2*(i%3/2))
	}
	for _, name := range testdata.DensityNames() {
		if name == "full_ddm_formula" {
			continue // compiling it takes most of a minute
		}
		t.Run(name, func(t *testing.T) {
			m, err := catalog.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			onset := slices.IndexFunc(m.Params, func(p expr.Param) bool { return p.Name == "t" })
			blocks, trials := openAndBind(t, m, Ready, [][]float64{rt}, choice), openAndBind(t, m, IR, [][]float64{rt}, choice)
			got, want := make([]float64, len(m.Params)), make([]float64, len(m.Params))
			for k, theta := range Spread(m, 10) {
				theta[onset] = 0.03 * float64(k)
				scale := sizeOf(t, m, rt, choice, theta)
				value := trials.LogLikGrad(theta, want)
				if x := blocks.LogLikGrad(theta, got); math.IsInf(value, 0) || !(math.Abs(x-value) <= 1e-12*scale) {
					t.Errorf("at %.3g: %v by blocks, %v trial by trial, Σ|terms| %v", theta, x, value, scale)
				}
				if x := blocks.LogLik(theta); !(math.Abs(x-value) <= 1e-12*scale) {
					t.Errorf("at %.3g: %v by blocks without the gradient, %v trial by trial, Σ|terms| %v", theta, x, value, scale)
				}
				for j := range got {
					if !(math.Abs(got[j]-want[j]) <= 1e-11*(scale+math.Abs(want[j]))) { // Σ|terms| of a derivative is not known
						t.Errorf("at %.3g: derivative %d is %v by blocks, %v trial by trial", theta, j, got[j], want[j])
					}
				}
			}
		})
	}
}

// BenchmarkInterpreted measures gradients at 1,000 trials, interpreted, and how many times as long as compiled ones they take. It builds packages for half a minute.
func BenchmarkInterpreted(b *testing.B) {
	if load.OpenPlugin == nil {
		b.Skip("no plugins here: calls of another process take longer")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	rt, pairs, fours := make([]float64, 1000), make([]float64, 1000), make([]float64, 1000)
	for i := range rt {
		rt[i], pairs[i], fours[i] = 0.3+rng.ExpFloat64(), float64(1-2*(i%3/2)), float64(i%4)
	}
	for name, choice := range map[string][]float64{"rdm4": fours, "lba4": fours, "found57": pairs, "ornstein_formula": pairs, "wald_calibrated": pairs} {
		m, err := catalog.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		m.Origin.Builtin = false // so that the package in generated is not used
		interpreted, compiled := openAndBind(b, m, Ready, [][]float64{rt}, choice), openAndBind(b, m, Go, [][]float64{rt}, choice)
		theta := m.Model.PointAt(func(i int) float64 {
			if m.Params[i].Name == "t" {
				return 0.1
			}
			return 0.4
		})
		b.Run(name, func(b *testing.B) {
			grad := make([]float64, len(theta))
			var ratios []float64
			for b.Loop() {
				start := time.Now()
				interpreted.LogLikGrad(theta, grad)
				middle := time.Now()
				compiled.LogLikGrad(theta, grad)
				ratios = append(ratios, float64(middle.Sub(start))/float64(time.Since(middle)))
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "times") // the median, which a busy computer changes little
		})
	}
}

// sizeOf returns Σ|terms| of a log-likelihood.
func sizeOf(t *testing.T, m *catalog.Model, rt, choice, theta []float64) (sum float64) {
	p, err := Open(m, Ready)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := p.Rows(kernel.Responses(rt, choice))
	if err != nil {
		t.Fatal(err)
	}
	each := make([]float64, len(rt))
	rows.Each(kernel.Fixed(theta), each, nil)
	for _, x := range each {
		sum += math.Abs(x)
	}
	return sum
}
