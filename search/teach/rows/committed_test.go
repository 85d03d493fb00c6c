package rows_test

import (
	"math"
	"testing"

	"likc/runtime/model/neural"
	"likc/search/study/bank"
	"likc/search/teach/corpus"
	"likc/search/teach/gate"
	"likc/search/teach/rows"
)

const testdata = "../../../testdata/"

// TestCommitted: the committed rows are the committed bank's trials, scored by the committed teacher, which its gate admits.
func TestCommitted(t *testing.T) {
	r, err := rows.Read(testdata + "banks/search-rows-scored")
	if err != nil {
		t.Fatal(err)
	}
	b, err := bank.Open(testdata + "banks/search-rows")
	if err != nil {
		t.Fatal(err)
	}
	dir := testdata + "teacher/spline"
	o, err := neural.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gate.Admitted(dir, o); err != nil {
		t.Fatal(err)
	}
	if r.Teacher != (rows.Source{Kind: o.Kind, Sum: o.Sum, Gated: true}) || r.BankSum != corpus.Hash(b) {
		t.Errorf("scored by %+v on bank %s, want the committed teacher %s and bank %s", r.Teacher, r.BankSum, o.Sum, corpus.Hash(b))
	}
	again, err := rows.Score(o, b, r.Teacher)
	if err != nil {
		t.Fatal(err)
	}
	if r.Groups != 800 || r.Trials != 20 {
		t.Errorf("%d groups of %d", r.Groups, r.Trials)
	}
	for g := range again.Target {
		for k, y := range again.Target[g] {
			if r.RT[g][k] != again.RT[g][k] || math.Abs(r.Target[g][k]-y) > 1e-9*math.Max(1, math.Abs(y)) {
				t.Fatalf("group %d, trial %d: rt %v, target %v; scored again %v, %v", g, k, r.RT[g][k], r.Target[g][k], again.RT[g][k], y)
			}
		}
	}
}
