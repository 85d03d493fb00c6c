package evidence

import (
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/syntax"
	"likc/runtime/model/ssm"
)

func read(t testing.TB, text string) *expr.Model {
	t.Helper()
	models, err := syntax.Read("m.lik", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return models[0]
}

func density(t testing.TB, text string) *Density {
	t.Helper()
	d, err := New(read(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const ddmText = `model ddm {
  trial rt positive  choice c
  param v in [-3, 3] param a in [0.3, 2.5] param z in [0.1, 0.9] param t in [0, 2]
  evidence x after t { start a*(2*z - 1) drift v upper a }
}`

const angleText = `model angle {
  trial rt positive  choice c
  param v in [-3, 3] param a in [0.3, 3] param z in [0.1, 0.9] param t in [0, 2] param theta in [-0.1, 1.3]
  evidence x after t { start a*(2*z - 1) drift v upper a - tau*sin(theta)/cos(theta) }
}`

// Processes with an exact density agree with it at random parameters, wherever the density is above exp(-18) of its peak.
func TestExactDensities(t *testing.T) {
	n := 25
	if os.Getenv("LIKC_LONG") != "" {
		n = 500
	}
	for _, c := range []struct{ name, text string }{{"ddm", ddmText}, {"angle", angleText}} {
		value, slope := compareExact(t, c.name, density(t, c.text), n)
		t.Logf("%s at %d parameter vectors: largest error of the log density %.2g, of a derivative %.2g", c.name, n, value, slope)
		if !(value < 1e-6) || !(slope < 1e-5) {
			t.Errorf("%s: error %.3g of the log density, %.3g of a derivative", c.name, value, slope)
		}
	}
}

// compareExact returns the largest errors as shares of max(1, |number|).
func compareExact(t *testing.T, name string, d *Density, n int) (worst, worstSlope float64) {
	p, err := ssm.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	grad, want := make([]float64, d.dim), make([]float64, d.dim)
	for range n {
		theta := make([]float64, d.dim)
		for j, q := range d.Model.Params {
			theta[j] = q.Lower + (q.Upper-q.Lower)*r.Float64()
		}
		c := d.At(theta, nil, theta[3]+20.5)
		peak := math.Inf(-1)
		for _, compare := range []bool{false, true} {
			for k := range 100 {
				rt := theta[3] + math.Exp(-6+9*float64(k)/99)
				for b, choice := range []float64{1, -1} {
					exact := p.LogDensityGrad(rt, choice, theta, want)
					if peak = max(peak, exact); !compare || exact < peak-18 {
						continue
					}
					got := c.Log(rt, b, grad)
					worst = max(worst, math.Abs(got-exact)/max(1, math.Abs(exact)))
					for j := range grad {
						worstSlope = max(worstSlope, math.Abs(grad[j]-want[j])/max(1, math.Abs(want[j])))
					}
					if got != got {
						t.Fatalf("%s at %v, rt %v, choice %v: not a number", name, theta, rt, choice)
					}
				}
			}
		}
	}
	return worst, worstSlope
}

// TestNoDensity: where a density or its derivatives would be wrong, there is none.
func TestNoDensity(t *testing.T) {
	for want, block := range map[string]string{
		"a race whose onset varies":         "choice c in {0, 1} param v[c] in [0, 4] evidence x[k] after normal(t, 0.05) { start 0 drift v[k] upper 1 }",
		"T is in a condition on tau":        "choice c param T in [0, 1] evidence x after t { start 0 drift if(tau < T, 1, 2) upper 1 }",
		"not linear in x":                   "choice c evidence x after t { start 0 drift x^2 upper 1 }",
		"accumulators depend on each other": "choice c in {0, 1} evidence x[k] after t { start 0 drift 1 - sum(j != k: x[j]) upper 1 }",
	} {
		if _, err := New(read(t, "model m { trial rt positive param t in [0, 1] "+block+" }")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected an error with %q", block, err, want)
		}
	}
}

// TestKept: urgency, a race whose boundaries may collapse at once and a task of conflict are as accurate as is promised. A drift that changes its sign two thousand times is not,
// and says so.
func TestKept(t *testing.T) {
	for _, text := range []string{urgencyText, collapsingText, dmcText} {
		if a := density(t, text).Check(); !a.Kept() || !(a.Gradient <= 1e-4) {
			t.Errorf("%s: %+v", text, a)
		}
	}
	if os.Getenv("LIKC_LONG") == "" {
		return // a grid of the most panels takes half a minute
	}
	restless := "model m { trial rt positive choice c param v in [0, 4] param t in [0, 1] evidence x after t { start 0 drift v + 30*sin(300*tau) upper 1 } }"
	if a := density(t, restless).Check(); a.Kept() {
		t.Errorf("restless: %+v", a)
	}
}
