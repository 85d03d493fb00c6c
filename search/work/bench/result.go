package bench

import (
	"math"
	"slices"

	"likc/runtime/model/timing"
)

// Result is what was timed.
type Result struct {
	CPU      string // the processor, how many there are, and the widest vectors that kernels use
	Vector   string // the instructions of the vector engine; "" if it was not timed
	Compiler string // the C compiler; "" if there is none
	Clock    string // cpu or wall

	Models      []string // as timed, without the process
	Sizes       []int
	Rows        []timing.Row // sorted by model, engine, value before gradient, and size
	Tables      []Tables
	Allocations []Allocation // evaluations that allocate
}

// Tables is what the bound engine's first evaluations with gradient took, which build its tables.
type Tables struct {
	Model   string
	N       int
	FirstNS float64 // ns of all first evaluations together
	Count   int     // how many first evaluations there were
}

// Allocation is how often an evaluation allocates.
type Allocation struct {
	Model, Engine string
	N             int
	What          timing.What
	Count         float64 // a mean
}

// Table returns the times as likc bench --json prints them.
func (r *Result) Table() timing.Table { return timing.Table{CPU: r.CPU, Rows: r.Rows} }

// Timed reports whether any model was timed by an engine.
func (r *Result) Timed(engine string) bool {
	return slices.ContainsFunc(r.Rows, func(row timing.Row) bool { return row.Engine == engine })
}

// NS returns the time of one row; NaN if it was not timed.
func (r *Result) NS(model, engine string, n int, what timing.What) float64 {
	for _, row := range r.Rows {
		if row.Model == model && row.Engine == engine && row.N == n && row.What == what {
			return row.NS
		}
	}
	return math.NaN()
}

// Speedup returns how many times faster than C an engine gives value and gradient; NaN if either was not timed.
func (r *Result) Speedup(model, engine string, n int) float64 {
	return r.NS(model, GCC, n, timing.Gradient) / r.NS(model, engine, n, timing.Gradient)
}

// TablesOf returns the tables of a model on n trials; false if the bound engine was not timed there.
func (r *Result) TablesOf(model string, n int) (Tables, bool) {
	i := slices.IndexFunc(r.Tables, func(t Tables) bool { return t.Model == model && t.N == n })
	if i < 0 {
		return Tables{}, false
	}
	return r.Tables[i], true
}

// Cost returns how long building tables took, in ns, and after how many evaluations with gradient the bound engine has won
// that back over the fastest engine that sums over all trials: +Inf for never, NaN if no such engine was timed.
func (r *Result) Cost(t Tables) (ns, evaluations float64) {
	bound := r.NS(t.Model, Bound, t.N, timing.Gradient)
	ns = max(0, t.FirstNS-float64(t.Count)*bound)
	summed := math.Inf(1)
	for _, engine := range []string{Portable, Vector} {
		if x := r.NS(t.Model, engine, t.N, timing.Gradient); x < summed {
			summed = x
		}
	}
	switch gain := summed - bound; {
	case math.IsInf(gain, 1):
		return ns, math.NaN()
	case gain <= 0:
		return ns, math.Inf(1)
	default:
		return ns, math.Ceil(ns / gain)
	}
}
