package evidence

import (
	"math"
	"testing"

	"likc/runtime/model/kernel"
	"likc/runtime/model/ssm"
)

// A normal onset convolves the exact density with a normal curve, here summed on a fine grid, down to 1e-8 of the peak: long after the solution has ended too.
func TestNormalOnset(t *testing.T) {
	d := density(t, `model ddm {
  trial rt positive  choice c
  param v in [-6, 6] param a in [0.3, 2.5] param z in [0.1, 0.9] param t in [0, 2] param st in [0, 0.2]
  evidence x after normal(t, st) { start a*(2*z - 1) drift v upper a }
}`)
	p, err := ssm.Lookup("ddm")
	if err != nil {
		t.Fatal(err)
	}
	worst, worstSlope, compared := 0.0, 0.0, 0
	grad, own := make([]float64, 5), make([]float64, 4)
	for _, theta := range [][]float64{{4, 1.05, 0.5, 0.5, 0.08}, {1, 0.8, 0.4, 0.4, 0.15}, {-3, 1.5, 0.6, 0.6, 0.03}} {
		curve := d.At(theta, nil, 6.05)
		sd := theta[4]
		peak := math.Inf(-1)
		for k := range 120 {
			peak = max(peak, curve.Log(0.1+0.05*float64(k), 0, nil), curve.Log(0.1+0.05*float64(k), 1, nil))
		}
		for k := range 120 {
			rt := 0.1 + 0.05*float64(k)
			for c, choice := range []float64{1, -1} {
				const steps = 4000
				h := 16 * sd / steps
				sum, slopes := 0.0, [5]float64{}
				for i := range steps + 1 {
					z := -8 + 16*float64(i)/steps
					if rt-theta[3]-sd*z <= 0 {
						continue
					}
					f := math.Exp(p.LogDensityGrad(rt-sd*z, choice, theta[:4], own)-z*z/2) / math.Sqrt(2*math.Pi) * h / sd
					sum += f
					for j, g := range own {
						slopes[j] += f * g
					}
					slopes[4] += f * (z*z - 1) / sd
				}
				want := math.Log(sum)
				if !(want > peak+math.Log(1e-8)) {
					continue
				}
				compared++
				got := curve.Log(rt, c, grad)
				worst = max(worst, math.Abs(got-want)/max(1, math.Abs(want)))
				for j := range slopes {
					worstSlope = max(worstSlope, math.Abs(grad[j]-slopes[j]/sum)/max(1, math.Abs(slopes[j]/sum)))
				}
			}
		}
	}
	t.Logf("%d densities: largest error of the log density %.2g, of a derivative %.2g", compared, worst, worstSlope)
	if compared < 150 || !(worst < 1e-5) || !(worstSlope < 1e-4) {
		t.Errorf("%d densities: error %.3g of the log density, %.3g of a derivative", compared, worst, worstSlope)
	}
}

// TestSpreadsDiffer: trials that differ in the standard deviation of the onset alone have the densities that each has by itself.
func TestSpreadsDiffer(t *testing.T) {
	d := density(t, dmcText)
	rt, congruent, choice := []float64{0.4, 0.5, 0.6}, []float64{1, 1, 1}, []float64{1, 1, 1}
	rows, err := d.Rows(kernel.Trials{Columns: [][]float64{rt, congruent}, Choice: choice})
	if err != nil {
		t.Fatal(err)
	}
	theta, spreads := [][]float64{{4.2}, {0.38}, {0.3}, nil, {0.05}, {2}, {0.1}, {3}}, []float64{0.03, 0.06, 0.03}
	together, alone := make([]float64, 3), make([]float64, 3)
	theta[3] = spreads
	rows.Each(theta, together, nil)
	for i, sd := range spreads {
		theta[3] = []float64{sd}
		if rows.Each(theta, alone, nil); !(math.Abs(together[i]-alone[i]) < 1e-6) {
			t.Errorf("trial %d, standard deviation %v: log density %v beside the others, %v by itself", i+1, sd, together[i], alone[i])
		}
	}
}

// TestSlowestTrial: where a process goes on after the slowest trial, the density of that trial is what it is beside a slower one.
func TestSlowestTrial(t *testing.T) {
	d := density(t, dmcText)
	theta := []float64{0.54, 1.15, 0.55, 0.04, 0.14, 2.1, 0.22, 7}
	short, long := make([]float64, 8), make([]float64, 8)
	for _, most := range []float64{1, 2, 3, 5.27} {
		got, want := d.At(theta, []float64{0}, most).Log(most, 0, short), d.At(theta, []float64{0}, most+3).Log(most, 0, long)
		if !(math.Abs(got-want) < 1e-7) {
			t.Errorf("log density at %v s: %v, but %v beside a slower trial", most, got, want)
		}
		for p := range short {
			if !(math.Abs(short[p]-long[p]) < 1e-5*max(1, math.Abs(long[p]))) {
				t.Errorf("derivative %d at %v s: %v, but %v beside a slower trial", p, most, short[p], long[p])
			}
		}
	}
}

// TestStartOnBoundary: where starts reach up to a boundary that moves, without what is irrelevant, as evidence does, logarithms of densities that
// are too small to be known, and their derivatives, are numbers. A NaN there would be in the gradient of all trials.
func TestStartOnBoundary(t *testing.T) {
	d := density(t, dmcText)
	c := d.At([]float64{8.9, 1.14, 0.34, 0.08, 0.2, 2.35, 0.14, 2.65}, []float64{0}, 4.8)
	v := &c.space.work[0].equations
	for k := range 2 {
		for at := range v.sol.last[k] {
			v.asymptote(k, at)
			for p, x := range append(v.sol.log[k].d[at*v.dim:(at+1)*v.dim:(at+1)*v.dim], v.sol.log[k].v[at]) {
				if x-x != 0 {
					t.Fatalf("boundary %d, node %d, %d: %v", k, at, p, x)
				}
			}
		}
	}
}
