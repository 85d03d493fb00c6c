package bound

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/stopsignal"
	"likc/runtime/num/quadrature"
	"likc/testdata/reference"
)

// stopSignal returns the model stop_signal, and a function that binds trials to its rows.
func stopSignal(t *testing.T) (*catalog.Model, func(rt, ssd, choice []float64) kernel.Rows) {
	t.Helper()
	m, err := catalog.Open(stopsignal.Name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(m, Ready)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return m, func(rt, ssd, choice []float64) kernel.Rows {
		rows, err := b.Rows(kernel.Trials{Columns: [][]float64{rt, ssd}, Choice: choice})
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
}

// logs returns the log density of each row at parameters that all rows share.
func logs(rows kernel.Rows, theta []float64) []float64 {
	out := make([]float64, rows.N())
	rows.Each(kernel.Fixed(theta), out, nil)
	return out
}

// The model agrees with R's quadrature: for responses, which need no quadrature, to 1e-8, and for withheld responses to 1e-7. Derivatives
// agree with differences of R's integrals.
func TestStopSignalAgreesWithReference(t *testing.T) {
	m, bind := stopSignal(t)
	for i, p := range stopsignal.Params {
		if own := m.Params[i]; own.Name != p.Name || own.Lower != p.Lower || own.Upper != p.Upper {
			t.Errorf("parameter %d is %v, of the process %v", i, own, p)
		}
	}
	worst := [3]float64{}
	for i, row := range reference.Rows(t, "densities/stop_signal_reference.csv") {
		var theta []float64
		for _, p := range m.ParamNames() {
			theta = append(theta, number(t, row, p))
		}
		choice := number(t, row, "choice")
		rows := bind([]float64{number(t, row, "rt")}, []float64{number(t, row, "ssd")}, []float64{choice})
		got, slopes := make([]float64, 1), make([]float64, len(theta))
		grad := make([][]float64, len(theta))
		for j := range grad {
			grad[j] = slopes[j : j+1]
		}
		rows.Each(kernel.Fixed(theta), got, grad)
		want, tolerance := number(t, row, "logp"), 1e-8
		if choice == stopsignal.Withheld {
			tolerance = 1e-7
		}
		miss := math.Abs(got[0] - want)
		if worst[int(choice)] = max(worst[int(choice)], miss); !(miss <= tolerance*math.Max(1, math.Abs(want))) {
			t.Errorf("row %d: log density %v, want %v", i+2, got[0], want)
		}
		for j, p := range m.ParamNames() {
			want := number(t, row, "dlogp_d"+p)
			worst[2] = max(worst[2], math.Abs(slopes[j]-want)/math.Max(1, math.Abs(want)))
			if !(math.Abs(slopes[j]-want) <= 1e-6*math.Max(1, math.Abs(want))) {
				t.Errorf("row %d: d/d%s is %v, want %v", i+2, p, slopes[j], want)
			}
		}
	}
	t.Logf("largest error: withheld %.2g, responses %.2g, derivatives %.2g", worst[0], worst[1], worst[2])
}

// Responses and withheld responses together have mass 1, at every delay.
func TestStopSignalMass(t *testing.T) {
	m, bind := stopSignal(t)
	rule := quadrature.Head(30)
	n := len(rule.Time)
	constant := func(x float64) []float64 { return slices.Repeat([]float64{x}, n) }
	for _, theta := range Spread(m, 20) {
		for _, ssd := range []float64{0.05, 0.3, 0.8, 1000} {
			mass := math.Exp(logs(bind([]float64{1}, []float64{ssd}, []float64{0}), theta)[0])
			for i, f := range logs(bind(rule.Time, constant(ssd), constant(1)), theta) {
				mass += rule.Weight[i] * math.Exp(f)
			}
			if !(math.Abs(mass-1) < 1e-6) {
				t.Errorf("mass %v at %v, ssd %v", mass, theta, ssd)
			}
		}
	}
}

// Simulated sessions agree with the model: in the share of withheld responses, and in the distribution of response times by the
// Kolmogorov–Smirnov test.
func TestStopSignalSimulation(t *testing.T) {
	_, bind := stopSignal(t)
	const trials, ssd = 50_000, 0.25
	theta := []float64{0.45, 0.06, 0.12, 0.18, 0.04, 0.05, 0.08, 0.02}
	s := stopsignal.Simulate(rand.New(rand.NewPCG(5, 6)), theta, stopsignal.Design{Trials: trials, Signals: 1, Delays: []float64{ssd}})
	var times []float64
	for i, choice := range s.Choice {
		if choice == stopsignal.Response {
			times = append(times, s.RT[i])
		}
	}
	slices.Sort(times)
	p := math.Exp(logs(bind([]float64{1}, []float64{ssd}, []float64{0}), theta)[0])
	if withheld := 1 - float64(len(times))/trials; math.Abs(withheld-p) > 4*math.Sqrt(p*(1-p)/trials) {
		t.Errorf("a share of %v is withheld, want %v", withheld, p)
	}
	const width, points = 0.0005, 8000
	middles := make([]float64, points)
	for i := range middles {
		middles[i] = width * (float64(i) + 0.5)
	}
	density := logs(bind(middles, slices.Repeat([]float64{ssd}, points), slices.Repeat([]float64{1}, points)), theta)
	below, far, k := 0.0, 0.0, 0
	for i, x := range middles {
		below += width * math.Exp(density[i])
		for ; k < len(times) && times[k] < x+width/2; k++ {
		}
		far = max(far, math.Abs(below/(1-p)-float64(k)/float64(len(times))))
	}
	if limit := 1.95 / math.Sqrt(float64(len(times))); far > limit { // 1 sample in 1000 has a larger distance
		t.Errorf("KS distance %v, want %v at most", far, limit)
	}
}

// Withheld responses after the same delay are evaluated together. Value and gradient are the same as trial by trial.
func TestMergedTrials(t *testing.T) {
	m, bind := stopSignal(t)
	b, err := Open(m, Ready)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	theta := []float64{0.45, 0.06, 0.12, 0.18, 0.04, 0.05, 0.08, 0.02}
	s := stopsignal.Simulate(rand.New(rand.NewPCG(8, 9)), theta, stopsignal.Design{Trials: 400, Signals: 0.5})
	for i := range s.RT {
		if s.Choice[i] == stopsignal.Withheld {
			s.RT[i] = 1 + float64(i) // a trial without a response: its response time has no meaning
		}
		if math.IsNaN(s.Delay[i]) {
			s.Delay[i] = 1000
		}
	}
	lik, err := b.Bind(kernel.Trials{Columns: [][]float64{s.RT, s.Delay}, Choice: s.Choice}, Design{})
	if err != nil {
		t.Fatal(err)
	}
	if len(lik.pieces) < 3 {
		t.Fatalf("nothing is merged: %d pieces", len(lik.pieces))
	}
	logp, slopes := make([]float64, 400), make([][]float64, len(theta))
	for j := range slopes {
		slopes[j] = make([]float64, 400)
	}
	bind(s.RT, s.Delay, s.Choice).Each(kernel.Fixed(theta), logp, slopes)
	sum := func(all []float64) (total float64) {
		for _, x := range all {
			total += x
		}
		return total
	}
	grad := make([]float64, len(theta))
	if got, want := lik.LogLikGrad(theta, grad), sum(logp); math.Abs(got-want) > 1e-9 || math.Abs(lik.LogLik(theta)-want) > 1e-9 {
		t.Errorf("%v, want %v", got, want)
	}
	for j := range grad {
		if want := sum(slopes[j]); !(math.Abs(grad[j]-want) <= 1e-9*(1+math.Abs(want))) {
			t.Errorf("derivative %d: %v, want %v", j, grad[j], want)
		}
	}
	if n := testing.AllocsPerRun(20, func() { lik.LogLikGrad(theta, grad) }); n > 0 {
		t.Errorf("an evaluation allocates %v times", n)
	}
	theta[7], theta[6] = 0, 1 // a withheld response is impossible
	if got := lik.LogLikGrad(theta, grad); !math.IsInf(got, -1) || slices.ContainsFunc(grad, func(x float64) bool { return x != 0 }) {
		t.Errorf("impossible trials: %v, gradient %v", got, grad)
	}
}
