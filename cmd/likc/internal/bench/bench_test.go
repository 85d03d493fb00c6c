package bench

import (
	"math"
	"strings"
	"testing"

	"likc/runtime/timing"
)

func TestDuration(t *testing.T) {
	for ns, want := range map[float64]string{
		0.5: "0.500 ns", 7: "7.00 ns", 9.999: "10.0 ns", 99.96: "100 ns", 999.4: "999 ns", 999.6: "1.00 us", 15e3: "15.0 us",
		2.7e6: "2.70 ms", 905e6: "905 ms", 1.144e9: "1.14 s", 3600e9: "3600 s",
	} {
		if got := duration(ns); got != want {
			t.Errorf("%v ns prints as %s, want %s", ns, got, want)
		}
	}
	if got := duration(math.NaN()); got != "-" {
		t.Errorf("what was not timed prints as %s", got)
	}
}

func TestFactor(t *testing.T) {
	for x, want := range map[float64]string{0.5: "0.500", 27: "27.0", 316.4: "316", 999.6: "1,000", 2_000_000: "2,000,000"} {
		if got := factor(x); got != want {
			t.Errorf("%v prints as %s, want %s", x, got, want)
		}
	}
}

// row is a time of expr2.
func row(engine string, n int, what timing.What, ns float64) timing.Row {
	return timing.Row{Model: "expr2", Engine: engine, N: n, What: what, NS: ns, Rounds: 1}
}

// TestTableCost: tables that took 10,000 ns beyond 64 evaluations of 100 ns are won back after 25 evaluations against an
// engine of 500 ns, and never against one of 90 ns.
func TestTableCost(t *testing.T) {
	b := &benchmark{rows: []timing.Row{
		row("portable", 1000, timing.Gradient, 900), row("vector", 1000, timing.Gradient, 500),
		row("bound", 1000, timing.Gradient, 100),
		row("portable", 30, timing.Gradient, 90), row("bound", 30, timing.Gradient, 100),
	}}
	if got, want := b.cost(tableCost{"expr2", 1000, 16400, 64}), "10.0 us, 25"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := b.cost(tableCost{"expr2", 30, 16400, 64}), "10.0 us, never"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestWriteTimes leaves a place empty for what was not timed.
func TestWriteTimes(t *testing.T) {
	b := &benchmark{sizes: []int{30, 1000}, rows: []timing.Row{
		row("portable", 30, timing.Value, 90), row("portable", 1000, timing.Value, 1000),
		row("bound", 1000, timing.Value, 100),
	}}
	var out strings.Builder
	b.writeTimes(&out)
	want := "model  engine    what   30       1,000\nexpr2  portable  value  90.0 ns  1.00 us\nexpr2  bound     value  -        100 ns\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
