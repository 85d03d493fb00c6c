package dictionary_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"likc/compiler/expr"
	"likc/runtime/model/catalog"
	"likc/runtime/model/ssm"
	"likc/search/find/dictionary"
)

// density is a teacher that is a function.
type density func(rt, choice float64, theta []float64) float64

func (d density) LogDensity(dst []float64, theta [][]float64, rt, choice []float64) {
	for i := range dst {
		dst[i] = d(rt[i], choice[i], theta[i])
	}
}

func ddm(rt, choice float64, theta []float64) float64 { return ssm.DDM.LogDensity(rt, choice, theta) }

func find(t *testing.T, s dictionary.Settings) (*expr.Model, []dictionary.Expression) {
	t.Helper()
	h, err := catalog.Header("ddm")
	if err != nil {
		t.Fatal(err)
	}
	l, err := dictionary.OfHeader(h)
	if err != nil {
		t.Fatal(err)
	}
	front, err := dictionary.Find(context.Background(), h, density(ddm), []*dictionary.Library{l}, s)
	if err != nil {
		t.Fatal(err)
	}
	return h, front
}

// nearest is the least median divergence of the expressions up to a size.
func nearest(front []dictionary.Expression, size int) float64 {
	best := math.Inf(1)
	for _, e := range front {
		if e.Size() <= size {
			best = min(best, e.Score.Median)
		}
	}
	return best
}

// divergence integrates by Simpson's rule in the log of the time since the onset, over both boundaries: it shares nothing with the nodes of a
// search.
func divergence(m *expr.Model, e *expr.Expr, theta []float64) float64 {
	const from, to, n = -14.0, 8.0, 2000
	tape := expr.NewTape(append(m.ParamNames(), m.Trials...), e)
	mirrored := slices.Clone(theta)
	mirrored[0], mirrored[2] = -mirrored[0], 1-mirrored[2]
	h := (to - from) / n
	level, _ := tape.Eval(nil, append(slices.Clone(theta), theta[3]+1)) // a formula may have thousands of nats that depend on parameters alone
	mean, z := level[0], 0.0
	for i := range n + 1 {
		weight := h / 3 * []float64{2, 4}[i%2]
		if i == 0 || i == n {
			weight = h / 3
		}
		tau := math.Exp(from + h*float64(i))
		rt := theta[3] + tau
		for choice, at := range map[float64][]float64{1: theta, -1: mirrored} {
			f, _ := tape.Eval(nil, append(slices.Clone(at), rt))
			z += weight * tau * math.Exp(f[0]-level[0])
			if p := ddm(rt, choice, theta); p > -200 {
				mean += weight * tau * math.Exp(p) * (p - f[0])
			}
		}
	}
	return mean + math.Log(z)
}

// TestDDM: the densities found for ddm are as near as they are said to be, and near enough to be of use.
func TestDDM(t *testing.T) {
	s := dictionary.Default()
	s.Vectors, s.Tests, s.Terms, s.Runs = 60, 100, 16, 1
	h, front := find(t, s)
	if near, nearer := nearest(front, 70), nearest(front, 100); !(near < 0.004 && nearer < 0.001) {
		t.Errorf("the best of up to 70 nodes is %v nats from ddm, that of up to 100 %v", near, nearer)
	}
	e := front[len(front)-1]
	var all []float64
	for i := range 60 {
		theta := make([]float64, len(h.Params))
		for j, p := range h.Params { // evenly: fractional parts of multiples of roots
			_, u := math.Modf(float64(i+1) * math.Sqrt([]float64{2, 3, 5, 7}[j]))
			theta[j] = p.Lower + u*(p.Upper-p.Lower)
		}
		all = append(all, divergence(h, e.Expr, theta))
	}
	slices.Sort(all)
	if median := all[len(all)/2]; !(all[0] > -1e-6 && median < 1.6*e.Score.Median+3e-5 && median > e.Score.Median/1.6-3e-5) {
		t.Errorf("%v: by Simpson's rule the median is %v and the least %v", e.String(), median, all[0])
	}
	// Pinsker: no probability differs by more than the root of half the divergence
	if most := math.Sqrt(e.Score.Median / 2); !(e.Difference() < 1.1*most && e.Difference() > 0.1*most) {
		t.Errorf("probabilities differ by %v, the divergence is %v", e.Difference(), e.Score.Median)
	}
}

// TestThreads: the front does not depend on the number of threads.
func TestThreads(t *testing.T) {
	s := dictionary.Default()
	s.Vectors, s.Tests, s.Terms, s.Runs = 16, 16, 6, 2
	s.Threads = 1
	_, one := find(t, s)
	s.Threads = 3
	_, three := find(t, s)
	if !slices.EqualFunc(one, three, func(a, b dictionary.Expression) bool { return a.String() == b.String() }) {
		t.Errorf("one thread: %v; three: %v", one, three)
	}
}

// TestStops: a search ends soon after its context, wherever that is, with the error of the context.
func TestStops(t *testing.T) {
	h, err := catalog.Header("ddm")
	if err != nil {
		t.Fatal(err)
	}
	l, err := dictionary.OfHeader(h)
	if err != nil {
		t.Fatal(err)
	}
	s := dictionary.Default()
	s.Vectors, s.Tests = 20, 20
	for _, after := range []time.Duration{0, 20 * time.Millisecond, 60 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond} {
		ctx, stop := context.WithTimeout(context.Background(), after)
		_, err := dictionary.Find(ctx, h, density(ddm), []*dictionary.Library{l}, s)
		stop()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %v: %v", after, err)
		}
	}
}

// TestLimit: if the time is up before the first search is done, the front has what was fitted until then: at least the first fit.
func TestLimit(t *testing.T) {
	h, err := catalog.Header("ddm")
	if err != nil {
		t.Fatal(err)
	}
	l, err := dictionary.OfHeader(h)
	if err != nil {
		t.Fatal(err)
	}
	s := dictionary.Default()
	s.Vectors, s.Tests, s.Threads = 20, 20, 1
	until := func(steps int, limit time.Duration) ([]dictionary.Expression, int) {
		made := 0
		s.Limit, s.Progress = limit, func(done, _ int) {
			if made = done; made == steps {
				time.Sleep(limit)
			}
		}
		front, err := dictionary.Find(context.Background(), h, density(ddm), []*dictionary.Library{l}, s)
		if !errors.Is(err, context.DeadlineExceeded) || len(front) == 0 {
			t.Fatalf("%d steps in %v: %v, %v", steps, limit, front, err)
		}
		return front, made
	}
	first, _ := until(0, time.Nanosecond)
	if len(first) != 1 {
		t.Errorf("no time: %v", first)
	}
	const steps = 3
	front, made := until(steps, time.Second)
	for limit := 2 * time.Second; made < steps; limit *= 2 { // the machine is busy
		front, made = until(steps, limit)
	}
	nearest := front[len(front)-1]
	if nearest.Terms != first[0].Terms+steps || !(nearest.Score.Mean < first[0].Score.Mean/2) {
		t.Errorf("no time: %v; %d steps: %v", first[0].String(), steps, nearest.String())
	}
}

// sampled is a teacher of which only trials are known.
type sampled struct{ density }

func (sampled) Draw(_ context.Context, random *rand.Rand, theta, rt, choice []float64) error {
	return ssm.DDM.SimulateContext(context.Background(), random, theta, ssm.Scheme{}, rt, choice)
}

// findDrawn searches the front of the diffusion process, of which only trials are known.
func findDrawn(t *testing.T, s dictionary.Settings) (*expr.Model, []dictionary.Expression) {
	t.Helper()
	h, err := catalog.Header("ddm")
	if err != nil {
		t.Fatal(err)
	}
	l, err := dictionary.OfHeader(h)
	if err != nil {
		t.Fatal(err)
	}
	never := density(func(float64, float64, []float64) float64 { panic("the density was asked for") })
	front, err := dictionary.Find(context.Background(), h, sampled{never}, []*dictionary.Library{l}, s)
	if err != nil {
		t.Fatal(err)
	}
	return h, front
}

// TestDrawnThreads: the front that trials alone lead to does not depend on the number of threads.
func TestDrawnThreads(t *testing.T) {
	s := dictionary.Default()
	s.Vectors, s.Tests, s.Trials, s.Terms, s.Runs = 16, 16, 100, 6, 2
	s.Threads = 1
	_, one := findDrawn(t, s)
	s.Threads = 3
	_, three := findDrawn(t, s)
	if !slices.EqualFunc(one, three, func(a, b dictionary.Expression) bool { return a.String() == b.String() }) {
		t.Errorf("one thread: %v; three: %v", one, three)
	}
}

// TestDrawn: trials alone lead to densities that are near the process's, which no part of the search has seen. Their scores are distances from the nearest.
func TestDrawn(t *testing.T) {
	s := dictionary.Default()
	s.Vectors, s.Tests, s.Trials, s.Terms, s.Runs = 100, 60, 400, 12, 1
	h, front := findDrawn(t, s)
	e := front[len(front)-1]
	var all []float64
	for i := range 40 {
		theta := make([]float64, len(h.Params))
		for j, p := range h.Params {
			_, u := math.Modf(float64(i+1) * math.Sqrt([]float64{2, 3, 5, 7}[j]))
			theta[j] = p.Lower + u*(p.Upper-p.Lower)
		}
		all = append(all, divergence(h, e.Expr, theta))
	}
	slices.Sort(all)
	if median := all[len(all)/2]; !(median < 0.008) || e.Score.Median > 0.001 {
		t.Errorf("%v: by Simpson's rule the median is %v", e.String(), median)
	}
}

// TestWait: the density of a first passage and an exponential time after it is a term of a header with a drift, a distance and a mean.
func TestWait(t *testing.T) {
	m, err := catalog.Open("exwald")
	if err != nil {
		t.Fatal(err)
	}
	l, err := dictionary.OfHeader(m.Model)
	if err != nil {
		t.Fatal(err)
	}
	exact, ok := m.Expression()
	if !ok {
		t.Fatal("no expression")
	}
	symbols := append(exact.ParamNames(), "rt")
	want := expr.NewTape(symbols, exact.LogLik)
	r := rand.New(rand.NewPCG(1, 2))
	var points [][]float64
	for range 400 {
		at := []float64{}
		for _, p := range exact.Params {
			at = append(at, p.Lower+(p.Upper-p.Lower)*r.Float64())
		}
		points = append(points, append(at, (at[1]/at[0]+at[2])*math.Exp(0.8*r.NormFloat64())))
	}
	best := math.Inf(1)
	for _, term := range l.Terms {
		if len(term) != 1 || len(expr.Symbols(l.Atoms[term[0]].Expr)) != 4 {
			continue
		}
		got, worst := expr.NewTape(symbols, l.Atoms[term[0]].Expr), 0.0
		for _, at := range points {
			a, _ := got.Eval(nil, at)
			b, _ := want.Eval(nil, at)
			if off := math.Abs(a[0] - b[0]); b[0] > -30 && !(off < worst) {
				worst = off
			}
		}
		if worst == worst {
			best = min(best, worst)
		}
	}
	if !(best < 1e-4) {
		t.Errorf("the nearest term is off by %v", best)
	}
}
