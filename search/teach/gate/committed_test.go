package gate

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"likc/runtime/model/neural"
	"likc/runtime/model/neural/lan"
	"likc/runtime/model/ssm"
	"likc/search/teach/teacher"
)

const testdata = "../../../testdata/teacher"

// TestCommittedAdmitted: the committed teachers pass, and the default one is at least as good as the paper's.
func TestCommittedAdmitted(t *testing.T) {
	for _, kind := range []string{"spline", "flow"} {
		dir := filepath.Join(testdata, kind)
		o, err := neural.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Admitted(dir, o); err != nil {
			t.Fatal(err)
		}
		r, err := Decode(o.Gate)
		if err != nil {
			t.Fatal(err)
		}
		for name, most := range map[string]float64{"ece": 0.041, "predictive_ks": 0.092, "choice_mae": 0.017, "mass_median": 0.005} {
			if f, ok := r.Figure(name); !ok || f.Value == nil || *f.Value > most {
				t.Errorf("%s: %v, want at most %v", kind, f, most)
			}
		}
		for name, least := range map[string]float64{"choice_r": 0.996, "cross_r": 0.982, "exact_r": 0.997} {
			if f, ok := r.Figure(name); !ok || f.Value == nil || *f.Value < least {
				t.Errorf("%s: %v, want at least %v", kind, f, least)
			}
		}
	}
}

// TestProcessesHaveTeachers: the teachers that likc models lists pass with an independent cross-check, say so in a line, and are small
// enough to come with the program.
func TestProcessesHaveTeachers(t *testing.T) {
	for _, process := range []string{"angle", "full_ddm", "gamma_drift", "hyperbolic", "lca2", "lca3", "levy", "ornstein", "race_angle2", "race_angle3", "race_angle4", "shrinking_spotlight", "weibull"} {
		dir := filepath.Join(testdata, process)
		o, err := neural.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Admitted(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Network == nil || o.Model != process || !strings.Contains(r.Summary(), "correlated with the truth at ") {
			t.Errorf("%s: of %s, cross-checked with %v: %s", process, o.Model, r.Network, r.Summary())
		}
		if weights, err := os.Stat(filepath.Join(dir, neural.WeightsFile)); err != nil || weights.Size() > 300_000 {
			t.Errorf("%s: %v bytes of weights, %v", process, weights.Size(), err)
		}
	}
}

// TestWeakParameters: recovering a parameter that trials hardly determine is no condition of admission; recovering the others is.
func TestWeakParameters(t *testing.T) {
	weibull, err := ssm.Lookup("weibull")
	if err != nil {
		t.Fatal(err)
	}
	var wanted []string
	for _, l := range limits(weibull) {
		wanted = append(wanted, l.name)
	}
	for name, want := range map[string]bool{"recovery_v": true, "recovery_t": true, "recovery_alpha": false, "recovery_beta": false} {
		if slices.Contains(wanted, name) != want {
			t.Errorf("%s among the conditions: %v, want %v", name, !want, want)
		}
	}
}

// TestCommittedAgain: examined again, the default teacher has the figures of its report.
func TestCommittedAgain(t *testing.T) {
	o, err := neural.Open(filepath.Join(testdata, "spline"))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := Decode(o.Gate)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Examine(context.Background(), Of(o), gateBank(t, 100, 1000), nil, kept.Settings)
	if err != nil {
		t.Fatal(err)
	}
	if e.Bank != kept.Bank || e.Teacher != kept.Teacher {
		t.Errorf("bank %s, teacher %s, the report has %s and %s", e.Bank, e.Teacher, kept.Bank, kept.Teacher)
	}
	for _, f := range e.Figures {
		if was, ok := kept.Figure(f.Name); f.Value != nil && (!ok || was.Value == nil || math.Abs(*f.Value-*was.Value) > 1e-3) {
			t.Errorf("%v, the report has %v", f, was)
		}
	}
	if plots, err := e.Plots(o.Stages); err != nil || len(plots) != 3 {
		t.Errorf("%d plots, %v", len(plots), err)
	}
}

// report is a teacher's, open to changes.
func report(t *testing.T, o *neural.Teacher) *Report {
	t.Helper()
	r, err := Decode(o.Gate)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// put is a teacher with another report.
func put(t *testing.T, o *neural.Teacher, r *Report) *neural.Teacher {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	other := *o
	other.Gate = text
	return &other
}

// drop removes a figure.
func drop(r *Report, name string) {
	r.Figures = slices.DeleteFunc(r.Figures, func(f Figure) bool { return f.Name == name })
}

// change puts another figure in the place of one.
func change(r *Report, f Figure) {
	for i := range r.Figures {
		if r.Figures[i].Name == f.Name {
			r.Figures[i] = f
		}
	}
	r.Pass = len(r.Failed()) == 0
}

// TestRefused: a teacher is refused with another's report, with one that does not pass, by this program's thresholds, and
// with one of less than the whole gate, whatever the report says of itself.
func TestRefused(t *testing.T) {
	o, err := neural.Open(filepath.Join(testdata, "spline"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*Report)
		want   string
	}{
		"other weights":    {func(r *Report) { r.Teacher = strings.Repeat("0", 64) }, "the report of other weights"},
		"fails":            {func(r *Report) { change(r, below("ece", 0.3, MostECE, "")) }, "does not pass its gate: ece 0.3, want below 0.1"},
		"verdict":          {func(r *Report) { r.Figures[0] = below("ece", 0.3, MostECE, "") }, "pass does not follow"},
		"figure's verdict": {func(r *Report) { *r.Figures[0].Value = 0.3 }, "figure ece: pass does not follow"},
		"twice":            {func(r *Report) { r.Figures = append(r.Figures, r.Figures[0]) }, "figure ece: comes twice"},
		"own threshold":    {func(r *Report) { change(r, below("ece", 0.3, 0.5, "")) }, "ece 0.3, want below 0.1"},
		"no threshold":     {func(r *Report) { change(r, information("choice_r", 0.3, "", "")) }, "choice_r 0.3, want above 0.95"},
		"turned":           {func(r *Report) { change(r, below("recovery_v", 0.3, 0.85, "")) }, "recovery_v 0.3, want above 0.85"},
		"missing":          {func(r *Report) { drop(r, "mass_worst") }, "mass_worst is missing"},
		"no recovery":      {func(r *Report) { drop(r, "recovery_a") }, "recovery_a is missing"},
		"said not run":     {func(r *Report) { change(r, notRun("recovery_a", "", "no time")) }, "recovery_a not run: no time"},
		"undefined":        {func(r *Report) { change(r, Figure{Name: "ece", Pass: true, Note: undefined}) }, "ece undefined"},
		"fewer recovered":  {func(r *Report) { r.Settings.Recovery = 8 }, "8 subjects recovered, want 24"},
		"short recovery":   {func(r *Report) { r.Settings.RecoveryTrials = 10 }, "10 trials of each, want 300"},
		"fewer compared":   {func(r *Report) { r.Settings.Crossed = 3 }, "3 trials compared a subject, want 100"},
		"fewer draws":      {func(r *Report) { r.Settings.Draws = 10 }, "10 draws, want 1000"},
		"fewer subjects":   {func(r *Report) { r.Subjects = 20 }, "20 subjects, want 100"},
		"fewer trials":     {func(r *Report) { r.Trials = 100 }, "100 trials a subject, want 1000"},
		"another role":     {func(r *Report) { r.Role = "test-60" }, "role test-60, want gate-100"},
		"no network":       {func(r *Report) { r.Network = nil }, "no cross-check"},
		"itself":           {func(r *Report) { r.Network.Sum = r.Teacher }, "is the teacher's own weights: it is not independent"},
		"no cross-check": {func(r *Report) {
			r.Network = nil
			change(r, notRun(crossed, "", "no network was given"))
		}, "no cross-check: --lan"},
	} {
		r := report(t, o)
		c.change(r)
		if _, err := Admitted("dir", put(t, o, r)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	o.Gate = nil
	if _, err := Admitted("dir", o); err == nil || !strings.Contains(err.Error(), "has not been examined") {
		t.Errorf("%v", err)
	}
}

// TestUncrossed: without a cross-check a teacher is admitted where the report says that there is no network, and the
// verdict says so.
func TestUncrossed(t *testing.T) {
	o, err := neural.Open(filepath.Join(testdata, "spline"))
	if err != nil {
		t.Fatal(err)
	}
	r := report(t, o)
	if r.Verdict() != "passed" {
		t.Errorf("%s", r.Verdict())
	}
	r.Network, r.Settings.Uncrossed = nil, true
	change(r, notRun(crossed, "", "there is none"))
	r, err = Admitted("dir", put(t, o, r))
	if err != nil || !strings.Contains(r.Verdict(), "without a cross-check") {
		t.Errorf("%v", err)
	}
}

// TestDependentNetworks: what the teacher is, learned from or taught does not check it.
func TestDependentNetworks(t *testing.T) {
	s := Exact(ssm.DDM)
	s.Sum, s.Lineage = "me", []string{"parent"}
	b := gateBank(t, 3, 20)
	net := smallNetwork(t)
	for _, c := range []struct {
		sum, want string
		from      []string
	}{
		{"me", "own weights", nil}, {"parent", "what the teacher learned from", nil},
		{"child", "learned from the teacher", []string{"me"}}, {"sister", "from the same weights", []string{"parent"}},
	} {
		n := &Network{net, NetworkUsed{"net.json", c.sum}, c.from}
		if _, err := Examine(context.Background(), s, b, n, DefaultSettings()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.sum, err)
		}
	}
	m := s.Model
	s, n := Subject{Density: net, Model: m}, &Network{net, NetworkUsed{"same.json", "other"}, nil}
	if _, err := crossCheck(s, b, n, DefaultSettings()); err == nil || !strings.Contains(err.Error(), "own log densities") {
		t.Errorf("the same network in another file: %v", err)
	}
}

// smallNetwork is one of no worth.
func smallNetwork(t *testing.T) *lan.Network {
	t.Helper()
	layers := []lan.Layer{{Weights: []float64{0.5, 0, 0, 0, 0.3, 0}, Bias: []float64{0}}, {Weights: []float64{1}, Bias: []float64{0}}}
	n, err := lan.New("ddm", []string{"v", "a", "z", "t"}, []float64{-3, 0.3, 0.1, 0}, []float64{3, 2.5, 0.9, 2}, -16, layers)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestHeldOutSubjects: the subjects of the last check examine nothing.
func TestHeldOutSubjects(t *testing.T) {
	s := Exact(ssm.DDM)
	b := gateBank(t, 2, 5)
	b.Settings.Role = heldOut
	if _, err := Examine(context.Background(), s, b, nil, DefaultSettings()); err == nil || !strings.Contains(err.Error(), "kept for the last check") {
		t.Errorf("%v", err)
	}
}

// TestNetworkLineage: a network in a teacher's folder says what it learned from.
func TestNetworkLineage(t *testing.T) {
	p, err := teacher.NewPlan("lan", "ddm", 1)
	if err != nil {
		t.Fatal(err)
	}
	p.Bank.Subjects = 20
	p.Bank.SetTrials(5)
	if err := p.LearnFrom(filepath.Join(testdata, "spline")); err != nil {
		t.Fatal(err)
	}
	p.Settings = []byte(strings.Replace(string(p.Settings), `"epochs":40`, `"epochs":1`, 1))
	dir := filepath.Join(t.TempDir(), "net")
	if _, err := teacher.Make(context.Background(), dir, p, 1, nil); err != nil {
		t.Fatal(err)
	}
	o, err := neural.Open(filepath.Join(testdata, "spline"))
	if err != nil {
		t.Fatal(err)
	}
	n, err := ReadNetwork(filepath.Join(dir, neural.WeightsFile))
	if err != nil || n.kin(Of(o)) != "learned from the teacher" {
		t.Errorf("%v, %v", n, err)
	}
}
