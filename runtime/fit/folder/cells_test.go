package folder

import (
	"strings"
	"testing"

	"likc/runtime/fit/hierarchy"
)

// A participant's condition is a cell of the grouping id and of the grouping id:cond. The table has only one row for it.
func TestCellOfTwoGroupings(t *testing.T) {
	cell := hierarchy.Cell{Param: "v", By: "id", Level: "p1", Values: []hierarchy.Value{{Column: "id", Text: "p1"}, {Column: "cond", Text: "A"}}}
	nested, other := cell, cell
	nested.By, nested.Level = "id:cond", "p1:A"
	other.At = "x + 1 sd"
	var out strings.Builder
	if err := writeCells(&out, []string{"id", "cond"}, []hierarchy.Cell{cell, nested, other}); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(out.String(), "\n"); lines != 3 {
		t.Errorf("want a header and 2 rows:\n%s", out.String())
	}
}

// For each participant, the table has the parameters that vary by participant and those that all share, but not those that vary
// only by another grouping. It also has the number of participants over which a mean is computed.
func TestCellsOfSharedParameters(t *testing.T) {
	of := func(param, by, level string, shared bool) hierarchy.Cell {
		return hierarchy.Cell{Param: param, By: by, Level: level, Shared: shared, Values: []hierarchy.Value{{Column: by, Text: level}}}
	}
	typical := hierarchy.Cell{Param: "v", Levels: &hierarchy.Figures{Mean: 2}, LevelsOf: "id", LevelsN: 7}
	all := []hierarchy.Cell{typical, {Param: "a"}, of("v", "id", "p1", false), of("a", "id", "p1", true), of("t", "id", "p1", true),
		of("v", "item", "i1", true), of("a", "item", "i1", true), of("t", "item", "i1", false)}
	var out strings.Builder
	if err := writeCells(&out, []string{"id", "item"}, all); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(out.String()) {
		fields := strings.Split(strings.TrimSpace(line), ",")
		got = append(got, strings.Join(fields[:3], ",")+" "+fields[len(fields)-1])
	}
	want := "id,item,param levels_n; ,,v 7; ,,a ; p1,,v ; p1,,a ; ,i1,a ; ,i1,t "
	if text := strings.Join(got, "; "); text != want {
		t.Errorf("%s\nwant %s", text, want)
	}
}
