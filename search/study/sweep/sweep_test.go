package sweep

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"likc/runtime/model/front"
	"likc/runtime/model/honesty"
	"likc/runtime/num/finite"
)

func made(n, passing int, prefix string) []Expression {
	var out []Expression
	for i := range n {
		out = append(out, Expression{
			Canonical: prefix + string(rune('a'+i)), Pass: i < passing, Divergences: i,
			Tier: []string{"constant", "streaming"}[min(i, 1)], Fits: 2, Gradients: 100 * i,
			Params: []Recovery{{Name: "v", Pass: i < passing}, {Name: "t", Pass: true}},
		})
	}
	return out
}

func TestTable(t *testing.T) {
	searches := []Search{
		{Lambda: 1, Seed: 2, Expressions: made(5, 0, "x")},
		{Lambda: 1, Seed: 1, Expressions: made(4, 2, "x")}, // four of them are also in the other
		{Lambda: 0, Seed: 1, Expressions: made(10, 1, "y")},
	}
	rows := Table(searches, Settings{Resamples: 2000, Seed: 1})
	if len(rows) != 2 || rows[0].Lambda != 0 || rows[1].Lambda != 1 {
		t.Fatalf("rows %+v", rows)
	}
	r := rows[1]
	if r.Runs != 2 || r.Any != 1 || r.Pool != 5 || r.Recover != 2 || r.Pooled != 0.4 {
		t.Errorf("row %+v", r)
	}
	if r.Mean != 0.25 || r.Shares[0] != 0.5 || r.Shares[1] != 0 { // shares are in the order of seeds
		t.Errorf("per search: %v, %v", r.Mean, r.Shares)
	}
	if r.Interval != [2]float64{0, 0.5} { // with two searches, each is drawn twice in a quarter of the resamples
		t.Errorf("interval %v", r.Interval)
	}
	if r.Params[0].Pass != 0.4 || r.Params[1].Pass != 1 || r.Median != 2 || r.Clean != 0.2 {
		t.Errorf("row %+v", r)
	}
	if want := []Tier{{"constant", 0.2}, {"tabulated", 0}, {"streaming", 0.8}}; !slices.Equal(r.Tiers, want) || r.Effort != 100 {
		t.Errorf("tiers %v, gradients a fit %v", r.Tiers, r.Effort)
	}
	if one := rows[0].Interval; one != [2]float64{0.1, 0.1} {
		t.Errorf("interval of one search %v", one)
	}
}

// TestHonestCounts: an expression that two searches share counts once in the pool. A search counts if it has at least one honest
// expression.
func TestHonestCounts(t *testing.T) {
	first, second := made(4, 2, "x"), made(5, 0, "x")
	for i, honest := range []honesty.Verdict{honesty.Honest, honesty.NotHonest, "", honesty.Honest} {
		first[i].Honest, second[i].Honest = honest, honest
	}
	rows := Table([]Search{{Lambda: 1, Seed: 1, Expressions: first}, {Lambda: 1, Seed: 2, Expressions: second}, {Lambda: 1, Seed: 3, Expressions: made(1, 1, "y")}},
		Settings{Resamples: 10, Seed: 1})
	if r := rows[0]; r.Compared != 3 || r.Honest != 2 || r.AnyHonest != 2 {
		t.Errorf("compared %d, honest %d, in %d searches", r.Compared, r.Honest, r.AnyHonest)
	}
}

// TestBootstrapCovers: the interval of a mean is about ±1.96 standard errors, and only the seed changes it.
func TestBootstrapCovers(t *testing.T) {
	x := make([]float64, 400)
	for i := range x {
		x[i] = float64(i%2) * 0.2 // mean 0.1, sd 0.1, standard error 0.005
	}
	got := bootstrap(x, Settings{Resamples: 4000, Seed: 7})
	if !(math.Abs(got[0]-(0.1-1.96*0.005)) <= 0.0008) || !(math.Abs(got[1]-(0.1+1.96*0.005)) <= 0.0008) {
		t.Errorf("interval %v", got)
	}
	if bootstrap(x, Settings{Resamples: 4000, Seed: 7}) != got || bootstrap(x, Settings{Resamples: 4000, Seed: 8}) == got {
		t.Error("the seed does not decide the interval")
	}
}

// TestFirst: expressions that pass come first, by their weakest correlation; then those that come closest. Each form comes once.
func TestFirst(t *testing.T) {
	of := func(name string, weakest float64, pass bool, mse string) Expression {
		return Expression{Text: name, Canonical: name, WeakestR: finite.Number(weakest), Pass: pass, Search: search(t, `{"model":"ddm","terms":{"mse":`+mse+`}}`)}
	}
	r, err := New([]Search{
		{Lambda: 0, Seed: 1, Expressions: []Expression{of("a", 0.9, false, "3"), of("b", 0.6, true, "4"), of("c", math.NaN(), false, "1")}},
		{Lambda: 1, Seed: 1, Expressions: []Expression{of("d", 0.7, true, "2"), of("b", 0.6, true, "4"), of("e", 0.1, false, "5")}},
	}, Settings{Resamples: 1})
	if err != nil {
		t.Fatal(err)
	}
	names := ""
	for _, e := range r.First(4) {
		names += e.Text
	}
	if names != "dbae" || len(r.Best) != 2 || r.ByMSE.Text != "c" || len(r.Pool) != 6 {
		t.Errorf("first %s, best %d, by squared error %s, pool %d", names, len(r.Best), r.ByMSE.Text, len(r.Pool))
	}
	if r.MedianMSE != 3.5 { // median of 1 2 3 4 4 5
		t.Errorf("median squared error %v", r.MedianMSE)
	}
	lines := r.Top(2)
	if len(lines) != 3 || lines[0].Expr != "d" || lines[2].Expr != "c" || lines[2].Model != "ddm" || lines[2].Terms["mse"] != 1 {
		t.Errorf("top %+v", lines)
	}
}

// TestFrontIsNoVerdict: a line of a front is refused with its file and line; a verdict is accepted.
func TestFrontIsNoVerdict(t *testing.T) {
	path := filepath.Join(t.TempDir(), "F.jsonl")
	verdict := `{"model":"ddm","method":"nuts","lambda":1,"seed":1,"expr":"v","pass":true,"params":[{"name":"v","r":0.9,"edge":0}]}`
	line := `{"expr":"v","size":1,"loss":1,"lambda":1,"seed":1,"model":"ddm"}`
	if err := os.WriteFile(path, []byte(verdict+"\n"+line+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); err == nil || !strings.HasPrefix(err.Error(), path+":2: not a verdict") {
		t.Errorf("a front: %v", err)
	}
	if err := os.WriteFile(path, []byte(verdict+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if s, err := Read(path); err != nil || len(s) != 1 || len(s[0].Expressions) != 1 || !s[0].Expressions[0].Pass {
		t.Errorf("a verdict: %+v, %v", s, err)
	}
}

func search(t *testing.T, text string) *front.Search {
	t.Helper()
	s := &front.Search{}
	if err := json.Unmarshal([]byte(text), s); err != nil {
		t.Fatal(err)
	}
	return s
}
