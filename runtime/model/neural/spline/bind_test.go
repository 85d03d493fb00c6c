package spline

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"likc/runtime/model/kernel"
	"likc/runtime/model/neural/network"
	"likc/runtime/model/ssm"
)

// untrained returns a likelihood with random networks, which is rough enough to reveal errors.
func untrained(t testing.TB, model string) *Spline {
	t.Helper()
	m, err := ssm.Lookup(model)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 8))
	var nets []*network.Network
	for _, sizes := range [][]int{{m.Dim() - 1, 16, 16, Outputs(5)}, {m.Dim() - 1, 8, 1}} {
		n, err := network.New(sizes, network.SiLU, network.Linear)
		if err != nil {
			t.Fatal(err)
		}
		n.Init(r, 1)
		nets = append(nets, n)
	}
	s, err := New(m, nets[0], nets[1])
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// simulated returns trials of the model.
func simulated(t testing.TB, m *ssm.Model, theta []float64, n int) (rt, choice []float64) {
	t.Helper()
	rt, choice = make([]float64, n), make([]float64, n)
	scheme := ssm.EulerScheme()
	switch {
	case m.Name == "ddm" || m.Name == "full_ddm":
		scheme = ssm.ExactScheme()
	case m.Numbered():
		scheme = ssm.BridgeScheme()
	}
	if err := m.Simulate(ssm.NewRand(1, 1), theta, scheme, rt, choice); err != nil {
		t.Fatal(err)
	}
	return rt, choice
}

// thetas returns n parameter vectors: the middles of the ranges, and points around them. Their onset is early enough for trials at 0.35 s.
func thetas(m *ssm.Model, n int) [][]float64 {
	r := rand.New(rand.NewPCG(9, 10))
	var all [][]float64
	for range n {
		theta := make([]float64, m.Dim())
		for i, p := range m.Params {
			theta[i] = p.Lower + (p.Upper-p.Lower)*(0.2+0.6*r.Float64())
		}
		theta[m.Index("t")] = 0.3 * r.Float64()
		all = append(all, theta)
	}
	return all
}

func TestGradientIsThatOfFiniteDifferences(t *testing.T) {
	for _, model := range []string{"ddm", "ornstein", "full_ddm", "race_angle3"} {
		s := untrained(t, model)
		m := s.frame.Model
		at := thetas(m, 12)
		at[0][m.Index("t")] = 0.35
		rt, choice := simulated(t, m, at[0], 300)
		lik, err := s.Sum(kernel.Responses(rt, choice))
		if err != nil {
			t.Fatal(err)
		}
		grad := make([]float64, m.Dim())
		for _, theta := range at[1:] {
			value := lik.LogLikGrad(theta, grad)
			if math.Abs(value-lik.LogLik(theta)) > 1e-9*math.Abs(value) {
				t.Errorf("LogLik is %v, LogLikGrad gives %v", lik.LogLik(theta), value)
			}
			for i := range theta {
				keep := theta[i]
				const h = 1e-6 // so small that few trials cross a knot
				theta[i] = keep + h
				above := lik.LogLik(theta)
				theta[i] = keep - h
				below := lik.LogLik(theta)
				theta[i] = keep
				if d := (above - below) / (2 * h); math.Abs(d-grad[i]) > 1e-5*math.Max(100, math.Abs(d)) {
					t.Errorf("%s at %v: derivative in %s is %v, finite differences say %v", model, theta, m.Params[i].Name, grad[i], d)
				}
			}
		}
	}
}

func TestOutsideTheSupport(t *testing.T) {
	s := untrained(t, "ddm")
	lik, err := s.Sum(kernel.Responses([]float64{0.5, 0.7, 0.9}, []float64{1, -1, 1}))
	if err != nil {
		t.Fatal(err)
	}
	points := [][]float64{{1, 1, 0.5, 0.5}, {1, 1, 0.5, 0.6}, {1, 0, 0.5, 0.1}, {1, 1, 0, 0.1}, {1, 1, 1, 0.1}, {math.Inf(1), 1, 0.5, 0.1}}
	for _, theta := range points {
		grad := []float64{1, 2, 3, 4}
		if v := lik.LogLikGrad(theta, grad); !math.IsInf(v, -1) || grad[0] != 0 || grad[1] != 0 || grad[2] != 0 || grad[3] != 0 {
			t.Errorf("at %v: %v with gradient %v, want -Inf and zeros", theta, v, grad)
		}
	}
	if v := lik.LogLik([]float64{math.NaN(), 1, 0.5, 0.1}); !math.IsNaN(v) {
		t.Errorf("at NaN: %v", v)
	}
	for _, tau := range []float64{1e-300, 1e-12, 1e-6} { // next to the edge: small, never NaN
		grad := make([]float64, 4)
		v := lik.LogLikGrad([]float64{1, 1, 0.5, 0.5 - tau}, grad)
		if math.IsNaN(v) || v > -10 || math.IsNaN(grad[3]) {
			t.Errorf("τ = %v: %v with gradient %v", tau, v, grad)
		}
	}
}

// TestFarOut checks extreme parameters and times: the value is finite or -Inf and the same by all ways of evaluation, and nothing panics.
func TestFarOut(t *testing.T) {
	m, err := ssm.Lookup("ddm")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("../../../../testdata/teacher/spline/weights.bin")
	if err != nil {
		t.Fatal(err)
	}
	trained, err := Read(m, data)
	if err != nil {
		t.Fatal(err)
	}
	var at [][]float64
	for _, far := range []float64{100, 2500, 2700, 1e4, 1e6, 1e39, 1e150, 1e300, math.MaxFloat64} {
		at = append(at, []float64{far, 1, 0.5, 0}, []float64{-far, 1, 0.5, 0}, []float64{1, far, 0.5, 0}, []float64{1, 1, 0.5, -far},
			[]float64{far, far, 0.5, 0}, []float64{1, 1 / far, 0.5, 0}, []float64{1, 27000, 0.5, 0})
	}
	for _, s := range []*Spline{untrained(t, "ddm"), trained} {
		for _, rt := range []float64{5e-324, 1e-300, 1e-100, 1e-30, 1e-9, 0.5, 1e9, 1e40, 1e300} {
			for _, theta := range append(at, []float64{1, 1, 0.5, 0}) {
				checkFarOut(t, s, theta, rt)
			}
		}
	}
}

func checkFarOut(t *testing.T, s *Spline, theta []float64, rt float64) {
	t.Helper()
	total, dst := 0.0, make([]float64, 1)
	for _, choice := range []float64{1, -1} {
		s.LogDensity(dst, [][]float64{theta}, []float64{rt}, []float64{choice})
		total += dst[0]
	}
	lik, err := s.Sum(kernel.Responses([]float64{rt, rt}, []float64{1, -1}))
	if err != nil {
		t.Fatal(err)
	}
	grad := make([]float64, 4)
	value := lik.LogLikGrad(theta, grad)
	near := func(x float64) bool { return x == total || math.Abs(x-total) <= 1e-6*math.Max(1, math.Abs(total)) }
	if math.IsNaN(value) || math.IsInf(value, 1) || !near(value) || !near(lik.LogLik(theta)) {
		t.Errorf("at %v, rt %v: %v and %v, log densities sum to %v", theta, rt, value, lik.LogLik(theta), total)
	}
	for _, g := range grad {
		if math.IsNaN(g) || math.IsInf(g, 0) {
			t.Errorf("at %v, rt %v: gradient %v", theta, rt, grad)
			break
		}
	}
}

func TestBindRefuses(t *testing.T) {
	s := untrained(t, "ddm")
	for _, trials := range [][2][]float64{
		{{0.5}, {1, 1}}, {{0}, {1}}, {{math.NaN()}, {1}}, {{math.Inf(1)}, {1}}, {{0.5}, {0}}, {{0.5}, {math.NaN()}},
	} {
		if _, err := s.Sum(kernel.Responses(trials[0], trials[1])); err == nil {
			t.Errorf("%v: no error", trials)
		}
	}
}

func TestLikelihoodContract(t *testing.T) {
	for _, model := range []string{"ddm", "full_ddm", "lca4"} {
		s := untrained(t, model)
		m := s.frame.Model
		at := thetas(m, 4)
		at[3][m.Index("t")] = 9
		late := append([]float64{}, at[0]...)
		late[m.Index("t")] = 0.35
		rt, choice := simulated(t, m, late, 9)
		lik, err := s.Sum(kernel.Responses(rt, choice))
		if err != nil {
			t.Fatal(err)
		}
		kernel.Check(t, lik, at, 0)
	}
}

func TestLogDensityAgreesWithBind(t *testing.T) {
	s := untrained(t, "ddm")
	at := thetas(s.frame.Model, 2)
	rt, choice := simulated(t, s.frame.Model, []float64{0.5, 1, 0.5, 0.35}, 50)
	dst, theta := make([]float64, 101), make([][]float64, 101)
	for i := range theta {
		theta[i] = at[i/50%2]
	}
	theta[100] = []float64{1, 1, 0.5, 0.4}
	s.LogDensity(dst, theta, append(append(rt, rt...), 0.4), append(append(choice, choice...), 1))
	if !math.IsInf(dst[100], -1) {
		t.Errorf("at rt = t: %v", dst[100])
	}
	for k := range 2 {
		sum := 0.0
		for _, d := range dst[50*k : 50*k+50] {
			sum += d
		}
		lik, err := s.Sum(kernel.Responses(rt, choice))
		if err != nil {
			t.Fatal(err)
		}
		if want := lik.LogLik(at[k]); math.Abs(sum-want) > 1e-9*math.Abs(want) {
			t.Errorf("densities sum to %v, the bound trials to %v", sum, want)
		}
	}
}

// TestReflection checks that the lower boundary has the density of the upper one at reflected parameters.
func TestReflection(t *testing.T) {
	s := untrained(t, "ornstein")
	m := s.frame.Model
	for _, theta := range thetas(m, 20) {
		mirrored := make([]float64, m.Dim())
		m.Reflect(mirrored, theta)
		var d [2]float64
		s.LogDensity(d[:], [][]float64{theta, mirrored}, []float64{0.8, 0.8}, []float64{1, -1})
		if math.Abs(d[0]-d[1]) > 1e-12*math.Abs(d[0]) {
			t.Errorf("at %v: %v and %v", theta, d[0], d[1])
		}
		p, _ := s.class.LogProbabilities(s.class.NewTrace(1), theta)
		q, _ := s.class.LogProbabilities(s.class.NewTrace(1), mirrored)
		if p, q := math.Exp(p), math.Exp(q); math.Abs(p+q-1) > 1e-12 {
			t.Errorf("at %v: choice probabilities %v and %v", theta, p, q)
		}
	}
}

func BenchmarkEvaluation(b *testing.B) {
	m, err := ssm.Lookup("ddm")
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	shape, err := network.New([]int{3, 64, 64, 64, Outputs(10)}, network.SiLU, network.Linear)
	if err != nil {
		b.Fatal(err)
	}
	choice, err := network.New([]int{3, 32, 32, 1}, network.Tanh, network.Linear)
	if err != nil {
		b.Fatal(err)
	}
	shape.Init(r, 0.1)
	choice.Init(r, 1)
	s, err := New(m, shape, choice)
	if err != nil {
		b.Fatal(err)
	}
	theta := []float64{1, 1, 0.5, 0.3}
	rt, of := simulated(b, m, theta, 1000)
	lik, err := s.Sum(kernel.Responses(rt, of))
	if err != nil {
		b.Fatal(err)
	}
	grad := make([]float64, 4)
	b.Run("value", func(b *testing.B) {
		for b.Loop() {
			lik.LogLik(theta)
		}
	})
	b.Run("gradient", func(b *testing.B) {
		for b.Loop() {
			lik.LogLikGrad(theta, grad)
		}
	})
}
