package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"likc/runtime/fit/formula"
	"likc/runtime/fit/nuts"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
)

// The covariance of components agrees with theory. For exponential times with an estimated rate, the polynomials of a trial have the
// covariances √3/2 and -√5/6 with the score, whose variance is 1, so fitting leaves variances of 1/4 and 31/36. Of 40,000 simulated
// times the covariances have standard errors below .015.
func TestComponentsOfExponentialTimes(t *testing.T) {
	const n, copies = 400, 100
	rng := rand.New(rand.NewPCG(1, 2))
	s := &shapes{Result: &Result{Subject: Subject{Columns: [][]float64{make([]float64, n)}}}, copies: copies, codes: []float64{0},
		groups: [][]int{{}}, group: make([]int, n), own: make([]response, n), score: [][]float64{nil}}
	for i := range n {
		s.own[i].rt = rng.ExpFloat64()
	}
	for range n * copies {
		x := rng.ExpFloat64()
		s.drawn, s.score[0] = append(s.drawn, response{rt: x}), append(s.score[0], 1-x)
	}
	s.rank()
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	d, slope := s.components(rows)
	want := []float64{0, -math.Sqrt(3) / 2, -math.Sqrt(5) / 6}
	for i, w := range want {
		if got := slope[0].At(i, 0) / n; !(math.Abs(got-w) < 0.05) {
			t.Errorf("component %d has the covariance %.3f with the score, want %.3f", i, got, w)
		}
	}
	d.posterior = mat.NewSymDense(len(d.sum), nil)
	d.posterior.SymOuterK(1.0/n, slope[0]) // the posterior variance of the rate is 1/n
	d.copies = math.Inf(1)
	full := d.covariance()
	for i, w := range []float64{0, 1.0 / 4, 31.0 / 36} {
		if got := full.At(i, i) / n; !(math.Abs(got-w) < 0.05) {
			t.Errorf("component %d has the variance %.3f, want %.3f", i, got, w)
		}
	}
	if got, want := full.At(1, 2)/n, -math.Sqrt(15)/12; !(math.Abs(got-want) < 0.05) {
		t.Errorf("a covariance of %.3f, want %.3f", got, want)
	}
}

// shapeSource fits the DDM to trials of a model and checks its predictions.
type shapeSource struct {
	spec      *Spec
	prepared  *bound.Prepared
	predictor *Simulator // simulates trials of the DDM
	source    *Simulator // simulates the data
}

func newShapeSource(t *testing.T, from string, formulas ...string) shapeSource {
	t.Helper()
	truth, err := catalog.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	m, err := catalog.Open("ddm")
	if err != nil {
		t.Fatal(err)
	}
	s := shapeSource{}
	if s.source, err = SimulatorOf(truth, nil); err != nil {
		t.Fatal(err)
	}
	if s.prepared, err = bound.Open(m, bound.Ready); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.prepared.Close() })
	if s.spec, err = NewSpec(m, Wishes{Formulas: formulas}); err != nil {
		t.Fatal(err)
	}
	if s.predictor, err = SimulatorOf(m, s.prepared); err != nil {
		t.Fatal(err)
	}
	return s
}

// simulate appends n trials to a subject.
func (s shapeSource) simulate(t *testing.T, rng *rand.Rand, theta []float64, to *Subject, n int) {
	t.Helper()
	rt, choice := make([]float64, n), make([]float64, n)
	if err := s.source.Trials(t.Context(), rng, theta, rt, choice); err != nil {
		t.Fatal(err)
	}
	if to.Columns == nil {
		to.Columns = [][]float64{nil}
	}
	to.Columns[0], to.Choice = append(to.Columns[0], rt...), append(to.Choice, choice...)
}

// check fits a subject and returns the check of all its trials.
func (s shapeSource) check(t *testing.T, of Subject, seed uint64) *PredictiveCheck {
	t.Helper()
	sampler := nuts.DefaultSettings()
	sampler.NumWarmup, sampler.NumSamples, sampler.Seed = 500, 500, seed
	r := Run(t.Context(), s.spec, s.prepared, []Subject{of}, Settings{Sampler: sampler})[0]
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	rows := make([]int, of.Trials())
	for i := range rows {
		rows[i] = i
	}
	smooth, err := r.CheckShapes(t.Context(), s.predictor, seed, [][]int{rows})
	if err != nil {
		t.Fatal(err)
	}
	p := Predicted{RT: of.Columns[0], Choice: of.Choice, Smooth: smooth[0]}
	if p.PredictedRT, p.PredictedChoice, _, err = r.Predictor(s.predictor, seed).Predict(t.Context(), r.Draws.Common()); err != nil {
		t.Fatal(err)
	}
	return CheckPredictions([]Predicted{p})
}

// The smooth test finds that trials with jumps are not the DDM's, where Pearson's test does not, and the message has plain words. It
// does not reject the DDM's own trials.
func TestJumpsAreAMisfit(t *testing.T) {
	for _, from := range []string{"levy", "ddm"} {
		s, of := newShapeSource(t, from), Subject{}
		rng := rand.New(rand.NewPCG(17, 77))
		s.simulate(t, rng, randomDDM(rng, from == "levy"), &of, 1000)
		c := s.check(t, of, 17)
		if c.Misfit != (from == "levy") || c.P < c.Level {
			t.Errorf("trials of %s: %+v, %+v", from, c, c.Smooth)
		}
		if text := c.String(); c.Misfit && (!strings.Contains(text, " than predicted (smooth test: chi-square ") || strings.Contains(text, "farthest off")) {
			t.Errorf("no plain words: %s", text)
		}
	}
}

// Draws that are worth 50 independent ones are not tested: their posterior covariance is too inexact.
func TestFewDrawsAreNotTested(t *testing.T) {
	for size, few := range map[float64]bool{50: true, 500: false} {
		r := Result{Summary: &Summary{Params: Parameters{{Name: "v", ESSBulk: 500}, {Name: "a", ESSBulk: size}}}}
		if r.fewDraws() != few {
			t.Errorf("an ESS of %v: few draws %v, want %v", size, !few, few)
		}
	}
}

// randomDDM returns parameters of a simulated participant; those of levy if jumps is set.
func randomDDM(rng *rand.Rand, jumps bool) []float64 {
	theta := []float64{4*rng.Float64() - 2, 0.6 + rng.Float64(), 0.35 + 0.3*rng.Float64(), 0.2 + 0.3*rng.Float64()}
	if jumps {
		theta = slices.Insert(theta, 3, 1.1+0.6*rng.Float64())
	}
	return theta
}

// misfits counts the data sets that are called a misfit, and those whose smooth p, or Pearson's, is below 1 %.
type misfits struct{ both, smooth, pearson int }

func (m *misfits) add(c *PredictiveCheck) {
	for of, is := range map[*int]bool{&m.both: c.Misfit, &m.smooth: c.Smooth != nil && c.Smooth.P < falseAlarm, &m.pearson: c.P < falseAlarm} {
		if is {
			*of++
		}
	}
}

// The check calls at most 1 % of right models a misfit, over 60 data sets of each size and 20 hierarchies: more than 4 of 200 have a
// probability of .05, more than 6 of .004. It finds most data sets of another process.
func TestRatesOfMisfits(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("fits some 200 data sets: set LIKC_LONG=1")
	}
	all := 0
	own := newShapeSource(t, "ddm")
	for _, n := range []int{500, 1000, 3000} {
		var m misfits
		for seed := range uint64(60) {
			rng, of := rand.New(rand.NewPCG(seed, uint64(n))), Subject{}
			own.simulate(t, rng, randomDDM(rng, false), &of, n)
			m.add(own.check(t, of, seed))
		}
		t.Logf("%d trials of the DDM: %+v of 60", n, m)
		all += m.both
	}
	study := newShapeSource(t, "ddm", "v ~ condition + (1 | who)", "a ~ (1 | who)")
	var m misfits
	for seed := range uint64(20) {
		m.add(study.check(t, study.study(t, rand.New(rand.NewPCG(seed, 5))), seed))
	}
	t.Logf("hierarchies: %+v of 20", m)
	if all += m.both; all > 6 {
		t.Errorf("%d of 200 right models are called a misfit", all)
	}
	jumps := newShapeSource(t, "levy")
	m = misfits{}
	for seed := range uint64(30) {
		rng, of := rand.New(rand.NewPCG(seed, 77)), Subject{}
		jumps.simulate(t, rng, randomDDM(rng, true), &of, 1000)
		m.add(jumps.check(t, of, seed))
	}
	t.Logf("1000 trials of levy: %+v of 30", m)
	if m.both < 15 || m.both < m.pearson {
		t.Errorf("%d of 30 data sets of levy are found", m.both)
	}
}

// study returns trials of 10 participants in two conditions with 25 trials each.
func (s shapeSource) study(t *testing.T, rng *rand.Rand) (of Subject) {
	var who, condition []string
	for p := range 10 {
		drift, boundary := 1+0.5*rng.NormFloat64(), 1.1*math.Exp(0.2*rng.NormFloat64())
		for _, name := range []string{"easy", "hard"} {
			v := drift
			if name == "hard" {
				v -= 0.6
			}
			s.simulate(t, rng, []float64{v, boundary, 0.5, 0.3}, &of, 25)
			for range 25 {
				who, condition = append(who, fmt.Sprint(p)), append(condition, name)
			}
		}
	}
	of.Table = formula.Table{Columns: []formula.DataColumn{{Name: "who", Labels: who}, {Name: "condition", Labels: condition}}}
	return of
}
