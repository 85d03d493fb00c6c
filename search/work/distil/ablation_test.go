package distil_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/runtime/model/front"
	"likc/search/find/dictionary"
	"likc/search/work/distil"
)

// variants are searches that go without a part, named by where their atoms come from. Scaled times are only among the atoms of the header.
var variants = []struct {
	name    string
	without dictionary.Without
}{
	{"process", dictionary.Without{}},
	{"process, no conditions", dictionary.Without{Conditions: true}},
	{"header", dictionary.Without{Process: true}},
	{"header, no conditions", dictionary.Without{Process: true, Conditions: true}},
	{"header, no scaled times", dictionary.Without{Process: true, Scales: true}},
}

// sizes are limits of the number of nodes, where equal parts count once; 0 stands for no limit.
var sizes = []int{60, 100, 0}

// TestAblation prints the table of docs/evidence/ablation.md: short searches that go without a part. LIKC_ABLATION is the list of models, and
// LIKC_SEEDS the number of seeds.
func TestAblation(t *testing.T) {
	models := os.Getenv("LIKC_ABLATION")
	if models == "" {
		t.Skip("long: LIKC_ABLATION=ddm,angle LIKC_SEEDS=2 runs it")
	}
	seeds, err := strconv.Atoi(os.Getenv("LIKC_SEEDS"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Split(models, ",") {
		whole := math.Inf(1) // median of the nearest formula of the whole search, in the last seed
		for i, v := range variants {
			cells := make([][]string, len(sizes))
			seconds := 0.0
			for seed := 1; seed <= seeds; seed++ {
				lines, spent := shortSearch(t, name, v.without, uint64(seed))
				seconds += spent / float64(seeds)
				var median, mean float64
				for k, size := range sizes {
					median, mean = nearest(lines, size)
					cells[k] = append(cells[k], fmt.Sprintf("%.2g (%.2g)", median, mean))
				}
				if i == 0 {
					whole = median
				} else if v.without.Process && median < whole/2 {
					t.Errorf("%s, %s: %v nats, and %v with the atoms of the process", name, v.name, median, whole)
				}
			}
			row := fmt.Sprintf("| `%s` | %s | %.0f |", name, v.name, seconds)
			for _, c := range cells {
				row += " " + strings.Join(c, ", ") + " |"
			}
			fmt.Println(row)
		}
	}
}

// shortSearch returns the front of a search, and its processor time.
func shortSearch(t *testing.T, model string, without dictionary.Without, seed uint64) ([]front.Line, float64) {
	t.Helper()
	s := distil.Default()
	s.Vectors, s.Search.Tests, s.Terms, s.Search.Runs, s.Search.Without = 100, 200, 14, 2, without
	s.Seed, s.Threads, s.Subjects, s.Limit = seed, 1, 0, 0
	dir := t.TempDir()
	m := open(t, model)
	if _, err := distil.Run(context.Background(), m, dir, s); err != nil {
		t.Fatal(err)
	}
	var record struct {
		Seconds float64 `json:"cpu_seconds"`
	}
	if err := json.Unmarshal(read(t, dir, "search.json"), &record); err != nil {
		t.Fatal(err)
	}
	lines, err := front.ReadFile(filepath.Join(dir, distil.FrontFile), func(_, _ string) (*expr.Model, error) { return m.Model, nil })
	if err != nil {
		t.Fatal(err)
	}
	return lines, record.Seconds
}

// nearest returns the smallest median divergence of a front's expressions up to a size, and the mean of the same expression.
func nearest(lines []front.Line, size int) (median, mean float64) {
	median, mean = math.Inf(1), math.Inf(1)
	for _, l := range lines {
		if m := float64(l.Terms["kl_median"]); (size == 0 || float64(l.Terms["size_shared"]) <= float64(size)) && m < median {
			median, mean = m, float64(l.Loss)
		}
	}
	return median, mean
}
