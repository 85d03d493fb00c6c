package recovery

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"likc/runtime/model/catalog"
	"likc/runtime/model/lapse"
	"likc/runtime/model/trials"
	"likc/search/study"
)

// task is a model with lapses or a deadline, with settings for which a fit takes a fraction of a second.
type task struct {
	name     string
	lapse    string // prior or value of the probability of a lapse; "" for none
	deadline float64
	respond  float64
}

// settings returns the settings of subjects, with the wishes for lapses.
func (c *task) settings(subjects int) study.Settings {
	s := study.Settings{Subjects: subjects, Trials: 200, Seed: 4, Ranges: []string{"t=0.2,0.6"}, Sampling: study.Sampling{Chains: 2, Warmup: 300, Draws: 300}}
	s.Deadline, s.Go = trials.Deadline{Seconds: c.deadline}, c.respond
	if c.lapse != "" {
		s.Lapses = "0,3"
	}
	switch p, _ := lapse.ParseProbability(c.lapse); {
	case c.lapse == "":
	case p.Fixed:
		s.Fixed = append(s.Fixed, "lapse="+c.lapse)
	default:
		s.Priors = append(s.Priors, "lapse="+c.lapse)
	}
	return s
}

// model returns the model without lapses and deadlines.
func (c *task) model(t *testing.T) *catalog.Model {
	t.Helper()
	m, err := catalog.Open(c.name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (c *task) plan(t *testing.T, subjects int) *Plan {
	t.Helper()
	p, err := New(c.model(t), c.settings(subjects))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// covered returns the share of all parameters' 90 % intervals that hold the truth, and the number of these intervals.
func covered(s *Summary) (share float64, n int) {
	for _, p := range s.Params {
		share += float64(p.Covered90) * float64(len(p.Estimates))
		n += len(p.Estimates)
	}
	return share / float64(n), n
}

// ignorant fits the responses of cases with a model without lapses and omissions.
type ignorant struct{ *study.Subjects }

func (f ignorant) Fit(ctx context.Context, c *study.Case) (*study.Fitted, error) {
	responses := *c
	responses.Choice, responses.Columns = nil, [][]float64{nil}
	for i, rt := range c.Columns[0] {
		if c.Choice == nil || c.Choice[i] != trials.Omitted {
			responses.Columns[0] = append(responses.Columns[0], rt)
		}
	}
	return f.Subjects.Fit(ctx, &responses)
}

// TestTasksCover: if fits model lapses and deadlines, intervals hold the truth as often as they should. If they do not, intervals
// hold it less often. Early lapses that count as responses lower t, and dropping late responses raises the drift.
func TestTasksCover(t *testing.T) {
	for _, c := range []struct {
		task
		subjects, long int    // number of subjects; the second with LIKC_LONG
		biased         string // the parameter that ignorance biases most; "" if it is not tried
		sign           float64
	}{
		{task{name: "shifted_wald", lapse: "0.05"}, 12, 200, "t", -1},
		{task{name: "shifted_wald", deadline: 3}, 0, 200, "v", 1},
		{task{name: "shifted_wald", deadline: 1.5}, 20, 100, "v", 1},
		{task{name: "shifted_wald", lapse: "beta(2,38)"}, 0, 100, "", 0},
		{task{name: "shifted_wald", deadline: 1.5, lapse: "beta(2,38)"}, 0, 100, "", 0},
		{task{name: "ddm", deadline: 1.5, respond: 1}, 0, 100, "", 0},
	} {
		if os.Getenv("LIKC_LONG") != "" {
			c.subjects = c.long
		}
		if c.subjects == 0 {
			continue
		}
		p := c.plan(t, c.subjects)
		out := recoverAll(t, p)
		share, n := covered(&out)
		t.Logf("%+v: %.1f %% of the trials have no response; 90 %% intervals hold %.3f of %d values", c.task, 100*out.Omitted, share, n)
		if out.Failed > 0 || !Band(n, 0.9).Holds(share) {
			t.Errorf("%+v: intervals of 90 %% hold %.3f of %d values, want within %v; %d failed", c.task, share, n, Band(n, 0.9), out.Failed)
		}
		if c.biased == "" {
			continue
		}
		plain := task{name: c.name}
		bare, err := study.NewSubjects(plain.model(t), plain.settings(c.subjects))
		if err != nil {
			t.Fatal(err)
		}
		defer bare.Close()
		p.Fitter = ignorant{bare}
		out = recoverAll(t, p)
		share, _ = covered(&out)
		at := slices.IndexFunc(out.Params, func(q Param) bool { return q.Name == c.biased })
		bias := float64(out.Params[at].Bias)
		t.Logf("%+v, not known to fits: 90 %% intervals hold %.3f; bias of %s %.3f", c.task, share, c.biased, bias)
		if Band(n, 0.9).Holds(share) || !(bias*c.sign > 0) {
			t.Errorf("%+v, not known to fits: intervals of 90 %% hold %.3f of %d values, and the bias of %s is %v", c.task, share, n, c.biased, bias)
		}
	}
}

// TestDeadlinesOfConditions: with deadlines in a column, a trial is omitted if its response is later than its condition's
// deadline.
func TestDeadlinesOfConditions(t *testing.T) {
	c := task{name: "shifted_wald", deadline: 1, lapse: "0.05"}
	s := study.StudySettings{Settings: c.settings(4), Studies: 1, Design: study.Design{Formulas: []string{"v ~ 1 + (1 | who)"}, Within: []string{"by=0.7,1.4"}}}
	s.Deadline = trials.Deadline{Column: "by"}
	experiments, err := study.NewStudies(c.model(t), s)
	if err != nil {
		t.Fatal(err)
	}
	if err := experiments.Open(); err != nil {
		t.Fatal(err)
	}
	defer experiments.Close()
	got, err := experiments.Case(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	omitted := 0
	for i, rt := range got.Columns[0] {
		by := []float64{0.7, 1.4}[i%2]
		late := got.Choice[i] == trials.Omitted
		if rt > by || late != (rt == by) {
			t.Errorf("trial %d: %v s with a deadline of %v s, choice %v", i, rt, by, got.Choice[i])
		}
		if late {
			omitted++
		}
	}
	if omitted != got.Omitted || omitted == 0 || omitted == len(got.Choice) {
		t.Errorf("%d omissions, and %d are said", omitted, got.Omitted)
	}
	for want, by := range map[string]trials.Deadline{"no such column": {Column: "when"}, "holds other values": {Column: "cond"}} {
		s.Deadline = by
		s.Design.Within = []string{"by=0.7,1.4", "cond=a,b"}
		if _, err := study.NewStudies(c.model(t), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
