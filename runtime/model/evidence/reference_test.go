package evidence

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"likc/compiler/expr"
)

const urgencyText = `model urgency {
  trial  rt positive
  choice c
  param  v in [-3, 3]   param a in [0.3, 2.5]   param z in [0.1, 0.9]   param t in [0, 2]   param g in [0, 5]   param k in [0, 4]
  evidence x after t {
    start a*(2*z - 1)
    drift v*(1 + g*tau)
    noise 1 + g*tau
    upper a*exp(-k*tau)
  }
}`

func TestReference(t *testing.T) {
	f, err := os.Open("/work/shared/data/evidence_urgency_reference.csv")
	if err != nil {
		t.Skip(err)
	}
	rows, _ := csv.NewReader(f).ReadAll()
	m := read(t, urgencyText)
	s := testStream(t, m)
	mem := &arena{}
	for _, set := range []settings{{1.5, 0.5, 1e-9}, {1.5, 0.5, 1e-11}, {1.5, 0.4, 1e-9}, {1.4, 0.5, 1e-9}, {1.5, 0.35, 1e-9}} {
		worst, worstGrad, panels := 0.0, 0.0, 0
		for _, row := range rows[1:] {
			x := make([]float64, len(row))
			for i := range row {
				x[i], _ = strconv.ParseFloat(row[i], 64)
			}
			theta := x[2:8]
			mem.reset()
			w := &work{mem: mem, set: set, symbols: append(append([]float64{}, theta...), 0), calculus: calculus{mem, 6}}
			tau := x[0] - theta[3]
			sol := s.solve(w, tau*1.3)
			panels += len(sol.edges) - 1
			grad := make([]float64, 6)
			b := 0
			if x[1] < 0 {
				b = 1
			}
			got, byTime := sol.logFlux(b, tau, grad)
			grad[3] = -byTime
			e := math.Abs(got-x[8]) / max(1, math.Abs(x[8]))
			worst = max(worst, e)
			if row[9] == "" {
				continue
			}
			for p := range grad {
				if d := math.Abs(grad[p]-x[9+p]) / max(1, math.Abs(x[9+p])); d > worstGrad {
					worstGrad = d
					if d > 1e-6 {
						t.Logf("%v: gradient %v want %v", theta, grad, x[9:])
					}
				}
			}
		}
		t.Logf("%+v worst %.2g gradient %.2g panels %d", set, worst, worstGrad, panels/len(rows))
	}
}

func BenchmarkUrgency(b *testing.B) {
	m := read(b, urgencyText)
	s := testStream(b, m)
	mem := &arena{}
	w := &work{mem: mem, set: usual, symbols: []float64{1, 1, 0.5, 0.3, 1, 1, 0}, calculus: calculus{mem, 6}}
	b.Run("solve", func(b *testing.B) {
		for b.Loop() {
			mem.reset()
			s.solve(w, 3)
		}
		sol := s.solve(w, 3)
		b.ReportMetric(float64(len(sol.edges)-1), "panels")
	})
	w.dim = 0
	b.Run("value", func(b *testing.B) {
		for b.Loop() {
			mem.reset()
			s.solve(w, 3)
		}
	})
	w.dim = 6
	mem.reset()
	sol := s.solve(w, 3)
	grad := make([]float64, 6)
	b.Run("trial", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			sol.logFlux(i&1, 0.1+float64(i%100)*0.02, grad)
		}
	})
	_ = expr.Tau
}
