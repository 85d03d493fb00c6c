package recipe

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"likc/search/study/judge"
)

// TestDivide: parts of units that a cluster divides have about as much work.
func TestDivide(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "search", "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "search", "a", "FRONT.jsonl"), []byte(strings.Repeat("{}\n", 45)), 0o644); err != nil {
		t.Fatal(err)
	}
	long := &Judge{Chains: 4, Warmup: 2000, Draws: 2000}
	for _, c := range []struct {
		divide divider
		args   string
		want   int
	}{
		{byCandidates((&Judge{}).perPart()), "judge search/a/FRONT.jsonl --bank x -o y", 3},
		{byCandidates((&Judge{}).perPart()), "judge search/a/FRONT.jsonl ddm expr1 --bank x", 3},
		{byCandidates((&Judge{}).perPart()), "judge ddm", 1},
		{byCandidates(long.perPart()), "judge search/a/FRONT.jsonl --bank x", 23},
		{byCandidates(judge.Settings{Screen: true}.PerPart()), "judge search/a/FRONT.jsonl --screen", 1},
		{bySimulations, "sbc expr1 -o x", 4},
		{bySimulations, "sbc expr1 ddm wald --simulations 50", 3},
		{bySimulations, "sbc expr1 ddm wald --simulations=1", 1},
		{bySimulations, "sbc expr1 --simulations x", 1},
	} {
		if got, err := c.divide(dir, strings.Fields(c.args)); got != c.want || err != nil {
			t.Errorf("%s: %d parts, %v, want %d", c.args, got, err, c.want)
		}
	}
	if _, err := byCandidates(20)(dir, []string{"judge", "nowhere.jsonl"}); err == nil {
		t.Error("no error for a front that is not there")
	}
}

// TestDividedUnits: which units of the paper's pipeline can be divided, and which need no cluster.
func TestDividedUnits(t *testing.T) {
	r, err := Open("paper")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := r.Plan(func(name string) (string, error) { return filepath.Join("/", name), nil })
	if err != nil {
		t.Fatal(err)
	}
	divided := map[string]bool{"judge": true, "screen": true, "refit": true, "holdout": true, "sbc": true, "applied": true}
	light := map[string]bool{"bank": true, "sweep": true, "compile": true, "report": true}
	for _, u := range plan.Units {
		if want := divided[u.Stage] && u.Name != "refit-list"; (u.Divide != nil) != want {
			t.Errorf("%s: divided %v", u.Name, !want)
		}
		if want := light[u.Stage] || u.Name == "refit-list"; u.Light != want {
			t.Errorf("%s: light %v", u.Name, !want)
		}
		if u.Divide != nil && len(u.Steps) != 1 {
			t.Errorf("%s has %d steps", u.Name, len(u.Steps))
		}
	}
}
