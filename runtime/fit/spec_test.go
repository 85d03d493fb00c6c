package fit

import (
	"math"
	"slices"
	"strings"
	"testing"

	"likc/runtime/fit/nuts"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/posterior"
	"likc/runtime/model/ssm"
	"likc/runtime/num/chains"
)

// wishes are texts as a user gives them.
type wishes struct{ priors, ranges, fixed []string }

func (w wishes) parse(m *catalog.Model) (*Spec, error) {
	var out Wishes
	var err error
	if out.Priors, err = ParsePriors(m, w.priors); err != nil {
		return nil, err
	}
	if out.Ranges, err = ParseRanges(m, w.ranges); err != nil {
		return nil, err
	}
	if out.Fixed, err = ParseFixed(m, w.fixed); err != nil {
		return nil, err
	}
	return NewSpec(m, out)
}

func parsed(t *testing.T, m *catalog.Model, w wishes) *Spec {
	t.Helper()
	s, err := w.parse(m)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func modelNamed(t *testing.T, name string) *catalog.Model {
	t.Helper()
	m, err := catalog.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The range is the one asked for, else the model's, else with an exact density the support of the prior.
func TestRanges(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		model string
		w     wishes
		param int
		want  catalog.Range
		notes int
	}{
		{"ddm", wishes{}, 0, catalog.Range{Low: -3, High: 3}, 0},
		{"ddm", wishes{ranges: []string{"v=-10,10"}}, 0, catalog.Range{Low: -10, High: 10}, 0},
		{"ddm", wishes{priors: []string{"v=normal(0,2)"}}, 0, catalog.Range{Low: -inf, High: inf}, 0},
		{"ddm", wishes{priors: []string{"v=uniform(-6,6)"}}, 0, catalog.Range{Low: -6, High: 6}, 0},
		{"ddm", wishes{priors: []string{"a=normal(1,1)"}}, 1, catalog.Range{Low: 0, High: inf}, 1},
		{"ddm", wishes{priors: []string{"z=beta(10,10)"}}, 2, catalog.Range{Low: 0, High: 1}, 0},
		{"ddm", wishes{priors: []string{"v=normal(0,2)"}, ranges: []string{"v=-1,1"}}, 0, catalog.Range{Low: -1, High: 1}, 1},
		{"ddm", wishes{priors: []string{"v=normal(0,2)"}, ranges: []string{"v=-inf,inf"}}, 0, catalog.Range{Low: -inf, High: inf}, 0},
		{"found31", wishes{priors: []string{"v=normal(0,2)"}}, 0, catalog.Range{Low: -3, High: 3}, 1},
		{"found31", wishes{priors: []string{"v=normal(0,0.1)"}}, 0, catalog.Range{Low: -3, High: 3}, 0},
		{"found31", wishes{ranges: []string{"v=0,3"}}, 0, catalog.Range{Low: 0, High: 3}, 0},
		{"lognormal", wishes{ranges: []string{"mu=-20,20"}}, 0, catalog.Range{Low: -20, High: 20}, 0},
	} {
		s := parsed(t, modelNamed(t, c.model), c.w)
		if got := s.Params[c.param].Range; got != c.want || len(s.Notes) != c.notes {
			t.Errorf("%s %v: range %v, notes %q; want %v and %d notes", c.model, c.w, got, s.Notes, c.want, c.notes)
		}
	}
}

func TestSpecRefuses(t *testing.T) {
	for _, c := range []struct {
		model string
		w     wishes
		want  string
	}{
		{"ddm", wishes{ranges: []string{"a=-1,3"}}, "a cannot range over [-1, 3]: a must be positive"},
		{"ddm", wishes{ranges: []string{"z=0,2"}}, "z cannot range over [0, 2]: z must be between 0 and 1"},
		{"ddm", wishes{ranges: []string{"v=-inf,inf"}}, "v ranges over [-Inf, +Inf] without end: give it a prior"},
		{"ddm", wishes{ranges: []string{"v=3,-3"}}, "v: 3 is not below -3"},
		{"ddm", wishes{ranges: []string{"v=3"}}, `v: "3" is not LOW,HIGH`},
		{"ddm", wishes{ranges: []string{"v=1,fast"}}, `v: "fast" is not a number`},
		{"ddm", wishes{ranges: []string{"v=NaN,1"}}, `v: "NaN" is not a number`},
		{"ddm", wishes{ranges: []string{"v"}}, "v: want NAME=LOW,HIGH, as in v=-10,10"},
		{"ddm", wishes{ranges: []string{"q=1,2"}}, "q: no such parameter; ddm has v, a, z, t"},
		{"ddm", wishes{ranges: []string{"v=1,2", "v=1,3"}}, "v: given twice"},
		{"ddm", wishes{fixed: []string{"z=half"}}, `z: "half" is not a number`},
		{"ddm", wishes{fixed: []string{"z=inf"}}, "z: inf is not finite"},
		{"ddm", wishes{fixed: []string{"z=1.5"}}, "z cannot be fixed at 1.5: z must be between 0 and 1"},
		{"ddm", wishes{fixed: []string{"z=0.5"}, ranges: []string{"z=0,1"}}, "z is fixed: it has no range"},
		{"ddm", wishes{fixed: []string{"z=0.5"}, priors: []string{"z=beta(2,2)"}}, "z is fixed: it has no prior"},
		{"ddm", wishes{fixed: []string{"v=1", "a=1", "z=0.5", "t=0.1"}}, "every parameter is fixed"},
		{"found31", wishes{ranges: []string{"v=-5,5"}}, "v cannot range over [-5, 5]: found31 stands in for the density of ddm, and was made for v in [-3, 3] only"},
		{"../../testdata/teacher/spline", wishes{ranges: []string{"v=-5,5"}}, "spline is a teacher, trained on v in [-3, 3] only"},
		{"found31", wishes{fixed: []string{"a=3"}}, "a cannot be fixed at 3: found31 stands in"},
	} {
		if _, err := c.w.parse(modelNamed(t, c.model)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: %v, want %s", c.model, c.w, err, c.want)
		}
	}
}

// The data bound a fixed parameter too.
func TestFixedBeyondTheData(t *testing.T) {
	s := parsed(t, modelNamed(t, "ddm"), wishes{fixed: []string{"t=0.5"}})
	if _, err := s.Parameters([][]float64{{0.4, 0.9}}, []float64{1, -1}); err == nil || !strings.Contains(err.Error(), "t is fixed at 0.5: the data want it below 0.4") {
		t.Error(err)
	}
	if params, err := s.Parameters([][]float64{{0.6, 0.9}}, []float64{1, -1}); err != nil || len(params) != 3 || params[2].Name != "z" {
		t.Errorf("%v, %v", params, err)
	}
}

// The posterior with fixed parameters is that of all parameters on the plane where they are fixed.
func TestFixedIsASectionOfTheWhole(t *testing.T) {
	m, b := open(t, "ddm")
	of := subjects(t, m, "1")[0]
	lik, err := b.Bind(kernel.Trials{Columns: of.Columns, Choice: of.Choice}, bound.Design{})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := specOf(t, m, Wishes{}).Posterior(lik, of.Columns, of.Choice)
	if err != nil {
		t.Fatal(err)
	}
	part, err := parsed(t, m, wishes{fixed: []string{"a=1.1", "t=0.05"}}).Posterior(lik, of.Columns, of.Choice)
	if err != nil {
		t.Fatal(err)
	}
	full, few := make([]float64, 4), make([]float64, 2)
	want := whole.LogDensityGrad([]float64{0.4, 1.1, 0.45, 0.05}, full)
	got := part.LogDensityGrad([]float64{0.4, 0.45}, few)
	if got != want || few[0] != full[0] || few[1] != full[2] || !slices.Equal(part.Names(), []string{"v", "z"}) {
		t.Errorf("%v, %v of %v: want %v, %v", got, few, part.Names(), want, full)
	}
}

// drawsAt is one chain of a parameter with these draws.
func drawsAt(name string, x []float64) *chains.Draws {
	trace := chains.NewTrace(1, len(x))
	trace.Params[0] = x
	return &chains.Draws{Names: []string{name}, Chains: []chains.Chain{{ID: 1, Trace: trace}}}
}

// onlyV is a likelihood that says nothing.
type onlyV struct{}

func (onlyV) Dim() int                             { return 1 }
func (onlyV) LogLik([]float64) float64             { return 0 }
func (onlyV) LogLikGrad(_, grad []float64) float64 { grad[0] = 0; return 0 }
func (onlyV) of(t *testing.T, s *Spec) *posterior.Posterior {
	t.Helper()
	i := s.free[0]
	p, err := posterior.New(onlyV{}, []posterior.Parameter{{Name: s.Params[i].Name, Lower: s.Params[i].Range.Low, Upper: s.Params[i].Range.High, Prior: s.Params[i].Prior}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// 2.5 % of the draws within 1 % of an end is the limit: uniform draws do not lean.
func TestLeaning(t *testing.T) {
	m := modelNamed(t, "ddm")
	only := []string{"a=1", "z=0.5", "t=0.1"}
	uniform, high, low := make([]float64, 1000), make([]float64, 1000), make([]float64, 1000)
	for i := range uniform {
		uniform[i] = -3 + 6*(float64(i)+0.5)/1000
		high[i], low[i] = uniform[i], uniform[i]
	}
	copy(high, slices.Repeat([]float64{2.95}, 20)) // and 10 of the uniform ones
	copy(low[980:], slices.Repeat([]float64{-2.95}, 20))
	for _, c := range []struct {
		draws []float64
		w     wishes
		want  string
	}{
		{uniform, wishes{fixed: only}, ""},
		{high, wishes{fixed: only}, "v leans on the end 3 of its range [-3, 3]: 3 % of its draws lie within 1 % of the range from there. " +
			"The estimate says where the range ends, not what the data say; widen the range, as to v=-3,9"},
		{low, wishes{fixed: only}, "as to v=-9,3"},
		{high, wishes{fixed: only, priors: []string{"v=uniform(-3,3)"}}, "widen its prior, uniform(low=-3,high=3)"},
		{high, wishes{fixed: only, priors: []string{"v=normal(0,9)"}}, ""}, // no end
	} {
		s := parsed(t, m, c.w)
		got := ""
		for _, l := range s.leaning(onlyV{}.of(t, s), drawsAt("v", c.draws)) {
			got += l.String()
		}
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%v: %q, want %q", c.w, got, c.want)
		}
	}
}

// Parameters outside the model's ranges are recovered with wider ones, and without them the fit says what is wrong.
func TestRecoveryBeyondTheRanges(t *testing.T) {
	m, b := open(t, "ddm")
	for name, c := range map[string]struct {
		theta []float64
		param int
		w     wishes
	}{
		"v": {[]float64{5, 0.8, 0.5, 0.3}, 0, wishes{ranges: []string{"v=-10,10"}, fixed: []string{"z=0.5"}}},
		"a": {[]float64{0.5, 3.2, 0.5, 0.3}, 1, wishes{ranges: []string{"a=0.3,6"}}},
	} {
		scheme, _, err := ssm.DDM.Scheme("")
		if err != nil {
			t.Fatal(err)
		}
		rt, choice := make([]float64, 300), make([]float64, 300)
		if err := ssm.DDM.Simulate(ssm.NewRand(3, 1), c.theta, scheme, rt, choice); err != nil {
			t.Fatal(err)
		}
		s := nuts.DefaultSettings()
		s.NumChains, s.NumWarmup, s.NumSamples = 2, 300, 500
		of := []Subject{{Columns: [][]float64{rt}, Choice: choice}}
		wide := Run(t.Context(), parsed(t, m, c.w), b, of, Settings{Sampler: s})[0]
		narrow := Run(t.Context(), parsed(t, m, wishes{fixed: c.w.fixed}), b, of, Settings{Sampler: s})[0]
		if !wide.Whole() || !narrow.Whole() {
			t.Fatal(wide.Err, narrow.Err)
		}
		p := wide.Summary.Params[c.param]
		if math.Abs(p.Mean-c.theta[c.param]) > 2.5*p.SD || wide.Summary.Leans(name) {
			t.Errorf("%s = %v: %v ± %v, leans: %v", name, c.theta[c.param], p.Mean, p.SD, wide.Summary.Leaning)
		}
		if !narrow.Summary.Leans(name) || !slices.ContainsFunc(narrow.Summary.Warnings, func(w string) bool { return strings.HasPrefix(w, name+" leans on the end ") }) {
			t.Errorf("%s = %v in the model's range: %v, warnings %q", name, c.theta[c.param], narrow.Summary.Params[c.param].Mean, narrow.Summary.Warnings)
		}
	}
}
