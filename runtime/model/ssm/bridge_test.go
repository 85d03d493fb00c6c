package ssm

import (
	"math"
	"os"
	"slices"
	"testing"
)

// TestBridgeIsExactForStraightBoundaries: if neither drift nor bound changes, even steps of 0.1 s give the distribution of the ddm. By
// chance, the statistic exceeds 2.3 with probability 5e-5.
func TestBridgeIsExactForStraightBoundaries(t *testing.T) {
	scheme := BridgeScheme()
	scheme.Step = 0.1
	for i, theta := range [][]float64{{0, 1, 0.5, 0.3}, {0, 0.3, 0.1, 0}, {2, 2.5, 0.3, 0}, {-1, 0.3, 0.9, 0}, {0.5, 1, 1e-4, 0}} {
		rt, choice := simulate(t, "ddm", uint64(i), theta, scheme, 20000)
		if d := kolmogorov(rt, choice, theta); !(d < 2.3) {
			t.Errorf("theta %v: statistic %v", theta, d)
		}
	}
}

// TestBridgeAgainstForwardEquation compares simulated trials with the numerical solution of the forward equation, at mild and at
// extreme parameters of each model. Its statistic exceeds 2.3 with probability 5e-5 where neither has an error.
func TestBridgeAgainstForwardEquation(t *testing.T) {
	const n = 10000
	for model, thetas := range diffusionPoints {
		for i, theta := range thetas {
			if extreme := model == "weibull" || model == "gamma_drift"; os.Getenv("LIKC_LONG") == "" && !(extreme && i == len(thetas)-1) {
				continue // a boundary and a drift that change fast are enough where time counts
			}
			rt, choice := simulate(t, model, uint64(i), theta, BridgeScheme(), n)
			if d := math.Sqrt(n) * forwardDistance(t, model, theta, rt, choice); !(d < 2.3) {
				t.Errorf("%s at %v: statistic %v", model, theta, d)
			}
		}
	}
}

// TestBridgeError prints the errors that docs/evidence/simulators.md reports: the largest distance between the distribution functions of
// choice·τ under each scheme and the forward equation. A million trials have a distance of 0.0009 by chance alone.
func TestBridgeError(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("set LIKC_LONG=1")
	}
	const n = 1_000_000
	for model, thetas := range diffusionPoints {
		for i, theta := range thetas {
			rt, choice := simulate(t, model, uint64(i), theta, BridgeScheme(), n)
			d := forwardDistance(t, model, theta, rt, choice)
			rt, choice = simulate(t, model, uint64(i), theta, EulerScheme(), n/10)
			t.Logf("%s at %v: bridge %.4f, euler %.4f", model, theta, d, forwardDistance(t, model, theta, rt, choice))
			if d > 0.004 {
				t.Errorf("%s at %v: distance %v", model, theta, d)
			}
		}
	}
}

// diffusionPoints are parameters of the models that have no exact sampler: ordinary ones, and those at which bounds fall or drifts
// change fastest in the ranges.
var diffusionPoints = map[string][][]float64{
	"angle":               {{1, 1.2, 0.45, 0.3, 0.3}, {0, 1, 0.5, 0.01, 1.3}, {1, 2, 0.3, 0.01, -0.1}},
	"weibull":             {{1, 1.2, 0.45, 0.3, 2, 3}, {1, 2.5, 0.4, 0.01, 4.99, 0.31}, {0.5, 0.8, 0.3, 0.01, 0.31, 0.31}},
	"hyperbolic":          {{1, 1.2, 0.45, 0.3, 0.6, 0.8}, {0.5, 2, 0.4, 0.01, 1, 0.1}},
	"gamma_drift":         {{1, 1.2, 0.45, 0.3, -1, 0.2, 2}, {1, 2, 0.4, 0.01, 3, 0.05, 1}, {1, 2, 0.5, 0.01, -3, 1, 9}},
	"shrinking_spotlight": {{1, 0.5, 0.3, 4, -4, -4, 1.8, 10}, {0.5, 0.4, 0.01, 5, -5, 0, 1, 20}},
	"ornstein":            {{1, 1.2, 0.45, 0.2, 0.3}, {1, 2.5, 0.3, -1, 0.01}, {0.5, 1.2, 0.6, 1, 0.01}},
}

// forwardDistance returns the largest distance between the distribution functions of choice·τ in the trials and by the forward equation. τ
// is the time since the onset.
func forwardDistance(t *testing.T, model string, theta, rt, choice []float64) float64 {
	t.Helper()
	m, err := Lookup(model)
	if err != nil {
		t.Fatal(err)
	}
	d := m.Diffusion(theta)
	f := forward(d, 20)
	var upper, lower []float64
	for i, x := range rt {
		if choice[i] > 0 {
			upper = append(upper, x-d.Onset)
		} else {
			lower = append(lower, x-d.Onset)
		}
	}
	n := float64(len(rt))
	return max(f.distance(upper, f.upper, n), f.distance(lower, f.lower, n), math.Abs(float64(len(upper))/n-last(f.upper)))
}

// exits holds, for each time of a grid, the probabilities that a trial has ended at the upper and at the lower boundary by then.
type exits struct{ tau, upper, lower []float64 }

func last(x []float64) float64 { return x[len(x)-1] }

// distance returns the largest difference, over the times of the grid, between the share of n trials that ended by then, of which tau are
// the times, and its probability.
func (e *exits) distance(tau, probability []float64, n float64) (worst float64) {
	slices.Sort(tau)
	for i, at := range e.tau {
		k, _ := slices.BinarySearch(tau, at)
		worst = max(worst, math.Abs(float64(k)/n-probability[i]))
	}
	return worst
}

// forward solves the forward equation of X = V/b(τ) on (-1, 1) in finite volumes: fully implicit steps at first, then
// Crank and Nicolson's. It stops at time most, or when all but 1e-5 has left, or at bounds that have met.
func forward(d Diffusion, most float64) *exits {
	const cells = 600
	const dx = 2.0 / cells
	q := make([]float64, cells)
	at := (d.Start/d.Bound(0)+1)/dx - 0.5
	i := int(at)
	q[i], q[i+1] = 1-(at-float64(i)), at-float64(i) // the probability mass is divided between two neighbours
	e := &exits{tau: []float64{0}, upper: []float64{0}, lower: []float64{0}}
	work := newTridiagonal(cells)
	for step, tau := 0, 0.0; tau < most && 1-last(e.upper)-last(e.lower) > 1e-5 && d.Bound(tau) > 0.01; step++ {
		h := min(0.005, max(0.02*tau, 1e-10), 0.02*d.Bound(tau)*d.Bound(tau))
		implicit := 0.5
		if step < 8 {
			implicit = 1
		}
		up, low := work.advance(d, q, tau, h, dx, implicit)
		tau += h
		e.tau, e.upper, e.lower = append(e.tau, tau), append(e.upper, last(e.upper)+up), append(e.lower, last(e.lower)+low)
	}
	return e
}

// tridiagonal is the working memory of a time step: the bands of a tridiagonal matrix, and vectors.
type tridiagonal struct{ left, middle, right, next, scratch []float64 }

func newTridiagonal(n int) *tridiagonal {
	return &tridiagonal{make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)}
}

// advance advances the masses q by a time h, and returns the probability mass that left through each boundary.
func (w *tridiagonal) advance(d Diffusion, q []float64, tau, h, dx, implicit float64) (upper, lower float64) {
	n, mid := len(q), tau+h/2
	b, e := d.Bound(mid), h/1000
	slope := (d.Bound(mid+e) - d.Bound(mid-e)) / (2 * e)
	spread := 1 / (2 * b * b * dx * dx)
	for k := range n { // the rate of change of q[k] is left q[k-1] + middle q[k] + right q[k+1]
		x := -1 + (float64(k)+0.5)*dx
		speed := func(x float64) float64 { return (d.Drift(mid, b*x) - x*slope) / (b * 2 * dx) }
		in, out := speed(x-dx/2), speed(x+dx/2)
		w.left[k], w.right[k], w.middle[k] = spread+in, spread-out, -2*spread+in-out
		if k == 0 {
			w.left[k], w.middle[k] = 0, -3*spread-out
		}
		if k == n-1 {
			w.right[k], w.middle[k] = 0, -3*spread+in
		}
	}
	before := [2]float64{q[0], q[n-1]}
	copy(w.next, q)
	for k := range n {
		rate := w.middle[k] * q[k]
		if k > 0 {
			rate += w.left[k] * q[k-1]
		}
		if k < n-1 {
			rate += w.right[k] * q[k+1]
		}
		w.next[k] += (1 - implicit) * h * rate
	}
	w.solve(q, implicit*h)
	lower = 2 * spread * h * (implicit*q[0] + (1-implicit)*before[0])
	upper = 2 * spread * h * (implicit*q[n-1] + (1-implicit)*before[1])
	return upper, lower
}

// solve sets q to the solution of (1 - h L) q = next by elimination.
func (w *tridiagonal) solve(q []float64, h float64) {
	n := len(q)
	pivot := 1 - h*w.middle[0]
	q[0] = w.next[0] / pivot
	for k := 1; k < n; k++ {
		w.scratch[k] = -h * w.right[k-1] / pivot
		pivot = 1 - h*w.middle[k] + h*w.left[k]*w.scratch[k]
		q[k] = (w.next[k] + h*w.left[k]*q[k-1]) / pivot
	}
	for k := n - 2; k >= 0; k-- {
		q[k] -= w.scratch[k+1] * q[k+1]
	}
}

// TestForwardEquation checks the solver where the answer is known: the ddm.
func TestForwardEquation(t *testing.T) {
	for _, theta := range [][]float64{{0.8, 1.1, 0.37, 0.2}, {-2, 2.5, 0.8, 0}} {
		f := forward(DDM.Diffusion(theta), 20)
		for i := 50; i < len(f.tau); i += 50 {
			at := theta[3] + f.tau[i]
			if got, want := f.upper[i], cdf(at, 1, theta); !(math.Abs(got-want) <= 1e-4) {
				t.Errorf("theta %v, %v s: %v at the upper boundary, want %v", theta, at, got, want)
			}
			if got, want := f.lower[i], cdf(at, -1, theta); !(math.Abs(got-want) <= 1e-4) {
				t.Errorf("theta %v, %v s: %v at the lower boundary, want %v", theta, at, got, want)
			}
		}
	}
}

func BenchmarkBridge(b *testing.B) {
	const n = 1000
	m, err := Lookup("angle")
	if err != nil {
		b.Fatal(err)
	}
	rt, choice := make([]float64, n), make([]float64, n)
	r := NewRand(1, 0)
	for b.Loop() {
		if err := m.Simulate(r, m.Example, BridgeScheme(), rt, choice); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "trials/s")
}

// TestSimulateDecided checks parameters at which most trials end before the largest time: then all trials do, and the ones that were drawn
// again have the distribution of the others.
func TestSimulateDecided(t *testing.T) {
	m, err := Lookup("ornstein")
	if err != nil {
		t.Fatal(err)
	}
	const n = 4000
	theta, scheme := []float64{0, 1, 0.5, 0.5, 0.1}, BridgeScheme()
	scheme.MaxTime = 1.5
	all, choice := simulate(t, "ornstein", 1, theta, scheme, 2*n)
	var decided []float64
	for _, x := range all {
		if x < scheme.MaxTime {
			decided = append(decided, x)
		}
	}
	rt := make([]float64, n)
	if err := m.SimulateDecided(t.Context(), NewRand(2, 0), theta, scheme, rt, choice[:n]); err != nil {
		t.Fatal(err)
	}
	if most := slices.Max(rt); most >= scheme.MaxTime {
		t.Errorf("a trial of %v s", most)
	}
	sd := math.Sqrt(0.15 * (1.0/n + 1/float64(len(decided)))) // the variance of times on (0.1, 1.5) is at most about 0.15
	if got, want := mean(rt), mean(decided); !(math.Abs(got-want) <= 4*sd) || len(decided) > 2*n-500 {
		t.Errorf("mean %v, want %v ± %v; %d of %d were decided at once", got, want, sd, len(decided), 2*n)
	}
}
