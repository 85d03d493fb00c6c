package evidence

import (
	"math"
	"math/rand/v2"
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

func testStream(t testing.TB, m *expr.Model) *stream {
	s, err := newStream(&m.Evidence.Accumulators[0], append(m.ParamNames(), expr.Tau), len(m.Params))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAccuracy(t *testing.T) {
	sets := []settings{usual, {1.7, 0.5, 1e-9}, {1.7, 0.35, 1e-9}, {1.5, 0.5, 1e-9}, {2, 0.5, 1e-9}, {1.5, 0.35, 1e-9}, {2, 0.35, 1e-9}}
	for _, c := range []struct{ name, text string }{{"ddm", ddmText}, {"angle", angleText}} {
		for _, set := range sets {
			worst, grad, cost := accuracy(t, c.name, c.text, set, 60)
			t.Logf("%s %+v worst %.2g gradient %.2g nodes %.0f", c.name, set, worst, grad, math.Sqrt(cost))
		}
	}
}

// accuracy compares with an exact density at n random parameter vectors: the largest error of the logarithm and of a derivative.
func accuracy(t *testing.T, name, text string, set settings, n int) (worst, worstGrad, cost float64) {
	m := read(t, text)
	s := testStream(t, m)
	p, _ := ssm.Lookup(name)
	r := rand.New(rand.NewPCG(1, 2))
	mem := &arena{}
	for range n {
		theta := make([]float64, len(m.Params))
		for j, q := range m.Params {
			theta[j] = q.Lower + (q.Upper-q.Lower)*r.Float64()
		}
		theta[3] = 0
		mem.reset()
		w := &work{mem: mem, set: set, symbols: append(theta, 0), calculus: calculus{mem, len(m.Params)}}
		sol := s.solve(w, 20.5)
		cost += float64((len(sol.edges)-1)*order) * float64((len(sol.edges)-1)*order) / float64(n)
		grad, want := make([]float64, len(theta)), make([]float64, len(theta))
		peak := math.Inf(-1)
		type point struct{ tau, choice, got, want, g float64 }
		var points []point
		for k := range 100 {
			tau := math.Exp(-6 + 9*float64(k)/99)
			for b, choice := range []float64{1, -1} {
				got, byTime := sol.logFlux(b, tau, grad)
				grad[3] = -byTime
				exact := p.LogDensityGrad(tau, choice, theta, want)
				peak = max(peak, exact)
				g := 0.0
				for j := range grad {
					g = max(g, math.Abs(grad[j]-want[j])/max(1, math.Abs(want[j])))
				}
				points = append(points, point{tau, choice, got, exact, g})
			}
		}
		for _, q := range points {
			if q.want > peak-18 {
				e := math.Abs(q.got-q.want) / max(1, math.Abs(q.want))
				worst, worstGrad = max(worst, e), max(worstGrad, q.g)
			}
		}
	}
	return worst, worstGrad, cost
}
