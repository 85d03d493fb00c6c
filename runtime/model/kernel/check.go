package kernel

import (
	"math"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/diff/fd"
)

// TB is the part of testing.TB that Check needs; programs that link this package do not link testing.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
}

// Check reports errors in a likelihood at the given points, each of length Dim, some of which may be outside the support. scale is
// the size of Σ|terms|, relative to which rounding is judged (0: the value itself). It checks that
//
//   - LogLikGrad returns the value of LogLik, and its gradient agrees with finite differences;
//   - if the value is -Inf the gradient is zero, and the value is never +Inf;
//   - grad is overwritten, and theta is not changed;
//   - the same call gives the same bits, also from several goroutines at once;
//   - no call allocates.
func Check(t TB, lik Sum, points [][]float64, scale float64) {
	t.Helper()
	CheckWithin(t, lik, points, scale, 0)
}

// CheckWithin does what Check does for a likelihood whose derivatives have errors of their own, of at most slack.
func CheckWithin(t TB, lik Sum, points [][]float64, scale, slack float64) {
	t.Helper()
	for _, theta := range points {
		if len(theta) != lik.Dim() {
			t.Errorf("point %v has %d values, Dim is %d", theta, len(theta), lik.Dim())
			return
		}
		checkPoint(t, lik, theta, scale, slack)
	}
	checkRepeats(t, lik, points)
	checkTogether(t, lik, points)
	checkAllocations(t, lik, points)
}

func checkPoint(t TB, lik Sum, theta []float64, scale, slack float64) {
	t.Helper()
	at := append([]float64(nil), theta...)
	grad := make([]float64, len(theta))
	for i := range grad {
		grad[i] = math.NaN() // must be overwritten
	}
	value := lik.LogLik(at)
	with := lik.LogLikGrad(at, grad)
	if !same(at, theta) {
		t.Errorf("at %v: theta was changed to %v", theta, at)
	}
	size := max(scale, math.Abs(value), 1)
	switch {
	case math.IsInf(value, 1):
		t.Errorf("at %v: the value is +Inf", theta)
	case math.IsInf(value, -1):
		if !math.IsInf(with, -1) || !same(grad, make([]float64, len(grad))) {
			t.Errorf("at %v: LogLik is -Inf, LogLikGrad gives %v with gradient %v, want -Inf and zeros", theta, with, grad)
		}
	case math.IsNaN(value):
		if !math.IsNaN(with) {
			t.Errorf("at %v: LogLik is NaN, LogLikGrad gives %v", theta, with)
		}
	case !(math.Abs(with-value) <= 1e-12*size):
		t.Errorf("at %v: LogLik is %v, LogLikGrad gives %v", theta, value, with)
	default:
		for i := range theta {
			checkPartial(t, lik, theta, i, grad[i], size, slack)
		}
	}
}

// checkPartial compares one partial derivative with a central difference. The difference is extrapolated from two steps
// (Richardson), which gives an estimate of its error. The step is shortened until it stays inside the support. If no step does, at
// the edge of the support, nothing is compared.
func checkPartial(t TB, lik Sum, theta []float64, i int, partial, size, slack float64) {
	t.Helper()
	for step := 1e-3 * max(math.Abs(theta[i]), 0.1); step > 1e-9; step /= 8 {
		d, doubt := difference(lik, theta, i, step)
		doubt += 4e-15 * size / step
		if math.IsNaN(d) || math.IsInf(d, 0) || doubt > 1e-4*max(math.Abs(d), size) {
			continue
		}
		if !(math.Abs(partial-d) <= slack+doubt+1e-6*math.Abs(d)) {
			t.Errorf("at %v: ∂%d is %v, finite differences say %v ± %.2g", theta, i, partial, d, doubt)
		}
		return
	}
}

// difference returns the partial derivative by finite differences, and its change in the last refinement.
func difference(lik Sum, theta []float64, i int, step float64) (d, doubt float64) {
	at := append([]float64(nil), theta...)
	along := func(x float64) float64 {
		at[i] = x
		return lik.LogLik(at)
	}
	wide := fd.Derivative(along, theta[i], &fd.Settings{Formula: fd.Central, Step: step})
	fine := fd.Derivative(along, theta[i], &fd.Settings{Formula: fd.Central, Step: step / 2})
	d = fine + (fine-wide)/3
	return d, math.Abs(d - fine)
}

// answer holds the results of a likelihood at a point.
type answer struct {
	value, with float64   // the values that LogLik and LogLikGrad return
	grad        []float64 // the gradient of LogLikGrad
}

func ask(lik Sum, theta []float64) answer {
	a := answer{value: lik.LogLik(theta), grad: make([]float64, len(theta))}
	a.with = lik.LogLikGrad(theta, a.grad)
	return a
}

func (a answer) equal(b answer) bool {
	return same([]float64{a.value, a.with}, []float64{b.value, b.with}) && same(a.grad, b.grad)
}

// same reports whether two vectors are equal to the last bit, except for the signs of zeros and the bits of NaNs.
func same(a, b []float64) bool {
	for i := range a {
		if a[i] != b[i] && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) {
			return false
		}
	}
	return len(a) == len(b)
}

// checkRepeats evaluates all points in order and backwards: results must not depend on earlier evaluations.
func checkRepeats(t TB, lik Sum, points [][]float64) {
	t.Helper()
	first := make([]answer, len(points))
	for i, theta := range points {
		first[i] = ask(lik, theta)
	}
	for i := len(points) - 1; i >= 0; i-- {
		if again := ask(lik, points[i]); !again.equal(first[i]) {
			t.Errorf("at %v: %v the first time, %v the second", points[i], first[i], again)
		}
	}
}

// checkTogether compares results that several goroutines compute at the same time with those of a single goroutine.
func checkTogether(t TB, lik Sum, points [][]float64) {
	t.Helper()
	alone := make([]answer, len(points))
	for i, theta := range points {
		alone[i] = ask(lik, theta)
	}
	const goroutines, rounds = 4, 20
	wrong := make([]int, goroutines) // index of the point that differed, plus one
	var wait sync.WaitGroup
	for g := range goroutines {
		wait.Go(func() {
			for k := range rounds * len(points) {
				i := (k + g) % len(points)
				if !ask(lik, points[i]).equal(alone[i]) {
					wrong[g] = i + 1
				}
			}
		})
	}
	wait.Wait()
	for _, i := range wrong {
		if i > 0 {
			t.Errorf("at %v: concurrent calls differ from %v", points[i-1], alone[i-1])
			return
		}
	}
}

func checkAllocations(t TB, lik Sum, points [][]float64) {
	t.Helper()
	if raced {
		return
	}
	grad := make([]float64, lik.Dim())
	for _, theta := range points {
		if n := allocations(func() { lik.LogLik(theta) }); n > 0 {
			t.Errorf("at %v: LogLik allocates %d times", theta, n)
		}
		if n := allocations(func() { lik.LogLikGrad(theta, grad) }); n > 0 {
			t.Errorf("at %v: LogLikGrad allocates %d times", theta, n)
		}
	}
}

// allocations returns the mean number of heap allocations of a call, rounded down, so that an occasional allocation by the runtime
// does not count.
func allocations(call func()) uint64 {
	const runs = 50
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	call()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		call()
	}
	runtime.ReadMemStats(&after)
	return (after.Mallocs - before.Mallocs) / runs
}
