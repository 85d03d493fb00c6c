package docs

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// TestDesigns: docs/evidence/designs.md has a row for each design of the suite, made from testdata/designs; -update rewrites them.
func TestDesigns(t *testing.T) {
	text, err := os.ReadFile("../testdata/designs/coverage.json")
	if err != nil {
		t.Fatal(err)
	}
	type coverage struct {
		Studies int     `json:"studies"`
		Covered int     `json:"covered_90"`
		Bias    float64 `json:"bias"`
	}
	var all []struct {
		Design, Command string
		Population      map[string]coverage
		Levels          coverage
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| design | command | quantities | covered | least covered | largest bias | participants and items |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, d := range all {
		var sum coverage
		least, bias := 1.0, 0.0
		for _, c := range d.Population {
			sum.Studies, sum.Covered = sum.Studies+c.Studies, sum.Covered+c.Covered
			least, bias = min(least, share(c.Covered, c.Studies)), max(bias, math.Abs(c.Bias))
		}
		levels := ""
		if d.Levels.Studies > 0 {
			levels = fmt.Sprintf("%.2f of %d", share(d.Levels.Covered, d.Levels.Studies), d.Levels.Studies)
		}
		fmt.Fprintf(&b, "| %s | `%s` | %d | %.2f | %.2f | %.2f | %s |\n", d.Design, strings.ReplaceAll(d.Command, "|", "\\|"), len(d.Population),
			share(sum.Covered, sum.Studies), least, bias, levels)
	}
	checkBlock(t, "evidence/designs.md", "designs", b.String())
}

func share(k, n int) float64 { return float64(k) / float64(n) }
