package judge

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/honesty"
	"likc/runtime/model/trials"
	"likc/search/study"
	"likc/search/study/bank"
	"likc/search/study/banked"
)

// saturating is the text of a model whose drift depends on the column coh. Sprintf inserts the drift for %s.
const saturating = `model m { trial rt positive trial coh choice c
  param k in [0, 8] param e in [0.3, 2] param a in [0.5, 1.5] param t in [0, 0.5]
  loglik = ddm(v = %s, a, z = 0.5, t) }`

const drift = "k*sign(coh)*abs(coh)^e"

func parsedModel(t *testing.T, text string) *catalog.Model {
	t.Helper()
	m, err := catalog.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// bankOf simulates a bank of a model whose trials depend on columns. csv is the text of the data with these columns.
func bankOf(t *testing.T, m *catalog.Model, csv string, subjects int) *bank.Bank {
	t.Helper()
	of, _ := m.Sequence()
	given, err := trials.ReadCSV("design.csv", strings.NewReader(csv), trials.Options{Trials: of.Needed(), Labels: len(m.Restarts()), Persons: true})
	if err != nil {
		t.Fatal(err)
	}
	o := &bank.InOrder{Model: m, Given: given}
	s, err := o.Settings("test-60", "", 3)
	if err != nil {
		t.Fatal(err)
	}
	s.Subjects = subjects
	b, err := o.Make(t.Context(), s, 2)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestJudgesColumns: on a bank of a model whose drift depends on a column, the model itself is not called dishonest, but a model
// with half the drift is. With LIKC_LONG there are enough subjects to call the first one honest.
func TestJudgesColumns(t *testing.T) {
	var csv strings.Builder
	csv.WriteString("coh\n")
	for i := range 100 {
		fmt.Fprintln(&csv, []string{"-0.9", "-0.3", "-0.1", "0.1", "0.3", "0.9"}[i%6])
	}
	subjects := 30
	if os.Getenv("LIKC_LONG") != "" {
		subjects = 400
	}
	model := parsedModel(t, fmt.Sprintf(saturating, drift))
	b := bankOf(t, model, csv.String(), subjects)
	own, wrong := Entry{"own", model}, Entry{"wrong", parsedModel(t, fmt.Sprintf(saturating, "0.5*"+drift))}
	s := DefaultSettings()
	s.Chains, s.Warmup, s.Draws, s.Threads, s.Reference = 2, 150, 150, 2, &Reference{Entry: own}
	job := &Job{Entries: []Entry{own, wrong}, Bank: b, Settings: s}
	if err := Check(job.Entries, b); err != nil {
		t.Fatal(err)
	}
	if err := job.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	first, second := job.Verdicts[0], job.Verdicts[1]
	if second.Duplicate != 0 || second.Honest != honesty.NotHonest {
		t.Errorf("half the drift: duplicate of %d, honest %q; want %q of its own", second.Duplicate, second.Honest, honesty.NotHonest)
	}
	if subjects > 100 && first.Honest != honesty.Honest || first.Honest == honesty.NotHonest {
		t.Errorf("the model itself: honest %q on %d subjects", first.Honest, subjects)
	}
	spread := math.Sqrt(0.9 * 0.1 / float64(subjects))
	for _, p := range first.Params {
		if p.RMSERatio != 1 || float64(p.Covered) < 0.9-3.7*spread {
			t.Errorf("the model itself: %s: error ratio %v, 90 %% intervals cover %v", p.Name, p.RMSERatio, p.Covered)
		}
	}
	if k := second.Params[0]; !(k.Bias > 0.5) || !(k.RMSERatio > 1.5) {
		t.Errorf("half the drift: k has the bias %v and the error ratio %v; want estimates that are too large", k.Bias, k.RMSERatio)
	}
}

// TestBindsStates: the likelihood of a bank's subject equals that of a recursion that the test computes.
func TestBindsStates(t *testing.T) {
	m, err := catalog.Open("rl_softmax")
	if err != nil {
		t.Fatal(err)
	}
	var csv strings.Builder
	csv.WriteString("subject,block,ra,rb\n")
	for i := range 60 {
		fmt.Fprintf(&csv, "p%d,%c,%d,%d\n", i/40, 'x'+rune(i/15%2), i*7%3%2, i*i%5%2)
	}
	b := bankOf(t, m, csv.String(), 3)
	p, err := bound.Open(m, bound.Auto)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	source := banked.Source(b)
	for i, s := range b.Subjects {
		c, err := source.Case(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		problem, err := study.Binding(m, p)(&c)
		if err != nil {
			t.Fatal(err)
		}
		const alpha, beta = 0.3, 4.0
		want, qa, qb := 0.0, 0.5, 0.5
		reward, block := s.Columns[0], s.Columns[1]
		for k, choice := range s.Choice {
			if k > 0 && block[k] != block[k-1] {
				qa, qb = 0.5, 0.5
			}
			want -= math.Log1p(math.Exp(-choice * beta * (qa - qb)))
			if choice > 0 {
				qa += alpha * (reward[k] - qa)
			} else {
				qb += alpha * (reward[k] - qb)
			}
		}
		if got := problem.LogLikGrad([]float64{alpha, beta}, make([]float64, 2)); math.Abs(got-want) > 1e-10*math.Abs(want) {
			t.Errorf("subject %d: log-likelihood %v, want %v", i, got, want)
		}
		if len(s.Choice) != []int{40, 20}[i%2] || slices.Max(block) == slices.Min(block) {
			t.Errorf("subject %d: %d trials, blocks %v", i, len(s.Choice), block)
		}
	}
}

// TestLacksColumns: a candidate that reads columns that the bank does not have is refused before anything is fitted.
func TestLacksColumns(t *testing.T) {
	model := parsedModel(t, fmt.Sprintf(saturating, drift))
	b := bankOf(t, model, "coh\n0.1\n0.5\n-0.5\n", 2)
	other := strings.ReplaceAll(fmt.Sprintf(saturating, drift), "coh", "contrast")
	err := Check([]Entry{{"other", parsedModel(t, other)}}, b)
	if err == nil || err.Error() != "other reads the column contrast, and the bank has coh" {
		t.Errorf("another column: %v", err)
	}
	if !slices.Equal(b.Settings.Design.Columns, []string{"coh"}) {
		t.Errorf("columns %v", b.Settings.Design.Columns)
	}
	choices := bankOf(t, parsedModel(t, `model s { trial x choice c param k in [0, 8] param e in [0.3, 2] param a in [0.5, 1.5] param t in [0, 0.5]
  state q = 0 next { q = q + c*(x + k + e + a + t)*0 } lower { } loglik = -softplus(-c*k*q) }`), "x\n1\n0\n", 2)
	if err := Check([]Entry{{"timed", model}}, choices); err == nil || err.Error() != "timed reads response times, and trials of s, from which the bank is simulated, have none" {
		t.Errorf("response times: %v", err)
	}
}
