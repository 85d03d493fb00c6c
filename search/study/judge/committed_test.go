package judge

import (
	"context"
	"math"
	"os"
	"slices"
	"testing"

	"likc/runtime/model/catalog"
	_ "likc/runtime/model/plugins" // evaluations in another process would take most of the time
	"likc/search/study/bank"
)

// TestCommittedVerdicts judges the paper's Expressions 1 to 5 again as they were judged for the committed file, and compares the verdicts.
// On another instruction set draws of a chain differ after some steps, because rounding errors grow. Then correlations agree to 0.01, or to half
// of their standard error over subjects if that is more: the posterior of a in expr5 has its mode at a bound, and chains reach it or not.
func TestCommittedVerdicts(t *testing.T) {
	if testing.Short() {
		t.Skip("450 fits")
	}
	text, err := os.ReadFile("../../../testdata/verdicts/honest-holdout-90.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	committed, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	b, err := bank.Open("../../../testdata/banks/holdout-90")
	if err != nil {
		t.Fatal(err)
	}
	var entries []Entry
	for _, name := range []string{"expr1", "expr2", "expr3", "expr4", "expr5"} {
		m, err := catalog.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, Entry{Name: name, Model: m})
	}
	j := &Job{Entries: entries, Bank: b, Settings: DefaultSettings()}
	if err := j.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, v := range j.Verdicts {
		k := slices.IndexFunc(committed, func(c *Verdict) bool { return c.Model == v.Model })
		if k < 0 {
			t.Fatalf("%s is not in the file", v.Model)
		}
		want := committed[k]
		if v.Pass != want.Pass || !slices.Equal(v.Recovered, want.Recovered) || v.Expr != want.Expr || v.Size != want.Size {
			t.Errorf("%+v, want %+v", v, want)
		}
		for i, p := range v.Params {
			q := want.Params[i]
			limit := max(0.01, float64(1-q.R*q.R)/(2*math.Sqrt(float64(len(b.Subjects)))))
			if off := math.Abs(float64(p.R - q.R)); !(off < limit) || !(math.Abs(float64(p.RMSE/q.RMSE)-1) < 0.03) {
				t.Errorf("%s, %s: correlation %v and error %v, want %v and %v", v.Model, p.Name, p.R, p.RMSE, q.R, q.RMSE)
			}
		}
	}
}
