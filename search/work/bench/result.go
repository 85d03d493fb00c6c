package bench

import (
	"math"
	"slices"

	"likc/runtime/model/timing"
)

// Result holds the times of a benchmark.
type Result struct {
	CPU      string // the processor, the number of processors, and the widest vectors that kernels use
	Vector   string // the instructions of the vector engine; "" if it was not timed
	Compiler string // the C compiler; "" if there is none
	Clock    string // cpu or wall

	Models      []string // the names of the timed models, without the process
	Sizes       []int
	Rows        []timing.Row // sorted by model, engine, value before gradient, and size
	Tables      []Tables
	Allocations []Allocation // evaluations that allocate
}

// Tables holds the times of the bound engine's first evaluations with gradient, which build its tables.
type Tables struct {
	Model   string
	N       int
	FirstNS float64 // total time of all first evaluations, in ns
	Count   int     // number of first evaluations
}

// Allocation says how often an evaluation allocates.
type Allocation struct {
	Model, Engine string
	N             int
	What          timing.What
	Count         float64 // mean number of allocations of an evaluation
}

// Table returns the times in the form that likc bench --json prints.
func (r *Result) Table() timing.Table { return timing.Table{CPU: r.CPU, Rows: r.Rows} }

// Timed reports whether any model was timed by an engine.
func (r *Result) Timed(engine string) bool {
	return slices.ContainsFunc(r.Rows, func(row timing.Row) bool { return row.Engine == engine })
}

// NS returns the time of one row in ns; NaN if it was not timed.
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

// TablesOf returns the times of building a model's tables for n trials; it returns false if the bound engine was not timed there.
func (r *Result) TablesOf(model string, n int) (Tables, bool) {
	i := slices.IndexFunc(r.Tables, func(t Tables) bool { return t.Model == model && t.N == n })
	if i < 0 {
		return Tables{}, false
	}
	return r.Tables[i], true
}

// Cost returns the time of building tables, in ns, and the number of evaluations with gradient after which the bound engine has
// saved that time, compared with the fastest engine that sums over all trials. The number is +Inf if it never does, and NaN if no
// such engine was timed.
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
