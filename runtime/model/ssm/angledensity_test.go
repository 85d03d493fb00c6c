package ssm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"likc/runtime/model/kernel"
)

func angle(t testing.TB) *Model {
	t.Helper()
	m, err := Lookup("angle")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// anglePoints are parameters at which boundaries fall slowly, fast, almost immediately, and not at all, and at which they move apart.
var anglePoints = [][]float64{{1, 1.2, 0.45, 0.3, 0.3}, {0, 1, 0.5, 0.01, 1.3}, {-2.5, 2.4, 0.8, 0.2, 0.7}, {0.5, 0.4, 0.15, 0.5, 0.05}, {1.5, 0.8, 0.3, 0.1, 0}, {1, 2, 0.3, 0.01, -0.1}}

// TestAngleAgainstForwardEquation compares masses between times with those of a numerical solution of the forward equation.
func TestAngleAgainstForwardEquation(t *testing.T) {
	m := angle(t)
	for _, theta := range anglePoints {
		f := forward(m.Diffusion(theta), 20)
		for side, want := range map[float64][]float64{1: f.upper, -1: f.lower} {
			mass, from := 0.0, 0.0
			for i := 50; i < len(f.tau); i += 25 {
				mass += angleMass(m, theta, side, from, f.tau[i], func(float64) float64 { return 1 })
				from = f.tau[i]
				if !(math.Abs(mass-want[i]) <= 2e-4) {
					t.Errorf("theta %v, choice %v: %v until %v s, want %v", theta, side, mass, from, want[i])
				}
			}
		}
	}
}

// angleMass returns the integral of weight(τ) times the density over decision times, on panels that are short near 0 and before the
// boundaries meet. It omits the last ten thousandth of the time before they meet, in which the density is below exp(-1000).
func angleMass(m *Model, theta []float64, choice, from, to float64, weight func(tau float64) float64) float64 {
	collapse := math.Inf(1)
	if s := math.Tan(theta[4]); s > 0 {
		collapse = theta[1] / s
	}
	to = min(to, collapse*(1-1e-4))
	total := 0.0
	for from < to {
		end := min(to, max(from*1.25, 1e-4*theta[1]*theta[1]), from+(collapse-from)/4)
		for _, x := range panelRule {
			tau := from + (end-from)*x.at
			total += (end - from) * x.weight * weight(tau) * math.Exp(m.LogDensity(theta[3]+tau, choice, theta))
		}
		from = end
	}
	return total
}

// TestAngleMass checks that, if boundaries meet, the mass is 1, and that mean evidence at the response is a(2z-1) + v times the mean
// decision time, as for every stopped Brownian motion.
func TestAngleMass(t *testing.T) {
	m := angle(t)
	for _, theta := range [][]float64{{1, 1.2, 0.45, 0.3, 0.3}, {0, 1, 0.5, 0.01, 1.3}, {-2.5, 2.4, 0.8, 0.2, 0.7}, {0.5, 0.4, 0.15, 0.5, 0.05}, {3, 3, 0.1, 0, 1.1}, {-3, 0.3, 0.9, 0, 0.02}} {
		v, a, z, slope := theta[0], theta[1], theta[2], math.Tan(theta[4])
		var mass, evidence, mean float64
		for _, choice := range []float64{1, -1} {
			mass += angleMass(m, theta, choice, 0, a/slope, func(float64) float64 { return 1 })
			mean += angleMass(m, theta, choice, 0, a/slope, func(tau float64) float64 { return tau })
			evidence += angleMass(m, theta, choice, 0, a/slope, func(tau float64) float64 { return choice * (a - slope*tau) })
		}
		if !(math.Abs(mass-1) <= 1e-6) || !(math.Abs(evidence-a*(2*z-1)-v*mean) <= 1e-6) {
			t.Errorf("theta %v: mass %v; mean evidence %v, want %v", theta, mass, evidence, a*(2*z-1)+v*mean)
		}
	}
}

// TestAngleWithoutCollapse checks that angle with theta = 0 is ddm.
func TestAngleWithoutCollapse(t *testing.T) {
	m := angle(t)
	for _, at := range [][]float64{{1.2, 0.9, 0.4, 0.2}, {-2, 1.6, 0.7, 0.3}, {0, 0.3, 0.1, 0}, {3, 2.5, 0.9, 0.5}} {
		for _, tau := range []float64{0.003, 0.05, 0.4, 1.7, 12} {
			for _, choice := range []float64{1, -1} {
				grad, want := make([]float64, 5), make([]float64, 4)
				got := m.LogDensityGrad(at[3]+tau, choice, append(slices.Clone(at), 0), grad)
				exact := DDM.LogDensityGrad(at[3]+tau, choice, at, want)
				if !(relative(got, exact) <= 1e-10) {
					t.Errorf("%v, choice %v after %v s: %v, want %v", at, choice, tau, got, exact)
				}
				for j := range want {
					if !(relative(grad[j], want[j]) <= 1e-10) {
						t.Errorf("%v, choice %v after %v s: derivative %d is %v, want %v", at, choice, tau, j, grad[j], want[j])
					}
				}
			}
		}
	}
}

// TestAngleGradient compares gradients with numerical derivatives.
func TestAngleGradient(t *testing.T) {
	m := angle(t)
	for _, theta := range anglePoints {
		latest := 8.0
		if s := math.Tan(theta[4]); s > 0 {
			latest = min(latest, theta[1]/s)
		}
		for _, share := range []float64{0.01, 0.1, 0.3, 0.6, 0.9} {
			for _, choice := range []float64{1, -1} {
				tau, grad := share*latest, make([]float64, 5)
				m.LogDensityGrad(theta[3]+tau, choice, theta, grad)
				for j, got := range grad {
					h := 1e-4 * min(1, tau, latest-tau, theta[1])
					at := func(step float64) float64 {
						moved := slices.Clone(theta)
						moved[j] += step * h
						return m.LogDensity(theta[3]+tau, choice, moved)
					}
					if central := (8*(at(1)-at(-1)) - (at(2) - at(-2))) / (12 * h); !(relative(got, central) <= 1e-6) {
						t.Errorf("theta %v, choice %v after %v s: d/d%s is %v, want %v", theta, choice, tau, m.Params[j].Name, got, central)
					}
				}
			}
		}
	}
}

// TestAngleOutsideSupport checks that responses before the onset, after the boundaries meet, with an unknown choice or with parameters
// outside the domain have probability 0.
func TestAngleOutsideSupport(t *testing.T) {
	m := angle(t)
	theta := []float64{1, 1.2, 0.45, 0.3, 0.3}
	collapse := 0.3 + 1.2/math.Tan(0.3)
	moved := func(j int, x float64) []float64 { at := slices.Clone(theta); at[j] = x; return at }
	for _, c := range []struct {
		rt, choice float64
		theta      []float64
	}{{0.3, 1, theta}, {0.2, 1, theta}, {collapse * (1 + 1e-12), 1, theta}, {100, -1, theta}, {1, 0, theta}, {1, 1, moved(1, 0)}, {1, 1, moved(2, 1)},
		{1, 1, moved(4, math.Pi/2)}, {1, 1, moved(4, 2)}, {1, 1, moved(4, -2)}, {1, 1, moved(4, math.Inf(-1))}, {1, 1, moved(0, math.Inf(1))}} {
		grad := []float64{9, 9, 9, 9, 9}
		if got := m.LogDensityGrad(c.rt, c.choice, c.theta, grad); !math.IsInf(got, -1) || !slices.Equal(grad, make([]float64, 5)) {
			t.Errorf("%+v: %v, gradient %v", c, got, grad)
		}
	}
	for j := range theta {
		if got := m.LogDensity(1, 1, moved(j, math.NaN())); !math.IsNaN(got) {
			t.Errorf("%s NaN: %v", m.Params[j].Name, got)
		}
	}
	// The density falls to 0 as the boundaries meet, so that a sampler finds no cliff there.
	before := math.Inf(1)
	for _, left := range []float64{0.3, 0.1, 0.01, 1e-4, 1e-8} {
		at := m.LogDensity(collapse-left, 1, theta)
		if !(at < before) || math.IsInf(at, 0) {
			t.Errorf("%v s before the collapse: %v, earlier %v", left, at, before)
		}
		before = at
	}
}

// TestAngleRows checks that rows evaluated together equal the densities of single trials, whichever parameters differ between them.
func TestAngleRows(t *testing.T) {
	m := angle(t)
	const n = 700
	for k, theta := range append(anglePoints, []float64{1, 1.2, 1e-5, 0.3, 0.3}, []float64{0, 1.2, 0.5, 0.8, 0.9}, []float64{math.NaN(), 1.2, 0.5, 0.8, 0.9}) {
		source := anglePoints[k%len(anglePoints)]
		rt, choice := simulate(t, "angle", uint64(k), source, BridgeScheme(), n)
		rt[3], choice[3] = rt[2], choice[2]
		rows, err := m.Rows(rt, choice)
		if err != nil {
			t.Fatal(err)
		}
		for varies := range 6 { // 5: nothing
			columns, grad, logp := make([][]float64, 5), make([][]float64, 5), make([]float64, n)
			for j := range columns {
				columns[j], grad[j] = []float64{theta[j]}, make([]float64, n)
				if j == varies {
					columns[j] = make([]float64, n)
					for i := range columns[j] {
						columns[j][i] = theta[j] + 0.05*math.Sin(float64(i))*theta[j]
					}
				}
			}
			rows.Each(columns, logp, grad)
			compareAngleRows(t, m, rt, choice, columns, logp, grad)
			again := make([]float64, n)
			if rows.Each(columns, again, nil); !slices.EqualFunc(again, logp, func(x, y float64) bool { return x == y || x != x && y != y }) {
				t.Errorf("theta %v: without gradients other densities", theta)
			}
		}
	}
}

func compareAngleRows(t *testing.T, m *Model, rt, choice []float64, theta [][]float64, logp []float64, grad [][]float64) {
	t.Helper()
	at, slopes := make([]float64, 5), make([]float64, 5)
	for i, got := range logp {
		for j := range at {
			at[j] = kernel.At(theta[j], i)
		}
		want := m.LogDensityGrad(rt[i], choice[i], at, slopes)
		if got != want && !(relative(got, want) <= 1e-11) && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("row %d, %v %v at %v: %v, want %v", i, rt[i], choice[i], at, got, want)
		}
		for j, want := range slopes {
			if !(relative(grad[j][i], want) <= 1e-9) {
				t.Fatalf("row %d, %v %v at %v: derivative %d is %v, want %v", i, rt[i], choice[i], at, j, grad[j][i], want)
			}
		}
	}
}

// TestAngleSimulated checks that simulated trials have the distribution of the density. By chance, the largest distance between the
// distribution functions exceeds 0.0138 for 20,000 trials with probability 0.001.
func TestAngleSimulated(t *testing.T) {
	m := angle(t)
	const n = 20000
	for k, theta := range anglePoints[:4] {
		rt, choice := simulate(t, "angle", uint64(40+k), theta, BridgeScheme(), n)
		for _, side := range []float64{1, -1} {
			var tau []float64
			for i, x := range rt {
				if choice[i] == side {
					tau = append(tau, x-theta[3])
				}
			}
			slices.Sort(tau)
			mass, from, worst := 0.0, 0.0, 0.0
			for i := 0; i < len(tau); i += 50 {
				mass += angleMass(m, theta, side, from, tau[i], func(float64) float64 { return 1 })
				from = tau[i]
				worst = max(worst, math.Abs(mass-float64(i+1)/n))
			}
			if !(worst <= 0.0138) {
				t.Errorf("theta %v, choice %v: distance %v", theta, side, worst)
			}
		}
	}
}

// TestAngleSimulatedInside checks that every simulated trial has a positive density at the parameters that it was simulated with,
// however steeply boundaries fall.
func TestAngleSimulatedInside(t *testing.T) {
	m, r := angle(t), rand.New(rand.NewPCG(8, 0))
	rt, choice := make([]float64, 100), make([]float64, 100)
	for range 400 {
		theta := make([]float64, 5)
		for j, p := range m.Params {
			theta[j] = p.Lower + r.Float64()*(p.Upper-p.Lower)
		}
		if err := m.Simulate(r, theta, BridgeScheme(), rt, choice); err != nil {
			t.Fatal(err)
		}
		for i, x := range rt {
			if got := m.LogDensity(x, choice[i], theta); math.IsInf(got, 0) && x < 20 {
				t.Errorf("theta %v: %v after %v s", theta, got, x)
			}
		}
	}
}

func BenchmarkAngle(b *testing.B) {
	m := angle(b)
	rt, choice := make([]float64, 1000), make([]float64, 1000)
	if err := m.Simulate(NewRand(1, 0), m.Example, BridgeScheme(), rt, choice); err != nil {
		b.Fatal(err)
	}
	rows, err := m.Rows(rt, choice)
	if err != nil {
		b.Fatal(err)
	}
	bound := kernel.SumOf(rows)
	grad := make([]float64, 5)
	b.ReportAllocs()
	for b.Loop() {
		bound.LogLikGrad(m.Example, grad)
	}
}
