package recovery

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"likc/runtime/model/catalog"
	_ "likc/runtime/model/plugins" // evaluations in another process would take most of the time
	"likc/search/study"
)

func studies(t *testing.T, model string, s study.StudySettings) *Plan {
	t.Helper()
	m, err := catalog.Open(model)
	if err != nil {
		t.Fatal(err)
	}
	experiments, err := study.NewStudies(m, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := experiments.Open(); err != nil {
		t.Fatal(err)
	}
	p := NewStudies(m, experiments)
	t.Cleanup(func() { p.Close() })
	return p
}

func recoverStudies(t *testing.T, p *Plan) Summary {
	t.Helper()
	out, err := p.Run(t.Context(), study.InMemory(0), nil)
	if err != nil {
		t.Fatal(err)
	}
	if out.Failed > 0 {
		t.Fatal(out.Why)
	}
	return out
}

// logNormals are studies of log-normal times: their means vary by participant and differ by condition.
var logNormals = study.StudySettings{Settings: study.Settings{Subjects: 20, Trials: 40, Seed: 5, Sampling: study.Sampling{Chains: 2, Warmup: 200, Draws: 200}}, Studies: 3, Design: study.Design{
	Formulas: []string{"mu ~ 1 + cond + (1 | who)"}, Links: []string{"mu=identity"}, Within: []string{"cond=easy,hard"},
	Truths: []string{"mu_cond[hard]=0.4", "mu_1|who_sigma=0.3", "sigma=0.5"}}}

// Estimates follow stated true values as closely as the data allow. A study's numbers depend only on its index.
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
	alone, err := study.Each(p, p, compare)(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for j, of := range out.Params {
		if e := of.Estimates[1]; float64(alone.Truth[j]) != e.Truth || float64(alone.Mean[j]) != e.Mean {
			t.Errorf("%s: the second study has %+v, alone %v and %v", of.Name, e, alone.Truth[j], alone.Mean[j])
		}
	}
}

// A fixed parameter is simulated at its value and not estimated. True values of a parameter with a range lie in that range.
func TestStudiesFixedAndRanged(t *testing.T) {
	p := studies(t, "ddm", study.StudySettings{Settings: study.Settings{Subjects: 4, Trials: 500, Seed: 1, Fixed: []string{"z=0.3"}, Ranges: []string{"a=0.8,0.9"},
		Sampling: study.Sampling{Chains: 2, Warmup: 200, Draws: 200}}, Studies: 2, Design: study.Design{Formulas: []string{"v ~ 1 + (1 | who)"}, Truths: []string{"t=0.25"}}})
	out := recoverStudies(t, p)
	if names := p.names; !slices.Equal(names, []string{"v_Intercept", "v_1|who_sigma", "a", "t"}) {
		t.Fatal(names)
	}
	for _, e := range out.Params[2].Estimates {
		if !(e.Truth >= 0.8 && e.Truth <= 0.9 && e.Mean >= 0.8 && e.Mean <= 0.9) {
			t.Errorf("a: %+v", e)
		}
	}
	for _, e := range out.Params[3].Estimates { // with 2,000 trials and z known, t has a standard error of about 0.004
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
	for want, change := range map[string]func(*study.StudySettings){
		`formula "v ~ 1 +": `:                             func(s *study.StudySettings) { s.Design.Formulas[0] = "v ~ 1 +" },
		"column x: a formula names it: say what it holds": func(s *study.StudySettings) { s.Design.Formulas[0] = "v ~ x + (1 | who)" },
		"column who: a formula groups by it and by item":  func(s *study.StudySettings) { s.Design.Formulas[0] = "v ~ 1 + (1 | who) + (1 | item)" },
		"column x: want NAME=VALUE,VALUE,… or NAME=DIST":  func(s *study.StudySettings) { s.Design.Within = []string{"x"} },
		"column x: value 2 is empty":                      func(s *study.StudySettings) { s.Design.Within = []string{"x=1,"} },
		"column x: there is a column of that name": func(s *study.StudySettings) {
			s.Design.Between = []string{"x=1,2"}
			s.Design.Within = []string{"x=1,2"}
		},
		"column 2000 participants of 1000 trials":       func(s *study.StudySettings) { s.Subjects, s.Trials = 2000, 1000 },
		"link a=log: want NAME=LINK":                    func(s *study.StudySettings) { s.Design.Links = []string{"a=log"} },
		"v: it has a formula":                           func(s *study.StudySettings) { s.Fixed = []string{"v=1"} },
		"value of a: 2 lies outside its range [0.5, 1]": func(s *study.StudySettings) { s.Ranges = []string{"a=0.5,1"}; s.Design.Truths = []string{"a=2"} },
		"prior of w: no such coefficient":               func(s *study.StudySettings) { s.Priors = []string{"w=normal(0,1)"} },
		"value of v: no such coefficient":               func(s *study.StudySettings) { s.Design.Truths = []string{"v=1"} },
		"theta v_Intercept: high is not a number":       func(s *study.StudySettings) { s.Design.Truths = []string{"v_Intercept=high"} },
		`preset "none": want one of`:                    func(s *study.StudySettings) { s.Design = study.Design{Preset: "none"} },
	} {
		s := study.StudySettings{Settings: study.DefaultSettings(), Studies: 1, Design: study.Design{Formulas: []string{"v ~ 1 + (1 | who)"}}}
		change(&s)
		if _, err := study.NewStudies(m, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Intervals of population parameters contain the truth as often as they should, over 60 studies of the exact density.
func TestStudiesCover(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("minutes of fits: LIKC_LONG=1")
	}
	out := recoverStudies(t, studies(t, "ddm", study.StudySettings{Settings: study.Settings{Subjects: 12, Trials: 60, Seed: 2, Sampling: study.Sampling{Chains: 4, Warmup: 300, Draws: 300}}, Studies: 60,
		Design: study.Design{Formulas: []string{"v ~ 1 + cond + (1 + cond | who)", "a ~ 1 + (1 | who)"}, Within: []string{"cond=easy,hard"}}}))
	for _, p := range out.Params {
		if !(float64(p.Covered90) >= out.Band90[0] && float64(p.Covered90) <= out.Band90[1]) {
			t.Errorf("%s: intervals of 90 %% hold %v, want within %v", p.Name, p.Covered90, out.Band90)
		}
	}
}
