package bench

import (
	"strings"
	"testing"

	"likc/runtime/model/timing"
)

// TestPrintTimes leaves a place empty for what was not timed.
func TestPrintTimes(t *testing.T) {
	row := func(engine string, n int, ns float64) timing.Row {
		return timing.Row{Model: "expr2", Engine: engine, N: n, What: timing.Value, NS: ns, Rounds: 1}
	}
	r := &Result{Sizes: []int{30, 1000}, Rows: []timing.Row{
		row("portable", 30, 90), row("portable", 1000, 1000), row("bound", 1000, 100)}}
	var out strings.Builder
	printTimes(&out, r)
	want := "model  engine    what   30       1,000\nexpr2  portable  value  90.0 ns  1.00 us\nexpr2  bound     value  -        100 ns\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
