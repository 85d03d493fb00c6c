package kernel

import (
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"
)

// wald is the likelihood of the leading small-time term of a first passage, log(a/τ^{3/2}) - (a-vτ)²/(2τ)
// with τ = rt-t. It has the fault that is named, if any.
type wald struct {
	rt    []float64
	fault string
	calls atomic.Int64
	last  atomic.Pointer[[]float64]
}

func (w *wald) Dim() int { return 3 }

func (w *wald) LogLik(theta []float64) float64 {
	var grad [3]float64
	return w.sum(theta, grad[:])
}

func (w *wald) LogLikGrad(theta, grad []float64) float64 {
	n := w.calls.Add(1)
	keep := grad[0]
	value := w.sum(theta, grad)
	switch w.fault {
	case "value":
		value *= 1 + 1e-9
	case "gradient":
		grad[1] *= 1 + 1e-5
	case "sign":
		grad[2] = -grad[2]
	case "stale":
		grad[0] = keep
	case "theta":
		if n == 1 {
			theta[0]++
		}
	case "edge":
		if math.IsInf(value, -1) {
			grad[0] = 1
		}
	case "memory":
		value += 1e-13 * float64(n)
	case "allocation":
		fresh := append([]float64(nil), grad...)
		w.last.Store(&fresh)
	}
	return value
}

func (w *wald) sum(theta, grad []float64) float64 {
	v, a, t := theta[0], theta[1], theta[2]
	clear(grad)
	sum := 0.0
	for _, rt := range w.rt {
		tau := rt - t
		if tau <= 0 {
			clear(grad)
			if w.fault == "infinite" {
				return math.Inf(1)
			}
			return math.Inf(-1)
		}
		d := a - v*tau
		sum += math.Log(a) - 1.5*math.Log(tau) - d*d/(2*tau)
		grad[0] += d
		grad[1] += 1/a - d/tau
		grad[2] += 1.5/tau - v*d/tau - d*d/(2*tau*tau)
	}
	return sum
}

// recorder is a TB that records error messages.
type recorder struct{ said []string }

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

var points = [][]float64{{1, 1.5, 0.2}, {-2, 0.7, 0}, {0, 1, 0.2999999}, {0.5, 2, 0.4}}

func TestCheckAccepts(t *testing.T) {
	Check(t, &wald{rt: []float64{0.3, 0.8, 1.7, 0.55}}, points, 0)
}

// TestCheckFinds checks that Check finds every fault and reports it.
func TestCheckFinds(t *testing.T) {
	if raced {
		t.Skip("one of the faults is a race, and allocations are not counted")
	}
	for fault, want := range map[string]string{
		"value":      "LogLikGrad gives",
		"gradient":   "∂1 is",
		"sign":       "∂2 is",
		"stale":      "∂0 is NaN",
		"theta":      "theta was changed",
		"edge":       "want -Inf and zeros",
		"infinite":   "the value is +Inf",
		"memory":     "the second",
		"allocation": "LogLikGrad allocates",
	} {
		var r recorder
		at := make([][]float64, len(points))
		for i := range points {
			at[i] = append([]float64(nil), points[i]...)
		}
		Check(&r, &wald{rt: []float64{0.3, 0.8, 1.7, 0.55}, fault: fault}, at, 0)
		if all := strings.Join(r.said, "\n"); !strings.Contains(all, want) {
			t.Errorf("%s: not found; said %q", fault, all)
		}
	}
}

// TestCheckFindsSharedScratch checks a likelihood whose memory is shared by all calls: it is right for one goroutine and wrong for several.
func TestCheckFindsSharedScratch(t *testing.T) {
	var r recorder
	lik := &scratch{}
	for i := 0; i < 50 && len(r.said) == 0; i++ {
		checkTogether(&r, lik, [][]float64{{1}, {2}, {3}})
	}
	if len(r.said) == 0 {
		t.Error("shared scratch was not found")
	}
}

// scratch is a likelihood that stores its argument in a field, which concurrent calls overwrite.
type scratch struct{ x atomic.Uint64 }

func (s *scratch) Dim() int { return 1 }

func (s *scratch) LogLik(theta []float64) float64 {
	s.x.Store(math.Float64bits(theta[0]))
	sum := 0.0
	for range 2000 {
		sum += math.Float64frombits(s.x.Load())
	}
	return sum
}

func (s *scratch) LogLikGrad(theta, grad []float64) float64 {
	grad[0] = 2000
	return s.LogLik(theta)
}
