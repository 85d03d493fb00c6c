package recovery

import (
	"errors"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"likc/runtime/model/catalog"
	"likc/runtime/model/ssm"
	"likc/runtime/sys/workers"
)

// The columns of a layout: values are crossed, those between participants stay with them.
func TestLayout(t *testing.T) {
	l := Layout{Subjects: 4, Trials: 6, Within: []string{"cond=low, high", "dose=0,1,2.5", "x=normal(3,0.1)"}, Between: []string{"group=a,b"}}
	table, err := l.table("who", ssm.NewRand(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	if table.Rows != 24 || len(table.Columns) != 5 {
		t.Fatalf("%d rows, %d columns", table.Rows, len(table.Columns))
	}
	who, group, cond, dose, x := table.Columns[0], table.Columns[1], table.Columns[2], table.Columns[3], table.Columns[4]
	if who.Name != "who" || who.Numeric[5] != 0 || who.Numeric[6] != 1 || who.Numeric[23] != 3 {
		t.Errorf("participants %v", who)
	}
	if !slices.Equal(group.Labels[5:13], []string{"a", "b", "b", "b", "b", "b", "b", "a"}) {
		t.Errorf("between participants: %v", group.Labels)
	}
	seen := map[string]map[float64]int{"low": {}, "high": {}}
	for row := range 6 {
		seen[cond.Labels[row]][dose.Numeric[row]]++
	}
	if want := map[float64]int{0: 1, 1: 1, 2.5: 1}; !reflect.DeepEqual(seen["low"], want) || !reflect.DeepEqual(seen["high"], want) {
		t.Errorf("combinations in six trials: %v", seen)
	}
	if mean := sum(x.Numeric) / 24; !(math.Abs(mean-3) < 0.1) { // five standard errors
		t.Errorf("drawn column has the mean %v", mean)
	}
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

func studies(t *testing.T, model string, s StudySettings) *StudyPlan {
	t.Helper()
	m, err := catalog.Open(model)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewStudies(m, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func recoverStudies(t *testing.T, p *StudyPlan) Summary {
	t.Helper()
	all, errs := make([]Subject, p.Studies), make([]error, p.Studies)
	workers.Do(t.Context(), p.Studies, 0, func(_, i int) { all[i], errs[i] = p.Study(t.Context(), i) })
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	out, err := p.Summarise(all)
	if err != nil {
		t.Fatal(err)
	}
	if out.Failed > 0 {
		t.Fatal(out.Why)
	}
	return out
}

// logNormals are studies of log-normal times: their means vary by participant and differ by condition.
var logNormals = StudySettings{Settings: Settings{Subjects: 20, Trials: 40, Seed: 5, Chains: 2, Warmup: 200, Draws: 200}, Studies: 3, Design: Design{
	Formulas: []string{"mu ~ 1 + cond + (1 | who)"}, Links: []string{"mu=identity"}, Within: []string{"cond=easy,hard"},
	Truths: []string{"mu_cond[hard]=0.4", "mu_1|who_sigma=0.3", "sigma=0.5"}}}

// Estimates follow stated truths as closely as the data allow, and a study's numbers depend on its index alone.
func TestStudies(t *testing.T) {
	p := studies(t, "lognormal", logNormals)
	out := recoverStudies(t, p)
	// Standard errors: of the difference .5·2/√800 = .035, of the spread about .3/√40 = .05, of sigma .5/√1600 = .0125.
	for name, want := range map[string][2]float64{"mu_cond[hard]": {0.4, 0.035}, "mu_1|who_sigma": {0.3, 0.06}, "sigma": {0.5, 0.0125}} {
		at := slices.IndexFunc(out.Params, func(p Param) bool { return p.Name == name })
		for _, e := range out.Params[at].Estimates {
			if !(e.Truth == want[0] && math.Abs(e.Mean-want[0]) < 4*want[1]) {
				t.Errorf("%s: %+v, want %v", name, e, want)
			}
		}
	}
	first, err := p.Study(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := p.Study(t.Context(), 1); !reflect.DeepEqual(first, again) || float64(first.Truth[0]) != out.Params[0].Estimates[1].Truth {
		t.Error("a study differs when it is done again")
	}
}

// A fixed parameter is simulated at its value and not estimated; one with a range is drawn from it.
func TestStudiesFixedAndRanged(t *testing.T) {
	p := studies(t, "ddm", StudySettings{Settings: Settings{Subjects: 4, Trials: 500, Seed: 1, Fixed: []string{"z=0.3"}, Ranges: []string{"a=0.8,0.9"},
		Chains: 2, Warmup: 200, Draws: 200}, Studies: 2, Design: Design{Formulas: []string{"v ~ 1 + (1 | who)"}, Truths: []string{"t=0.25"}}})
	out := recoverStudies(t, p)
	if names := p.Population(); !slices.Equal(names, []string{"v_Intercept", "v_1|who_sigma", "a", "t"}) {
		t.Fatal(names)
	}
	for _, e := range out.Params[2].Estimates {
		if !(e.Truth >= 0.8 && e.Truth <= 0.9 && e.Mean >= 0.8 && e.Mean <= 0.9) {
			t.Errorf("a: %+v", e)
		}
	}
	for _, e := range out.Params[3].Estimates { // of 2,000 trials t has a standard error of about .004, if z is what it is
		if !(math.Abs(e.Mean-0.25) < 0.02) {
			t.Errorf("t: %+v", e)
		}
	}
}

func TestStudiesRefuse(t *testing.T) {
	m, err := catalog.Open("ddm")
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*StudySettings){
		`formula "v ~ 1 +": `:                             func(s *StudySettings) { s.Design.Formulas[0] = "v ~ 1 +" },
		"column x: a formula names it: say what it holds": func(s *StudySettings) { s.Design.Formulas[0] = "v ~ x + (1 | who)" },
		"column who: a formula groups by it and by item":  func(s *StudySettings) { s.Design.Formulas[0] = "v ~ 1 + (1 | who) + (1 | item)" },
		"column x: want NAME=VALUE,VALUE,… or NAME=DIST":  func(s *StudySettings) { s.Design.Within = []string{"x"} },
		"column x: value 2 is empty":                      func(s *StudySettings) { s.Design.Within = []string{"x=1,"} },
		"column x: there is a column of that name":        func(s *StudySettings) { s.Design.Between = []string{"x=1,2"}; s.Design.Within = []string{"x=1,2"} },
		"column 2000 participants of 1000 trials":         func(s *StudySettings) { s.Subjects, s.Trials = 2000, 1000 },
		"link a=log: want NAME=LINK":                      func(s *StudySettings) { s.Design.Links = []string{"a=log"} },
		"v: it has a formula":                             func(s *StudySettings) { s.Fixed = []string{"v=1"} },
		"value of a: 2 lies outside its range [0.5, 1]":   func(s *StudySettings) { s.Ranges = []string{"a=0.5,1"}; s.Design.Truths = []string{"a=2"} },
		"prior of w: no such coefficient":                 func(s *StudySettings) { s.Priors = []string{"w=normal(0,1)"} },
		"value of v: no such coefficient":                 func(s *StudySettings) { s.Design.Truths = []string{"v=1"} },
		"theta v_Intercept: high is not a number":         func(s *StudySettings) { s.Design.Truths = []string{"v_Intercept=high"} },
		`preset "none": want one of`:                      func(s *StudySettings) { s.Design = Design{Preset: "none"} },
	} {
		s := StudySettings{Settings: DefaultSettings(), Studies: 1, Design: Design{Formulas: []string{"v ~ 1 + (1 | who)"}}}
		change(&s)
		if _, err := NewStudies(m, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Intervals of population parameters hold the truth as often as they say, over 60 studies of the exact density.
func TestStudiesCover(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("minutes of fits: LIKC_LONG=1")
	}
	out := recoverStudies(t, studies(t, "ddm", StudySettings{Settings: Settings{Subjects: 12, Trials: 60, Seed: 2, Chains: 4, Warmup: 300, Draws: 300}, Studies: 60,
		Design: Design{Formulas: []string{"v ~ 1 + cond + (1 + cond | who)", "a ~ 1 + (1 | who)"}, Within: []string{"cond=easy,hard"}}}))
	for _, p := range out.Params {
		if !(float64(p.Covered90) >= out.Band90[0] && float64(p.Covered90) <= out.Band90[1]) {
			t.Errorf("%s: intervals of 90 %% hold %v, want within %v", p.Name, p.Covered90, out.Band90)
		}
	}
}
