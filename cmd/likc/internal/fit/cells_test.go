package fit

import (
	"fmt"
	"strings"
	"testing"

	"likc/runtime/fit"
	"likc/runtime/fit/hierarchy"
)

// TestPrintCells: a fit prints its cells for the typical participant and for the mean over participants. If it prints only the first cells, it
// says which file has all.
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

// TestPrintCellsOfSome: if the means of cells are over different numbers of participants, each row has its number. The table also names the
// values at which numeric columns are set.
func TestPrintCellsOfSome(t *testing.T) {
	cell := func(name string, n int) fit.CellSummary {
		return fit.CellSummary{Cell: name, Levels: &fit.CellFigures{}, LevelsOf: "id", LevelsN: n, AtMean: []hierarchy.Value{{Column: "x", Text: "0.3125"}}}
	}
	for second, want := range map[int]string{12: "", 7: "v[cond=hard] 0 0 0 0 0 0 7"} {
		var b strings.Builder
		if err := printCells(&b, []fit.CellSummary{cell("v[cond=easy]", 12), cell("v[cond=hard]", second), {Cell: "a"}}, ""); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(b.String()), " ")
		if strings.Contains(text, "mean over id sd n ") != (want != "") || !strings.Contains(text, want) {
			t.Errorf("%d: %s", second, b.String())
		}
		if strings.Count(b.String(), "\nx is at its mean 0.3125 unless a row says otherwise\n") != 1 {
			t.Error(b.String())
		}
	}
}

// TestPrintContrasts: the output says over which participants the mean of a contrast is taken, only once if it is the same for all contrasts. It
// also says how each column that is not set is treated.
func TestPrintContrasts(t *testing.T) {
	contrast := func(text, over string, unset ...hierarchy.Unset) contrastJSON {
		c := contrastJSON{Contrast: text, Levels: &contrastLevels{Of: []string{"id"}, Over: []string{over}}}
		c.setUnset(unset)
		return c
	}
	side := hierarchy.Unset{Column: "side", Values: []string{"-1", "1"}, Numbers: true}
	x := hierarchy.Unset{Column: "x", Mean: 0.3125}
	for want, all := range map[string][]contrastJSON{
		"\nmean over all 12 levels of id\n": {contrast("v", "all 12 levels of id", side, x), contrast("a", "all 12 levels of id", x)},
		"\nmean of v over all 12 levels of id\nmean of a over 7 of 12 levels of id that have all its cells\n": {contrast("v", "all 12 levels of id", side),
			contrast("a", "7 of 12 levels of id that have all its cells", x)},
	} {
		var b strings.Builder
		if err := printContrasts(&b, all); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) || strings.Count(b.String(), "\n  "+side.String()+"\n") != 1 || strings.Count(b.String(), "\n  x: at its mean 0.3125") != 1 {
			t.Errorf("%s\nwant %s", b.String(), want)
		}
		if len(all[0].Averaged["side"]) != 2 || all[1].At["x"] != 0.3125 {
			t.Errorf("%+v", all)
		}
	}
}
