package ssm

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"likc/runtime/model/kernel"
	"likc/testdata/reference"
)

func full(t testing.TB) *Model {
	t.Helper()
	m, err := Lookup("full_ddm")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestFullAgainstReference compares densities with those of another quadrature, which agree with other programs, and gradients with
// numerical derivatives.
func TestFullAgainstReference(t *testing.T) {
	m := full(t)
	worst, worstSlope := 0.0, 0.0
	for _, file := range []string{"full_ddm_reference.csv", "full_ddm_tail_reference.csv"} {
		for i, row := range reference.Rows(t, "densities/"+file) {
			theta := append(referenceTheta(t, row), number(t, row, "sv"), number(t, row, "sz"), number(t, row, "st"))
			rt, choice, want := number(t, row, "rt"), number(t, row, "choice"), number(t, row, "logp")
			grad := make([]float64, 7)
			got := m.LogDensityGrad(rt, choice, theta, grad)
			worst = max(worst, relative(got, want))
			if !(relative(got, want) <= 1e-6) {
				t.Errorf("%s, row %d: %v, want %v", file, i+2, got, want)
			}
			for j, slope := range grad {
				if j > 4 && theta[j] == 0 {
					continue // no density on the other side
				}
				central := fullDifference(m, rt, choice, theta, j)
				worstSlope = max(worstSlope, relative(slope, central))
				if !(relative(slope, central) <= 1e-6) {
					t.Errorf("%s, row %d: d/d%s is %v, want %v", file, i+2, m.Params[j].Name, slope, central)
				}
			}
		}
	}
	t.Logf("largest relative error: %.2g, of gradients %.2g", worst, worstSlope)
}

// fullDifference is the derivative in parameter j by central differences of the fourth order, whose step stays clear of the earliest
// and the latest onset.
func fullDifference(m *Model, rt, choice float64, theta []float64, j int) float64 {
	t, sz, st := theta[3], theta[5], theta[6]
	h := 1e-3 * min(1, rt-t+st/2, max(math.Abs(rt-t-st/2), 1e-3), 2*min(theta[2], 1-theta[2])-sz)
	if j > 4 {
		h = min(h, theta[j]/4)
	}
	at := func(step float64) float64 {
		moved := slices.Clone(theta)
		moved[j] += step * h
		return m.LogDensity(rt, choice, moved)
	}
	return (8*(at(1)-at(-1)) - (at(2) - at(-2))) / (12 * h)
}

// TestFullWithoutVariation checks that full_ddm is ddm_sdv if the widths sz and st are 0, and tends to it as they tend to 0.
func TestFullWithoutVariation(t *testing.T) {
	m, narrow := full(t), sdv(t)
	for _, c := range []struct{ rt, choice, v, a, z, t, sv float64 }{{0.8, 1, 1.2, 0.9, 0.4, 0.2, 0}, {2.5, -1, -2, 1.6, 0.7, 0.3, 1.1}, {0.25, 1, 0, 1, 0.5, 0.2, 0.5}} {
		theta := []float64{c.v, c.a, c.z, c.t, c.sv}
		want := make([]float64, 5)
		exact := narrow.LogDensityGrad(c.rt, c.choice, theta, want)
		for _, width := range []float64{0, 1e-300, 1e-12, 1e-9, 1e-5} {
			// Besides rounding errors, the mean over an interval differs from the value at its middle by the squared width times a second
			// derivative, which is below 1e5 for these parameters.
			tolerance := 1e-13 + 1e4*width*width
			grad := make([]float64, 7)
			got := m.LogDensityGrad(c.rt, c.choice, append(slices.Clone(theta), width, width), grad)
			if !(relative(got, exact) <= tolerance) {
				t.Errorf("%+v, widths %v: %v, want %v", c, width, got, exact)
			}
			for j, x := range append(slices.Clone(want), 0, 0) {
				if !(relative(grad[j], x) <= 1e-12+1e4*width) {
					t.Errorf("%+v, widths %v: derivative %d is %v, want %v", c, width, j, grad[j], x)
				}
			}
		}
	}
}

// TestFullOutsideSupport checks that responses before the earliest onset, starts beyond a boundary and negative widths have probability 0.
func TestFullOutsideSupport(t *testing.T) {
	m, inf := full(t), math.Inf(-1)
	for _, c := range []struct{ rt, choice, z, t, sz, st, want float64 }{
		{0.25, 1, 0.5, 0.3, 0.2, 0.1, inf}, {0.2, 1, 0.5, 0.3, 0.2, 0.1, inf}, {0.3, 1, 0.5, 0.3, 0.2, 0, inf}, {1, 0, 0.5, 0.3, 0.2, 0.1, inf},
		{1, 1, 0.2, 0.3, 0.4, 0.1, inf}, {1, 1, 0.7, 0.3, 0.7, 0.1, inf}, {1, 1, 0.5, 0.3, -0.1, 0.1, inf}, {1, 1, 0.5, 0.3, 0.2, -0.1, inf},
		{1, 1, 0.5, 0.3, math.NaN(), 0.1, math.NaN()}, {1, 1, 0.5, 0.3, 0.2, math.NaN(), math.NaN()},
	} {
		grad := []float64{7, 7, 7, 7, 7, 7, 7}
		got := m.LogDensityGrad(c.rt, c.choice, []float64{1, 1.2, c.z, c.t, 0.5, c.sz, c.st}, grad)
		if got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) || slices.ContainsFunc(grad, func(g float64) bool { return g != 0 }) {
			t.Errorf("%+v: %v, gradient %v", c, got, grad)
		}
	}
	for _, c := range []struct{ z, sz, st float64 }{{0.2, 0.4, 0.1}, {0.5, -0.1, 0.1}, {0.5, 0.1, -0.1}} {
		if m.Check([]float64{1, 1.2, c.z, 0.3, 0.5, c.sz, c.st}) == nil {
			t.Errorf("%+v is checked and found right", c)
		}
	}
}

// TestFullIsFiniteInItsSupport evaluates at the corners of the support: just after the earliest onset, starts at a boundary, wide windows,
// large drifts.
func TestFullIsFiniteInItsSupport(t *testing.T) {
	m, grad := full(t), make([]float64, 7)
	for _, since := range []float64{1e-9, 1e-4, 0.05, 30} {
		for _, z := range []float64{0.05, 0.95} {
			for _, wide := range []float64{0, 1e-6, 1 - 1e-12} {
				for _, st := range []float64{0, 1e-6, 3} {
					for _, v := range []float64{-20, 0, 3} {
						theta := []float64{v, 2.5, z, 2, 0.1, wide * 2 * min(z, 1-z), st}
						if got := m.LogDensityGrad(2-st/2+since, 1, theta, grad); math.IsNaN(got) || math.IsInf(got, 0) || slices.ContainsFunc(grad, func(g float64) bool { return math.IsNaN(g) || math.IsInf(g, 0) }) {
							t.Errorf("at %v, %v s after the onset: %v, %v", theta, since, got, grad)
						}
					}
				}
			}
		}
	}
}

// TestFullBound checks that the log-likelihood of bound trials is the sum of their log densities, and that evaluations do not allocate.
func TestFullBound(t *testing.T) {
	m := full(t)
	rt, choice := simulate(t, "full_ddm", 5, m.Example, ExactScheme(), 20)
	rows, err := m.Rows(rt, choice)
	if err != nil {
		t.Fatal(err)
	}
	lik := kernel.SumOf(rows)
	want, grad := 0.0, make([]float64, 7)
	for i := range rt {
		want += m.LogDensity(rt[i], choice[i], m.Example)
	}
	if got := lik.LogLikGrad(m.Example, grad); !(relative(got, want) <= 1e-12) {
		t.Errorf("sum %v, want %v", got, want)
	}
	if n := testing.AllocsPerRun(10, func() { lik.LogLikGrad(m.Example, grad) }); n != 0 {
		t.Errorf("%v allocations an evaluation", n)
	}
}

// TestFullHasNoJumps finds, on lines between parameters, the points at which the number of nodes of the quadrature changes. The values and
// the gradients on both sides of such a point must agree.
func TestFullHasNoJumps(t *testing.T) {
	const points = 30
	changes, worst := 0, 0.0
	thetas := []([]float64){{1, 1.2, 0.45, 0.3, 0.8, 0.2, 0.15}, {-2, 0.6, 0.6, 0.25, 0.1, 0.5, 0.3}, {0.3, 2, 0.4, 0.2, 2, 1e-3, 1e-3}, {2.5, 0.9, 0.35, 0.28, 0, 0.69, 0.05}}
	rt := []float64{0.31, 0.45, 0.8}
	for i, start := range thetas {
		end := thetas[(i+1)%len(thetas)]
		for k := range rt {
			at := func(x float64) (float64, []float64, string) { return between(start, end, x, rt[k]) }
			for n := range points {
				low, high := float64(n)/points, float64(n+1)/points
				if _, _, before := at(low); before == third(at(high)) {
					continue
				}
				_, _, before := at(low)
				for high-low > 1e-15 {
					middle := (low + high) / 2
					if middle == low || middle == high {
						break
					}
					if third(at(middle)) == before {
						low = middle
					} else {
						high = middle
					}
				}
				changes++
				value, grad, _ := at(low)
				after, slopes, _ := at(high)
				worst = max(worst, relative(after, value))
				for j, g := range grad {
					worst = max(worst, relative(slopes[j], g))
				}
			}
		}
	}
	if t.Logf("%d changes, the largest jump is %.2g", changes, worst); changes < 50 || !(worst <= 1e-9) {
		t.Errorf("%d changes, the largest jump is %v", changes, worst)
	}
}

func third(_ float64, _ []float64, what string) string { return what }

// between returns the log density of a trial and its gradient at start + x·(end-start), and a text that describes the panels and nodes of
// the quadrature at that point.
func between(start, end []float64, x, rt float64) (float64, []float64, string) {
	theta := make([]float64, len(start))
	for j := range theta {
		theta[j] = start[j] + x*(end[j]-start[j])
	}
	var r fullRun
	r.begin(1, theta, []float64{rt})
	value, grad := r.trial(rt)
	nodes := fmt.Sprint(len(r.panels))
	for _, p := range r.panels {
		nodes += fmt.Sprint(" ", r.rule(p.from, p.to), len(r.places))
	}
	return value, grad[:], nodes
}

// TestFullTogetherAndAlone checks that a trial has the same density and gradient if it is evaluated with other trials, with which it
// shares panels that begin and end elsewhere. It includes starts that reach a boundary and windows that reach the onset.
func TestFullTogetherAndAlone(t *testing.T) {
	m, r := full(t), NewRand(1, 1)
	for i := range 200 {
		theta := make([]float64, 7)
		for j, p := range m.Params {
			theta[j] = p.Lower + (p.Upper-p.Lower)*r.Float64()
		}
		switch i % 3 {
		case 1:
			theta[5] = 2 * min(theta[2], 1-theta[2]) * (1 - math.Pow(10, -1-3*r.Float64()))
		case 2:
			theta[4], theta[5] = 0, 0.02*theta[5]
		}
		rt := theta[3] + theta[6]*(4*r.Float64()*r.Float64()-0.45)
		c := float64(2*(i%2) - 1)
		want, slopes := make([]float64, 7), make([][]float64, 7)
		alone := m.LogDensityGrad(rt, c, theta, want)
		for j := range slopes {
			slopes[j] = make([]float64, 4)
		}
		rows, err := m.Rows([]float64{rt, rt + 1.3, rt + 0.01, rt + 0.2}, []float64{c, c, c, c})
		if err != nil {
			t.Fatal(err)
		}
		together := make([]float64, 4)
		rows.Each(kernel.Fixed(theta), together, slopes)
		if !(relative(together[0], alone) <= 1e-9) {
			t.Errorf("rt %v, choice %v at %v: %v, alone %v", rt, c, theta, together[0], alone)
		}
		for j := range want {
			if !(relative(slopes[j][0], want[j]) <= 1e-7) {
				t.Errorf("rt %v, choice %v at %v: derivative %d is %v, alone %v", rt, c, theta, j, slopes[j][0], want[j])
			}
		}
	}
}

// TestFullOnsets checks that decisions begin at t - st/2 at the earliest, that t shifts all response times, and that a process has one kind
// of onset.
func TestFullOnsets(t *testing.T) {
	m := full(t)
	if got := m.Earliest([]float64{1, 1.2, 0.5, 0.3, 0.5, 0.1, 0.2}); math.Abs(got-0.2) > 1e-15 || m.ShiftIndex() != 3 {
		t.Errorf("decisions begin at %v, parameter %d moves them", got, m.ShiftIndex())
	}
	if got := DDM.Earliest([]float64{1, 1.2, 0.5, 0.3}); got != 0.3 || DDM.ShiftIndex() != 3 {
		t.Errorf("ddm: decisions begin at %v, parameter %d moves them", got, DDM.ShiftIndex())
	}
	for _, change := range []func(m *Model){func(m *Model) { m.Onset = "t" }, func(m *Model) { m.Onsets.Width = "width" }} {
		other := *m
		change(&other)
		if other.broken() == nil {
			t.Errorf("onset %q and onsets %v are no contradiction", other.Onset, other.Onsets)
		}
	}
}

func BenchmarkFull(b *testing.B) {
	m := full(b)
	rt, choice := simulate(b, "full_ddm", 5, m.Example, ExactScheme(), 200)
	rows, err := m.Rows(rt, choice)
	if err != nil {
		b.Fatal(err)
	}
	lik := kernel.SumOf(rows)
	grad := make([]float64, 7)
	for b.Loop() {
		lik.LogLikGrad(m.Example, grad)
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(200*b.N), "µs/trial")
}

// TestFullFarOut uses parameters far beyond the ranges, at which a small part of a window contains nearly all of its density. The log
// densities are by mpmath, with 30 digits: the series of reflections, times the drift's closed form, integrated over the window.
func TestFullFarOut(t *testing.T) {
	m := full(t)
	for _, c := range []struct{ rt, choice, v, a, z, sv, st, want float64 }{
		{2.7266, -1, -65, 30, 0.172, 10, 0.5553, -8333.1046503174111},
		{2.9311, -1, -0.355, 30, 0.7129, 10, 0.1979, -7601.399178484729},
		{2.8363, -1, 55.4, 30, 0.66, 10, 0.4741, -1563.3318057797582},
		{2.88, -1, -2, 30, 0.86, 10, 0.38, -2368.5211234292715},
		{2.85, 1, 250, 20, 0.5, 8, 0.4, -136.6843101358788},
		{3.2, 1, -300, 12, 0.4, 5, 0.5, -2028.3508303473118},
	} {
		theta := []float64{c.v, c.a, c.z, 3, c.sv, 0, c.st}
		grad := make([]float64, 7)
		if got := m.LogDensityGrad(c.rt, c.choice, theta, grad); !(relative(got, c.want) <= 1e-10) {
			t.Errorf("%+v: %v, which errs by %.2g", c, got, relative(got, c.want))
		}
		for j, slope := range grad[:5] {
			moved := slices.Clone(theta)
			h := 1e-4 * max(1e-2, math.Abs(theta[j]))
			if j == 3 {
				h = 1e-4 * (c.rt - 3 + c.st/2)
			}
			at := func(step float64) float64 { moved[j] = theta[j] + step*h; return m.LogDensity(c.rt, c.choice, moved) }
			if central := (8*(at(1)-at(-1)) - (at(2) - at(-2))) / (12 * h); !(relative(slope, central) <= 1e-6) {
				t.Errorf("%+v: d/d%s is %v, want %v", c, m.Params[j].Name, slope, central)
			}
		}
	}
}
