package bench

import (
	"math"
	"testing"

	"likc/runtime/model/timing"
)

// row is a time of expr2.
func row(engine string, n int, ns float64) timing.Row {
	return timing.Row{Model: "expr2", Engine: engine, N: n, What: timing.Gradient, NS: ns, Rounds: 1}
}

// TestCost: tables that took 10,000 ns beyond 64 evaluations of 100 ns are won back after 25 evaluations against an engine of
// 500 ns, and never against one of 90 ns.
func TestCost(t *testing.T) {
	r := &Result{Rows: []timing.Row{
		row(Portable, 1000, 900), row(Vector, 1000, 500), row(Bound, 1000, 100),
		row(Portable, 30, 90), row(Bound, 30, 100), row(Bound, 10, 100),
	}}
	if ns, n := r.Cost(Tables{"expr2", 1000, 16400, 64}); ns != 10000 || n != 25 {
		t.Errorf("got %v ns and %v evaluations, want 10000 and 25", ns, n)
	}
	if ns, n := r.Cost(Tables{"expr2", 30, 16400, 64}); ns != 10000 || !math.IsInf(n, 1) {
		t.Errorf("got %v ns and %v evaluations, want 10000 and never", ns, n)
	}
	if ns, n := r.Cost(Tables{"expr2", 10, 16400, 64}); ns != 10000 || !math.IsNaN(n) {
		t.Errorf("got %v ns and %v evaluations, want 10000 and NaN: nothing to compare with", ns, n)
	}
}
