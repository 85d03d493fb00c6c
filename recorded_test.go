package likc

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"likc/runtime/fit/nuts"
	"likc/runtime/model/neural"
	"likc/runtime/model/neural/network"
	"likc/runtime/model/neural/spline"
	"likc/runtime/num/isa"
)

var record = flag.Bool("record", false, "write what the fits of testdata/recorded are; with LIKC_RECORDED=DIR, 1,000 points of each and draws to DIR")

// recordedFit is one of the ways in which a model is bound to trials, with the parameters from which its trials are simulated.
type recordedFit struct {
	name, model string
	theta       []float64 // parameters of the simulation, without lapses
	people      int       // number of participants; 0 for one
	deadline    float64   // seconds; 0 for none
	lapses      bool      // whether trials may be lapses
	settings    Settings
}

// recordedFits has a fit for each way in which likc computes values and gradients.
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

// recordedPoint is the value at a point, with its gradient. For a fit without regression it is the log-likelihood at parameters. For a regression
// it is the log density of the posterior at unconstrained coordinates.
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

// TestRecorded: changes of the program must not change the likelihood, in whatever way it is bound to trials. Values and gradients are compared
// with those of an earlier version, to 1e-13 of the sum of absolute terms. They were recorded with AVX-512. On other instruction
// sets, and for neural likelihoods, rounding differs, and the tolerance is larger: see [rounding]. If LIKC_RECORDED is a folder that -record
// wrote, draws are compared too; with AVX-512 they must be the same bytes.
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
			data := f.data(t, open(t, f.model))
			target := f.target(t, data)
			if *record {
				all[f.name] = f.points(t, data, target, points, dir != "")
				return
			}
			was := all[f.name]
			if len(was.Points) != points {
				t.Fatalf("%d points are recorded, want %d", len(was.Points), points)
			}
			recordedHere := isa.Best() == isa.AVX512
			bounds := func([]float64) []float64 { return make([]float64, 1+len(was.Points[0].Gradient)) }
			if !recordedHere && strings.HasPrefix(f.model, "testdata/teacher/") {
				bounds = f.rounding(t)
			}
			worst := 0.0 // largest difference, as a share of the allowed one
			for _, p := range was.Points {
				value, gradient := target(p.At)
				bound := bounds(p.At)
				worst = max(worst, math.Abs(value-p.Value)/(1e-13*was.Terms+bound[0]))
				for j, g := range gradient {
					worst = max(worst, math.Abs(g-p.Gradient[j])/(1e-13*(was.Terms+math.Abs(p.Gradient[j]))+bound[1+j]))
				}
			}
			if t.Logf("worst %.2g", worst); !(worst <= 1) {
				t.Errorf("a value or derivative differs by %.2g times the allowed difference", worst)
			}
			if dir != "" && recordedHere && f.draws(t, data) != was.Draws {
				t.Error("the draws differ from the recorded draws")
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

// rounding returns a function that bounds the difference between two instruction sets at a point: of the value, then of each element of the gradient.
//
// A network's output is computed by sums of at most n = 66 terms (64 hidden units, a bias, an activation), in double precision: u = 2⁻⁵³.
// In whatever order it is computed, such a sum is the exact sum for weights that are changed by at most a share γ = nu/(1-nu) (Higham,
// Accuracy and Stability of Numerical Algorithms, 2nd edition, section 3.1). So two instruction sets differ as if the weights differed by
// at most 2γ. The test measures how much such a change matters: in copies of the teacher, whose weights are stored in single precision,
// each weight is moved up or down by one unit in the last place, which is a share of 2⁻²⁴ or more. The bound is 2n·2⁻⁵³/2⁻²⁴ times the
// largest change that a copy makes. Rounding in the splines themselves acts like a smaller change of the network's outputs.
//
// Most points lie far from the trials, where gradients change fast: at the worst of 1,000 points, portable Go and AVX-512 differ by .12 of the bound,
// which is 9e-13 of the sum of absolute terms.
func (f *recordedFit) rounding(t *testing.T) func(at []float64) []float64 {
	const copies, n = 4, 66
	target := f.target(t, f.data(t, open(t, f.model)))
	var moved []func([]float64) (float64, []float64)
	for seed := range uint64(copies) {
		moved = append(moved, f.target(t, f.data(t, open(t, movedTeacher(t, f.model, seed)))))
	}
	return func(at []float64) []float64 {
		value, gradient := target(at)
		bound := make([]float64, 1+len(gradient))
		for _, other := range moved {
			v, g := other(at)
			bound[0] = max(bound[0], math.Abs(v-value))
			for j := range g {
				bound[1+j] = max(bound[1+j], math.Abs(g[j]-gradient[j]))
			}
		}
		for j := range bound {
			bound[j] *= 2 * n * 0x1p-29
		}
		return bound
	}
}

// movedTeacher writes a copy of a teacher of two networks, in which each weight is moved by one unit in the last place, and returns its folder.
func movedTeacher(t *testing.T, from string, seed uint64) string {
	data, err := os.ReadFile(filepath.Join(from, neural.WeightsFile))
	if err != nil {
		t.Fatal(err)
	}
	record, err := os.ReadFile(filepath.Join(from, neural.RecordFile))
	if err != nil {
		t.Fatal(err)
	}
	var shape, choice network.Network
	size := binary.LittleEndian.Uint64(data)
	if err := errors.Join(shape.UnmarshalBinary(data[8:8+size]), choice.UnmarshalBinary(data[8+size:])); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(seed, 53))
	for _, net := range []*network.Network{&shape, &choice} {
		for i, w := range net.Weights {
			net.Weights[i] = math.Nextafter32(w, float32(math.Inf(1-2*random.IntN(2))))
		}
	}
	if data, err = spline.Write(&shape, &choice); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	manifest := ""
	for name, content := range map[string][]byte{neural.WeightsFile: data, neural.RecordFile: record} {
		manifest += fmt.Sprintf("%x  %s\n", sha256.Sum256(content), name)
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), content, 0o666))
	}
	if err := errors.Join(err, os.WriteFile(filepath.Join(dir, neural.ManifestFile), []byte(manifest), 0o666)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// data simulates the trials, 60 of each participant, and binds m to them. m is the fit's model, or a copy with moved weights.
func (f *recordedFit) data(t *testing.T, m *Model) *Data {
	people := max(1, f.people)
	columns, err := open(t, f.model).Simulate(t.Context(), f.theta, 60*people, 7)
	if err != nil {
		t.Fatal(err)
	}
	if f.lapses {
		m, err = m.WithLapses(0, 30)
	} else if f.deadline > 0 {
		m, err = m.WithDeadlines()
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

// posterior returns the posterior from which the fit draws.
func (f *recordedFit) posterior(t *testing.T, d *Data) nuts.Target {
	spec, subject, err := d.spec(f.settings)
	if err != nil {
		t.Fatal(err)
	}
	study, err := spec.Study(d.model.binder, &subject)
	if err != nil {
		t.Fatal(err)
	}
	target, err := study.Target()
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// points draws n random points at which the value is finite, and returns their values and, if draws is set, the hash of the fit's draws.
func (f *recordedFit) points(t *testing.T, d *Data, at func([]float64) (float64, []float64), n int, draws bool) recordedValues {
	random := rand.New(rand.NewPCG(31, uint64(len(f.name))))
	out := recordedValues{Terms: f.terms(t, d)}
	for tries := 0; len(out.Points) < n; tries++ {
		if tries > 1000*n {
			t.Fatal("the value is finite at too few points")
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

// random returns a point: parameters near those of the simulation or, for a regression, coordinates near 0.
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

// terms returns the sum of the absolute log densities of the trials, at the parameters at which they were simulated.
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

// draws returns the SHA-256 of the draws of short chains.
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
