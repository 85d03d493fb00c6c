package likc

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"likc/runtime/fit/nuts"
)

var record = flag.Bool("record", false, "write what the fits of testdata/recorded are; with LIKC_RECORDED=DIR, 1,000 points of each and draws to DIR")

// recordedFit is one of the ways in which a model is bound to trials. Its trials are simulated at theta, of so many people.
type recordedFit struct {
	name, model string
	theta       []float64 // of the simulation, without lapses
	people      int
	deadline    float64
	lapses      bool
	settings    Settings
}

// recordedFits are a fit for each way in which values and gradients come about.
var recordedFits = []recordedFit{
	{name: "flat", model: "ddm", theta: []float64{1, 1, 0.5, 0.3}},
	{name: "a line of drifts", model: "ddm", theta: []float64{1, 1, 0.5, 0.3}, settings: regressing("v ~ x")},
	{name: "people", model: "ddm", theta: []float64{1, 1, 0.5, 0.3}, people: 5, settings: regressing("v ~ 1 + (1 | id)")},
	{name: "people, all parameters", model: "ddm", theta: []float64{1, 1, 0.5, 0.3}, people: 5,
		settings: regressing("v ~ 1 + (1 | id)", "a ~ 1 + (1 | id)", "z ~ 1 + (1 | id)", "t ~ 1 + (1 | id)")},
	{name: "correlated effects", model: "ddm", theta: []float64{1, 1, 0.5, 0.3}, people: 5, settings: regressing("v ~ 1 + x + (1 + x | id)")},
	{name: "lapses", model: "ddm", theta: []float64{1, 1, 0.5, 0.3}, lapses: true},
	{name: "deadline", model: "ddm", theta: []float64{1, 1, 0.5, 0.3}, deadline: 1},
	{name: "deadline, people", model: "ddm", theta: []float64{1, 1, 0.5, 0.3}, deadline: 1, people: 4, settings: regressing("t ~ 1 + (1 | id)")},
	{name: "normalised", model: "found57", theta: []float64{1, 1, 0.5, 0.3}},
	{name: "normalised, a column", model: "found57", theta: []float64{1, 1, 0.5, 0.3}, settings: regressing("a ~ x")},
	{name: "calibrated", model: "wald_calibrated", theta: []float64{1, 1, 0.5, 0.3}},
	{name: "teacher", model: "testdata/teacher/angle", theta: []float64{1, 1, 0.5, 0.3, 0.2}},
	{name: "teacher, people", model: "testdata/teacher/angle", theta: []float64{1, 1, 0.5, 0.3, 0.2}, people: 4, settings: regressing("v ~ 1 + (1 | id)")},
	{name: "race", model: "lba2", theta: []float64{2, 1, 0.5, 0.6, 0.2}},
	{name: "race, a column", model: "rdm2", theta: []float64{2, 1, 0.5, 0.6, 0.2}, settings: regressing("v0 ~ x")},
	{name: "stop signals", model: "stop_signal", theta: []float64{0.5, 0.05, 0.1, 0.2, 0.03, 0.06, 0.05, 0.02}},
}

func regressing(formulas ...string) Settings {
	return Settings{Regress: &Regression{Formulas: formulas}}
}

// recordedPoint is the value at a point, with its gradient. Of a fit without regression it is the log-likelihood at parameters; of one with, the
// log density that is drawn from, at unconstrained coordinates.
type recordedPoint struct {
	At, Gradient []float64
	Value        float64
}

// recordedValues are a fit's points. Terms is the sum of the absolute log densities of its trials: rounding errors are of its size.
type recordedValues struct {
	Terms  float64
	Points []recordedPoint
	Draws  string `json:",omitempty"` // SHA-256 of short chains
}

// TestRecorded: a likelihood is bound in many ways, and a change of how it is done must not change what it is. Values and gradients are compared
// with those of an earlier version, to 1e-13 of the sum of absolute terms: instruction sets round differently, by 2.3e-15 of it. On one machine,
// with LIKC_RECORDED=DIR that -record wrote, draws are compared too, and are the same bytes.
func TestRecorded(t *testing.T) {
	file, points := filepath.Join("testdata", "recorded", "fits.json"), 8
	dir := os.Getenv("LIKC_RECORDED")
	if dir != "" {
		file, points = filepath.Join(dir, "fits.json"), 1000
	}
	all := map[string]recordedValues{}
	if !*record {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &all); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range recordedFits {
		t.Run(f.name, func(t *testing.T) {
			data := f.data(t)
			at := f.target(t, data)
			if *record {
				all[f.name] = f.points(t, data, at, points, dir != "")
				return
			}
			was := all[f.name]
			if len(was.Points) != points {
				t.Fatalf("%d points are recorded, want %d", len(was.Points), points)
			}
			worst := 0.0
			for _, p := range was.Points {
				value, gradient := at(p.At)
				worst = max(worst, math.Abs(value-p.Value)/was.Terms)
				for j, g := range gradient {
					worst = max(worst, math.Abs(g-p.Gradient[j])/(was.Terms+math.Abs(p.Gradient[j])))
				}
			}
			if t.Logf("worst %.2g", worst); !(worst <= 1e-13) {
				t.Errorf("off by %.2g of the sum of absolute terms, want 1e-13", worst)
			}
			if dir != "" && f.draws(t, data) != was.Draws {
				t.Error("other draws")
			}
		})
	}
	if !*record {
		return
	}
	text, err := json.Marshal(all)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o777)
	}
	if err == nil {
		err = os.WriteFile(file, append(text, '\n'), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// data simulates the trials, 60 of each person, and binds them.
func (f *recordedFit) data(t *testing.T) *Data {
	base := open(t, f.model)
	people := max(1, f.people)
	columns, err := base.Simulate(t.Context(), f.theta, 60*people, 7)
	if err != nil {
		t.Fatal(err)
	}
	m := base
	if f.lapses {
		m, err = base.WithLapses(0, 30)
	} else if f.deadline > 0 {
		m, err = base.WithDeadlines()
		for i, rt := range columns["rt"] {
			if columns[Deadline] = append(columns[Deadline], f.deadline); rt > f.deadline {
				columns["rt"][i] = math.NaN()
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if r := f.settings.Regress; r != nil {
		random := rand.New(rand.NewPCG(3, 4))
		r.Numbers, r.Labels = map[string][]float64{"x": nil}, map[string][]string{"id": nil}
		for i := range 60 * people {
			r.Numbers["x"] = append(r.Numbers["x"], math.Round(10*random.NormFloat64())/10)
			r.Labels["id"] = append(r.Labels["id"], fmt.Sprintf("p%d", i/60))
		}
	}
	return bind(t, m, columns)
}

// target returns the function whose values are recorded.
func (f *recordedFit) target(t *testing.T, d *Data) func(at []float64) (float64, []float64) {
	if f.settings.Regress == nil {
		return func(theta []float64) (float64, []float64) {
			grad := make([]float64, len(theta))
			return d.LogLikGrad(theta, grad), grad
		}
	}
	target := f.posterior(t, d)
	return func(q []float64) (float64, []float64) {
		grad := make([]float64, target.Dim())
		value, err := target.LogDensityGrad(q, grad)
		if err != nil {
			return math.NaN(), grad
		}
		return value, grad
	}
}

func (f *recordedFit) posterior(t *testing.T, d *Data) nuts.Target {
	spec, of, err := d.spec(f.settings)
	if err != nil {
		t.Fatal(err)
	}
	study, err := spec.Study(d.model.binder, &of)
	if err != nil {
		t.Fatal(err)
	}
	target, err := study.Target()
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// points are so many random ones at which the value is finite.
func (f *recordedFit) points(t *testing.T, d *Data, at func([]float64) (float64, []float64), n int, draws bool) recordedValues {
	random := rand.New(rand.NewPCG(31, uint64(len(f.name))))
	out := recordedValues{Terms: f.terms(t, d)}
	for tries := 0; len(out.Points) < n; tries++ {
		if tries > 1000*n {
			t.Fatal("hardly a value is finite")
		}
		x := f.random(t, d, random)
		if value, gradient := at(x); !math.IsInf(value, 0) && !math.IsNaN(value) {
			out.Points = append(out.Points, recordedPoint{At: x, Value: value, Gradient: gradient})
		}
	}
	if draws {
		out.Draws = f.draws(t, d)
	}
	return out
}

// random is a point: parameters around those of the simulation, or coordinates around 0.
func (f *recordedFit) random(t *testing.T, d *Data, random *rand.Rand) []float64 {
	if f.settings.Regress != nil {
		q := make([]float64, f.posterior(t, d).Dim())
		for i := range q {
			q[i] = random.NormFloat64()
		}
		return q
	}
	theta := slices.Clone(f.theta)
	if f.lapses {
		theta = append(theta, 0.05)
	}
	for i := range theta {
		theta[i] *= 1 + 0.1*random.NormFloat64()
	}
	return theta
}

// terms is the sum of the absolute log densities of the trials where they were simulated.
func (f *recordedFit) terms(t *testing.T, d *Data) (sum float64) {
	theta := slices.Clone(f.theta)
	if f.lapses {
		theta = append(theta, 0.05)
	}
	each, err := d.LogDensities(theta)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range each {
		sum += math.Abs(x)
	}
	return sum
}

// draws is the sum of short chains.
func (f *recordedFit) draws(t *testing.T, d *Data) string {
	s := f.settings
	s.Seed, s.Chains, s.Warmup, s.Draws = 1, 2, 50, 20
	fit, err := d.Fit(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	for _, name := range fit.draws.Names {
		for _, chain := range fit.Draws(name) {
			for _, x := range chain {
				h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
