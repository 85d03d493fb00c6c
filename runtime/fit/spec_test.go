package fit

import (
	"math"
	"slices"
	"strings"
	"testing"

	"likc/runtime/fit/nuts"
	"likc/runtime/model/catalog"
	"likc/runtime/model/posterior"
	"likc/runtime/model/ssm"
	"likc/runtime/num/chains"
)

func modelNamed(t *testing.T, name string) *catalog.Model {
	t.Helper()
	m, err := catalog.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The range of a parameter is the wished one. Without a wish, it is the model's, but for an exact density with a prior it is the
// prior's support.
func TestRanges(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		model string
		w     Wishes
		param int
		want  catalog.Range
		notes int
	}{
		{"ddm", Wishes{}, 0, catalog.Range{Low: -3, High: 3}, 0},
		{"ddm", Wishes{Ranges: []string{"v=-10,10"}}, 0, catalog.Range{Low: -10, High: 10}, 0},
		{"ddm", Wishes{Priors: []string{"v=normal(0,2)"}}, 0, catalog.Range{Low: -inf, High: inf}, 0},
		{"ddm", Wishes{Priors: []string{"v=uniform(-6,6)"}}, 0, catalog.Range{Low: -6, High: 6}, 0},
		{"ddm", Wishes{Priors: []string{"a=normal(1,1)"}}, 1, catalog.Range{Low: 0, High: inf}, 1},
		{"ddm", Wishes{Priors: []string{"z=beta(10,10)"}}, 2, catalog.Range{Low: 0, High: 1}, 0},
		{"ddm", Wishes{Priors: []string{"v=normal(0,2)"}, Ranges: []string{"v=-1,1"}}, 0, catalog.Range{Low: -1, High: 1}, 1},
		{"ddm", Wishes{Priors: []string{"v=normal(0,2)"}, Ranges: []string{"v=-inf,inf"}}, 0, catalog.Range{Low: -inf, High: inf}, 0},
		{"found31", Wishes{Priors: []string{"v=normal(0,2)"}}, 0, catalog.Range{Low: -3, High: 3}, 1},
		{"found31", Wishes{Priors: []string{"v=normal(0,0.1)"}}, 0, catalog.Range{Low: -3, High: 3}, 0},
		{"found31", Wishes{Ranges: []string{"v=0,3"}}, 0, catalog.Range{Low: 0, High: 3}, 0},
		{"lognormal", Wishes{Ranges: []string{"mu=-20,20"}}, 0, catalog.Range{Low: -20, High: 20}, 0},
	} {
		s := specOf(t, modelNamed(t, c.model), c.w)
		if got := s.Params[c.param].Range; got != c.want || len(s.Notes) != c.notes {
			t.Errorf("%s %v: range %v, notes %q; want %v and %d notes", c.model, c.w, got, s.Notes, c.want, c.notes)
		}
	}
}

func TestSpecRefuses(t *testing.T) {
	for _, c := range []struct {
		model string
		w     Wishes
		want  string
	}{
		{"ddm", Wishes{Ranges: []string{"a=-1,3"}}, "a cannot range over [-1, 3]: a must be positive"},
		{"ddm", Wishes{Ranges: []string{"z=0,2"}}, "z cannot range over [0, 2]: z must be between 0 and 1"},
		{"ddm", Wishes{Ranges: []string{"v=-inf,inf"}}, "v ranges over [-Inf, +Inf] without end: give it a prior"},
		{"ddm", Wishes{Ranges: []string{"v=3,-3"}}, "v: 3 is not below -3"},
		{"ddm", Wishes{Ranges: []string{"v=3"}}, `v: "3" is not LOW,HIGH`},
		{"ddm", Wishes{Ranges: []string{"v=1,fast"}}, `v: "fast" is not a number`},
		{"ddm", Wishes{Ranges: []string{"v=NaN,1"}}, `v: "NaN" is not a number`},
		{"ddm", Wishes{Ranges: []string{"v"}}, "v: want NAME=LOW,HIGH, as in v=-10,10"},
		{"ddm", Wishes{Ranges: []string{"q=1,2"}}, "q: no such parameter; ddm has v, a, z, t"},
		{"ddm", Wishes{Ranges: []string{"v=1,2", "v=1,3"}}, "v: given twice"},
		{"ddm", Wishes{Fixed: []string{"z=half"}}, `z: "half" is not a number`},
		{"ddm", Wishes{Fixed: []string{"z=inf"}}, "z: inf is not finite"},
		{"ddm", Wishes{Fixed: []string{"z=1.5"}}, "z cannot be fixed at 1.5: z must be between 0 and 1"},
		{"ddm", Wishes{Fixed: []string{"z=0.5"}, Ranges: []string{"z=0,1"}}, "z is fixed: it has no range"},
		{"ddm", Wishes{Fixed: []string{"z=0.5"}, Priors: []string{"z=beta(2,2)"}}, "z is fixed: it has no prior"},
		{"ddm", Wishes{Fixed: []string{"v=1", "a=1", "z=0.5", "t=0.1"}}, "every parameter is fixed"},
		{"found31", Wishes{Ranges: []string{"v=-5,5"}}, "v cannot range over [-5, 5]: found31 stands in for the density of ddm, and was made for v in [-3, 3] only"},
		{"../../testdata/teacher/spline", Wishes{Ranges: []string{"v=-5,5"}}, "spline is a teacher, trained on v in [-3, 3] only"},
		{"found31", Wishes{Fixed: []string{"a=3"}}, "a cannot be fixed at 3: found31 stands in"},
	} {
		if _, err := NewSpec(modelNamed(t, c.model), c.w); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: %v, want %s", c.model, c.w, err, c.want)
		}
	}
}

// The data limit a fixed parameter too.
func TestFixedBeyondTheData(t *testing.T) {
	s := specOf(t, modelNamed(t, "ddm"), Wishes{Fixed: []string{"t=0.5"}})
	if _, err := s.Unbound(&Subject{Columns: [][]float64{{0.4, 0.9}}, Choice: []float64{1, -1}}); err == nil || !strings.Contains(err.Error(), "t is fixed at 0.5: the data want it below 0.4") {
		t.Error(err)
	}
	study, err := s.Unbound(&Subject{Columns: [][]float64{{0.6, 0.9}}, Choice: []float64{1, -1}})
	if err != nil || !slices.Equal(study.Names(), []string{"v", "a", "z"}) {
		t.Errorf("%v", err)
	}
}

// The posterior with fixed parameters equals the posterior of all parameters at the fixed values.
func TestFixedIsASectionOfTheWhole(t *testing.T) {
	m, b := open(t, "ddm")
	of := subjects(t, m, "1")[0]
	density := func(w Wishes) *posterior.Posterior {
		study, err := specOf(t, m, w).Study(b, &of)
		if err != nil {
			t.Fatal(err)
		}
		post, err := study.Posterior()
		if err != nil {
			t.Fatal(err)
		}
		return post
	}
	whole, part := density(Wishes{}), density(Wishes{Fixed: []string{"a=1.1", "t=0.05"}})
	full, few := make([]float64, 4), make([]float64, 2)
	want := whole.LogDensityGrad([]float64{0.4, 1.1, 0.45, 0.05}, full)
	got := part.LogDensityGrad([]float64{0.4, 0.45}, few)
	if got != want || few[0] != full[0] || few[1] != full[2] || !slices.Equal(part.Names(), []string{"v", "z"}) {
		t.Errorf("%v, %v of %v: want %v, %v", got, few, part.Names(), want, full)
	}
}

// drawsAt returns one chain of a parameter with the given draws.
func drawsAt(name string, x []float64) *chains.Draws {
	trace := chains.NewTrace(1, len(x))
	trace.Params[0] = x
	return &chains.Draws{Names: []string{name}, Chains: []chains.Chain{{ID: 1, Trace: trace}}}
}

// Draws lean on an end if more than 2.5 % of them lie within 1 % of the range from it. Uniform draws do not lean.
func TestLeaning(t *testing.T) {
	m := modelNamed(t, "ddm")
	only := []string{"a=1", "z=0.5", "t=0.1"}
	uniform, high, low := make([]float64, 1000), make([]float64, 1000), make([]float64, 1000)
	for i := range uniform {
		uniform[i] = -3 + 6*(float64(i)+0.5)/1000
		high[i], low[i] = uniform[i], uniform[i]
	}
	copy(high, slices.Repeat([]float64{2.95}, 20)) // 10 more than among the uniform draws
	copy(low[980:], slices.Repeat([]float64{-2.95}, 20))
	for _, c := range []struct {
		draws []float64
		w     Wishes
		want  string
	}{
		{uniform, Wishes{Fixed: only}, ""},
		{high, Wishes{Fixed: only}, "v leans on the end 3 of its range [-3, 3]: 3 % of its draws lie within 1 % of the range from there. " +
			"The estimate says where the range ends, not what the data say; widen the range, as to v=-3,9"},
		{low, Wishes{Fixed: only}, "as to v=-9,3"},
		{high, Wishes{Fixed: only, Priors: []string{"v=uniform(-3,3)"}}, "widen its prior, uniform(low=-3,high=3)"},
		{high, Wishes{Fixed: only, Priors: []string{"v=normal(0,9)"}}, ""}, // no end
	} {
		s := specOf(t, m, c.w)
		study, err := s.Unbound(&Subject{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, l := range leaning(m, study, drawsAt("v", c.draws)) {
			got += l.String()
		}
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%v: %q, want %q", c.w, got, c.want)
		}
	}
}

// Parameters outside the model's ranges are recovered with wider ranges. With the model's ranges, the fit warns that they lean on
// an end.
func TestRecoveryBeyondTheRanges(t *testing.T) {
	m, b := open(t, "ddm")
	for name, c := range map[string]struct {
		theta []float64
		param int
		w     Wishes
	}{
		"v": {[]float64{5, 0.8, 0.5, 0.3}, 0, Wishes{Ranges: []string{"v=-10,10"}, Fixed: []string{"z=0.5"}}},
		"a": {[]float64{0.5, 3.2, 0.5, 0.3}, 1, Wishes{Ranges: []string{"a=0.3,6"}}},
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
		wide := Run(t.Context(), specOf(t, m, c.w), b, of, Settings{Sampler: s})[0]
		narrow := Run(t.Context(), specOf(t, m, Wishes{Fixed: c.w.Fixed}), b, of, Settings{Sampler: s})[0]
		if !wide.IsComplete() || !narrow.IsComplete() {
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
