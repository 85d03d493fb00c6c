package evidence

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"likc/runtime/model/kernel"
)

// The sums and rows of processes keep the contract of package kernel.
func TestKernel(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		text   string
		points [][]float64
		slack  float64 // error of a derivative of 15 trials
	}{
		{urgencyText, [][]float64{{1, 1.2, 0.4, 0.3, 1.5, 0.7}, {-2, 0.6, 0.7, 0.1, 0, 0}, {1, 1, 0.5, 9, 1, 1}, {1, 1, 1.2, 0.3, 1, 1}}, 0},
		{leakText, [][]float64{{0.7, 1, 0.5, 0.1, 1.5, 0.3}}, 0},
		// At the onset the drift is as steep in the exponent a = 2 as log τ, so that the derivative by a is right to 2e-6 a trial: differences over 0.01
		// and 0.001, on the usual and on a finer grid, are all -0.02678. The derivative by the shape of the start misses 6e-7 in all.
		{dmcText, [][]float64{{4.2, 0.4, 0.3, 0.03, 0.03, 2, 0.08, 3}}, 15 * 2e-6},
		{raceText, [][]float64{{2, 1.5, 0.5, 1.2, 0.5, 0.2}}, 0},
	} {
		if len(c.points[0]) == 8 && os.Getenv("LIKC_LONG") == "" {
			continue // many parameters take long
		}
		d := density(t, c.text)
		trials := kernel.Trials{Columns: make([][]float64, len(d.Model.Trials))}
		codes := d.Model.Codes()
		for range 15 {
			for j := range trials.Columns {
				x := 0.35 + r.Float64()
				if j != d.time {
					x = float64(r.IntN(2))
				}
				trials.Columns[j] = append(trials.Columns[j], x)
			}
			trials.Choice = append(trials.Choice, codes[r.IntN(len(codes))])
		}
		rows, err := d.Rows(trials)
		if err != nil {
			t.Fatal(err)
		}
		sum := kernel.SumOf(rows)
		kernel.CheckWithin(t, sum, c.points, 100, c.slack) // derivatives have fewer digits than differences of exact densities
	}
}

// TestLateDensity: far below its peak, where a density is continued, values change as the derivatives say. A chain that starts with such trials finds
// its way by them.
func TestLateDensity(t *testing.T) {
	d := density(t, `model m {
  trial rt positive  choice c
  param v in [-3, 3] param a in [0.3, 2.5] param k in [0, 2] param t in [0, 2]
  evidence x after t { start 0 drift v upper a*exp(-k*tau) }
}`)
	trials := kernel.Trials{Columns: make([][]float64, 1)}
	for k := range 40 {
		trials.Columns[0] = append(trials.Columns[0], 0.4+0.1*float64(k))
		trials.Choice = append(trials.Choice, float64(1-2*(k%2)))
	}
	rows, err := d.Rows(trials)
	if err != nil {
		t.Fatal(err)
	}
	sum, grad := kernel.SumOf(rows), make([]float64, 4)
	for _, theta := range [][]float64{{1.8, 1.1, 0.99, 0.27}, {0.5, 0.6, 1.5, 0.3}, {-2, 1, 0.7, 0.1}, {1, 0.5, 0.1, 0.2}, {0.3, 1.4, 1.9, 0.05}} {
		value := sum.LogLikGrad(theta, grad)
		for p := range theta {
			for _, step := range []float64{1e-3, 1e-4} {
				at := slices.Clone(theta)
				at[p] += step
				up := sum.LogLik(at)
				at[p] -= 2 * step
				if by := (up - sum.LogLik(at)) / (2 * step); !(math.Abs(by-grad[p]) <= 0.06*(math.Abs(by)+1)) { // the slope is that of the last reliable nodes, which move with the parameters
					t.Errorf("log-likelihood %.0f at %v: derivative %d is %v, differences over %v say %v", value, theta, p, grad[p], step, by)
				}
			}
		}
	}
}

// TestQuickCollapse: the later after its peak, the smaller is a density between boundaries that collapse faster and faster, also where it is far too
// small to be solved for.
func TestQuickCollapse(t *testing.T) {
	d := density(t, `model m {
  trial rt positive  choice c
  param v in [-2.5, 2.5] param a in [0.3, 2.5] param z in [0.2, 0.8] param t in [0, 2] param k in [0.3, 5] param b in [0.3, 7]
  evidence x after t { start a*(2*z - 1) drift v upper a*exp(-(tau/b)^k) }
}`)
	for _, theta := range [][]float64{{1.5, 1.84, 0.277, 1.739, 2.16, 4.55}, {0, 1, 0.5, 0.1, 5, 0.4}, {-2, 2, 0.3, 0, 3, 2}} {
		for _, most := range []float64{4, 16, 64, 1000} {
			curve := d.At(theta, nil, theta[3]+most)
			for choice := range 2 {
				before, top := math.Inf(1), math.Inf(-1)
				for tau := 0.01; tau < most; tau *= 1.02 {
					log := curve.Log(theta[3]+tau, choice, nil)
					if top = max(top, log); log < top-20 && tau > 0.3 && log > before+1e-9*math.Abs(before) || log != log {
						t.Fatalf("%v up to %v: the log density of choice %d grows from %v to %v at %v", theta, most, choice, before, log, tau)
					}
					before = log
				}
			}
		}
	}
}
