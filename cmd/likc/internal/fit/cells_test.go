package fit

import (
	"fmt"
	"strings"
	"testing"

	"likc/runtime/fit"
)

// A fit prints its cells with both meanings of a population, and says where those are that it leaves out.
func TestPrintCells(t *testing.T) {
	all := []fit.CellSummary{
		{Cell: "v[conf=HC]", CellFigures: fit.CellFigures{Mean: 1.25, SD: 0.5, Q5: 0.5, Q95: 2}, Levels: &fit.CellFigures{Mean: 1.5, SD: 0.25}, LevelsOf: "id"},
		{Cell: "z", CellFigures: fit.CellFigures{Mean: 0.5}},
	}
	for k := range mostCells {
		all = append(all, fit.CellSummary{Cell: fmt.Sprintf("a[block=%d]", k)})
	}
	var b strings.Builder
	if err := printCells(&b, all, "-o DIR writes all in DIR/cells.csv"); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if !strings.Contains(lines[0], "own scale, for a typical id (offsets 0)") || !strings.HasSuffix(lines[1], "mean over id    sd") {
		t.Errorf("%q, %q", lines[0], lines[1])
	}
	if got := strings.Fields(lines[2]); strings.Join(got, " ") != "v[conf=HC] 1.25 0.5 0.5 2 1.5 0.25" {
		t.Errorf("%q", got)
	}
	if got := lines[2+mostCells]; got != "and 2 further cells: -o DIR writes all in DIR/cells.csv" {
		t.Errorf("%q", got)
	}
}
