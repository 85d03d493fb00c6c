package study

import (
	"math"
	"slices"
	"strings"
	"testing"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/trials"
)

// design returns data of three participants with 60, 40 and 20 trials, one participant after the other.
func design(t *testing.T) *Columns {
	t.Helper()
	var b strings.Builder
	b.WriteString("id,block,ra,rb\n")
	for i := range 120 {
		who := "anna"
		if i >= 60 {
			who = "bert"
		}
		if i >= 100 {
			who = "cleo"
		}
		block := "1"
		if i%2 == 0 && i%20 < 10 {
			block = "2"
		}
		b.WriteString(who + "," + block + "," + []string{"1", "0"}[i%2] + "," + []string{"0", "1", "1"}[i%3] + "\n")
	}
	m, err := catalog.Open("rl_ddm")
	if err != nil {
		t.Fatal(err)
	}
	s, ok := m.Sequence()
	if !ok {
		t.Fatal("rl_ddm draws no sequence")
	}
	table, err := trials.ReadCSV("design.csv", strings.NewReader(b.String()), trials.Options{Trials: s.Needed(), Labels: len(m.Restarts()), Persons: true, Extra: []string{"id"}})
	if err != nil {
		t.Fatal(err)
	}
	return &Columns{Table: table}
}

// The reward of each trial is that of the chosen option. Subjects use the participants' rows in turn, and an experiment uses all
// rows.
func TestDrawsSequences(t *testing.T) {
	m, err := catalog.Open("rl_ddm")
	if err != nil {
		t.Fatal(err)
	}
	s := Settings{Subjects: 4, Seed: 1, Sampling: Sampling{Chains: 1, Warmup: 1, Draws: 1}, Columns: design(t)}
	subjects, err := NewSubjects(m, s)
	if err != nil {
		t.Fatal(err)
	}
	defer subjects.Close()
	for i, rows := range []int{60, 40, 20, 60} {
		c, err := subjects.Case(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		people := s.Columns.Table.ByPerson()
		sees(t, &c, people[i%len(people)])
		if len(c.Choice) != rows {
			t.Errorf("subject %d: %d trials, want %d", i, len(c.Choice), rows)
		}
	}
	experiments, err := NewStudies(m, StudySettings{Settings: s, Studies: 1, Design: Design{Formulas: []string{"alpha ~ 1 + (1 | id)"}}})
	if err == nil {
		err = experiments.Open()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer experiments.Close()
	c, err := experiments.Case(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	sees(t, &c, s.Columns.Table)
	if !slices.Equal(c.Person, s.Columns.Table.Person) || len(c.Choice) != 120 {
		t.Errorf("%d trials of persons %v", len(c.Choice), c.Person)
	}
	lik, err := experiments.binder.Bind(kernel.Trials{Columns: c.Columns, Choice: c.Choice, Person: c.Person}, bound.Design{})
	if err != nil {
		t.Fatal(err)
	}
	if v := lik.LogLik([]float64{0.3, 2, 1, 0.01}); math.IsNaN(v) || math.IsInf(v, 0) {
		t.Errorf("the log-likelihood is %v", v)
	}
}

// TestExperimentsHaveDeadlines: with a deadline, late trials of an experiment of a learning model have no response, and the others are in time.
func TestExperimentsHaveDeadlines(t *testing.T) {
	m, err := catalog.Open("rl_ddm")
	if err != nil {
		t.Fatal(err)
	}
	s := Settings{Subjects: 3, Seed: 1, Sampling: Sampling{Chains: 1, Warmup: 1, Draws: 1}, Columns: design(t)}
	s.Deadline = trials.Deadline{Seconds: 2.5}
	experiments, err := NewStudies(m, StudySettings{Settings: s, Studies: 1, Design: Design{Formulas: []string{"alpha ~ 1 + (1 | id)"}}})
	if err == nil {
		err = experiments.Open()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer experiments.Close()
	c, err := experiments.Case(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	omitted := 0
	for i, choice := range c.Choice {
		if choice == trials.Omitted {
			omitted++
		} else if !(c.Columns[0][i] <= 2.5) {
			t.Errorf("trial %d: a response at %v", i, c.Columns[0][i])
		}
	}
	if omitted == 0 || omitted != c.Omitted || omitted == len(c.Choice) {
		t.Errorf("%d of %d trials have no response; %d are counted", omitted, len(c.Choice), c.Omitted)
	}
}

// sees checks that the reward of each trial is the one that the chosen option pays.
func sees(t *testing.T, c *Case, given *trials.Table) {
	t.Helper()
	ra, rb := given.Column("ra"), given.Column("rb")
	for i, choice := range c.Choice {
		if want := map[float64]float64{1: ra[i], -1: rb[i]}[choice]; c.Columns[1][i] != want || !(c.Columns[0][i] > 0) {
			t.Fatalf("trial %d: choice %v, reward %v, want %v; response time %v", i, choice, c.Columns[1][i], want, c.Columns[0][i])
		}
	}
}

// A model whose trials depend on columns needs a table of them; other models refuse one.
func TestColumnsOfSequences(t *testing.T) {
	s := Settings{Subjects: 1, Trials: 10, Seed: 1, Sampling: Sampling{Chains: 1, Warmup: 1, Draws: 1}}
	for name, want := range map[string]string{"rl_ddm": "ra, rb, block", "ddm": "depend on no columns"} {
		m, err := catalog.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if s.Columns = nil; name == "ddm" {
			s.Columns = design(t)
		}
		if _, err := NewSubjects(m, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
