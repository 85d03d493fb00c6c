package folder

import (
	"strings"
	"testing"

	"likc/runtime/hierarchy"
)

// A participant's condition is a cell of the grouping id and of the grouping id:cond: the table has it once.
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
