package sweep

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"likc/runtime/model/front"
	"likc/runtime/num/finite"
	"likc/search/study/judge"
	"likc/search/teach/rows"
)

// searched returns a change that gives a verdict the terms of a search with two parameters.
func searched(rho, edge [2]float64, loss float64, more string) func(*judge.Verdict) {
	return func(v *judge.Verdict) {
		v.Params = []judge.Param{{Name: "v"}, {Name: "a"}}
		v.Search = &front.Search{}
		text := fmt.Appendf(nil, `{"model":"ddm","loss":%v,"terms":{"mse":%v,"rho_v":%v,"rho_a":%v,"edge_v":%v,"edge_a":%v%s}}`,
			loss, loss/2, rho[0], rho[1], edge[0], edge[1], more)
		if err := json.Unmarshal(text, v.Search); err != nil {
			panic(err)
		}
	}
}

func TestPredictors(t *testing.T) {
	r := of(t, 1,
		verdict("p", 1, 1, 0.9, searched([2]float64{0.5, 0.5}, [2]float64{0, 0}, 2, `,"joint_v":1,"joint_a":1,"joint_edge_v":0,"joint_edge_a":0`)),
		verdict("q", 1, 1, 0.6, searched([2]float64{0.9, 0.1}, [2]float64{0.1, 0.1}, 3, `,"joint_v":0,"joint_a":0,"joint_edge_v":0,"joint_edge_a":0`)),
		verdict("r", 1, 1, 0.2, searched([2]float64{0.9, 0.8}, [2]float64{0.8, 0}, 1, `,"joint_v":1,"joint_a":0,"joint_edge_v":0,"joint_edge_a":0`)))
	want := map[string]struct {
		forms         int
		auc, spearman float64
	}{
		"ρ − edge, mean":       {3, 0.5, 0.5},  // 0.5, 0.4, 0.45: p above r, q below it; ranks 3 1 2 of 3 2 1
		"ρ − edge, minimum":    {3, 0.5, 0.5},  // 0.5, 0, 0.1
		"ρ alone, mean":        {3, 0, -0.866}, // 0.5, 0.5, 0.85
		"edge alone, mean":     {3, 1, 1},      // 0, −0.1, −0.4
		"loss":                 {3, 0, -0.5},
		"squared error":        {3, 0, -0.5},
		"joint ρ − edge, mean": {2, 1, 1}, // the proxy did not see q
	}
	found := 0
	for _, p := range r.Predictors {
		w, known := want[p.Name]
		if !known {
			continue
		}
		found++
		if p.Forms != w.forms || !(math.Abs(float64(p.AUC)-w.auc) <= 1e-9) || !(math.Abs(float64(p.Spearman)-w.spearman) <= 1e-3) ||
			len(p.Lambdas) != 1 || p.Lambdas[0] != p.AUC {
			t.Errorf("%+v, want %+v", p, w)
		}
	}
	if found != len(want) || len(r.Predictors) != 10 { // no held-out rows
		t.Errorf("%d of %d found among %d", found, len(want), len(r.Predictors))
	}
}

// TestAddRows: squared errors equal those computed by hand. An expression that is not finite on a row has none.
func TestAddRows(t *testing.T) {
	r := of(t, 1, verdict("v - rt", 1, 1, 0.9), verdict("a^2*v", 1, 1, 0.3), verdict("log(v)", 1, 1, 0.2))
	given := &rows.Rows{Record: rows.Record{Params: []string{"v", "a"}, Groups: 2, Trials: 2},
		Theta: [][]float64{{1, 2}, {-1, 1}}, RT: [][]float64{{0.5, 1}, {2, 3}}, Target: [][]float64{{0.5, 1}, {-3, -2}}}
	given.Bank.Seed = 7
	if err := r.AddRows(given); err != nil {
		t.Fatal(err)
	}
	// v − rt: 0.5, 0, −3, −4 against the targets: 0 1 0 4. a²v: 4, 4, −1, −1: 12.25 9 4 1.
	if got := r.Pool[0].HeldOut; got == nil || *got != 1.25 || *r.Best[0].HeldOut != 1.25 {
		t.Errorf("v − rt: %v", got)
	}
	if got := r.Pool[1].HeldOut; got == nil || *got != 26.25/4 {
		t.Errorf("a²v: %v", got)
	}
	if h := r.HeldOut; r.Pool[2].HeldOut != nil || h.Undefined != 1 || h.Rows != 4 || h.Seed != 7 || h.Median != finite.Number((1.25+26.25/4)/2) {
		t.Errorf("log v: %v, all %+v", r.Pool[2].HeldOut, h)
	}
	if p := r.Predictors[len(r.Predictors)-1]; p.Name != "squared error, held out" || p.Forms != 2 || p.AUC != 1 {
		t.Errorf("predictor %+v", p)
	}
	given.Params = []string{"v", "b"}
	if err := r.AddRows(given); err == nil || !strings.Contains(err.Error(), "unknown symbol a") {
		t.Errorf("rows without a: %v", err)
	}
}

// TestReadSearches: a file may hold several searches. Equal forms of one search count once, and verdicts of another judge on it
// are refused.
func TestReadSearches(t *testing.T) {
	path := filepath.Join(t.TempDir(), "V.jsonl")
	write := func(all ...*judge.Verdict) {
		var text []byte
		for _, v := range all {
			line, err := judge.Line(v)
			if err != nil {
				t.Fatal(err)
			}
			text = append(text, line...)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(verdict("v", 1, 2, 0.9), verdict("a", 1, 1, 0.1), verdict("v", 1, 2, 0.9), verdict("z", 1, 2, 0.2), verdict("v", 3, 2, 0.9))
	searches, err := Read(path)
	if err != nil || len(searches) != 3 || searches[0].Seed != 2 || len(searches[0].Expressions) != 2 || len(searches[1].Expressions) != 1 ||
		searches[2].Lambda != 3 {
		t.Errorf("%+v, %v", searches, err)
	}
	write(verdict("v", 1, 2, 0.9), verdict("a", 1, 2, 0.1, func(v *judge.Verdict) { v.Settings = "other" }))
	if _, err := Read(path); err == nil || !strings.HasPrefix(err.Error(), path+":2: judged by nuts on test-60 with settings other") {
		t.Errorf("two judges: %v", err)
	}
}

// TestNotCompiled: a form that could not be judged counts as one that recovers nothing.
func TestNotCompiled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.jsonl")
	text := `{"model":"f:1","bank":"test-60","method":"nuts","settings":"s","file":"f.jsonl","line":1,"lambda":1,"seed":3,"expr":"v + a + z + t + rt","size":9,"pass":false,"reason":"it does not compile","weakest_r":null,"recovered":[],"params":null}`
	if err := os.WriteFile(path, []byte(text+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	searches, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(searches, Settings{Resamples: 10, Seed: 1})
	if err != nil || r.Rows[0].Pool != 1 || r.Rows[0].Recover != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestCommitted: the verdicts that come with likc have 20 searches with 471 forms, of which 75 pass.
func TestCommitted(t *testing.T) {
	searches, err := Read("../../../testdata/verdicts/paper.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(searches, Settings{Resamples: 100, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	row := r.Rows[0]
	if len(searches) != 20 || len(r.Rows) != 1 || row.Any != 13 || row.Pool != 471 || row.Recover != 75 {
		t.Errorf("%d searches, row %+v", len(searches), row)
	}
	if sum := row.Tiers[0].Share + row.Tiers[1].Share + row.Tiers[2].Share; !(math.Abs(sum-1) <= 1e-12) {
		t.Errorf("tiers %v", row.Tiers)
	}
}
