package bench

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"likc/runtime/model/timing"
)

// Print prints the tables of a benchmark. Without any row it prints no table.
func (r *Result) Print(w io.Writer) {
	if len(r.Rows) == 0 {
		return
	}
	printHead(w, r)
	printTimes(w, r)
	printSpeedups(w, r)
	printPaper(w, r)
	printTables(w, r)
	if len(r.Allocations) == 0 {
		fmt.Fprintf(w, "\nAllocations: none in any evaluation.\n")
		return
	}
	fmt.Fprintf(w, "\nAllocations:\n")
	for _, a := range r.Allocations {
		fmt.Fprintf(w, "  %s %s, %s trials, %s: %.3g an evaluation\n", a.Model, a.Engine, timing.Thousands(a.N), a.What, a.Count)
	}
}

func printHead(w io.Writer, r *Result) {
	fmt.Fprintf(w, "%s; %s", r.CPU, runtime.Version())
	if r.Timed(GCC) {
		fmt.Fprintf(w, "; %s", r.Compiler)
	}
	fewest, most := r.Rows[0].Rounds, r.Rows[0].Rounds
	for _, row := range r.Rows {
		fewest, most = min(fewest, row.Rounds), max(most, row.Rounds)
	}
	rounds := fmt.Sprint(most)
	if fewest < most {
		rounds = fmt.Sprintf("%d to %d", fewest, most)
	}
	what := map[string]string{"cpu": "Time on the processor", "wall": "Elapsed time"}[r.Clock]
	fmt.Fprintf(w, "\n%s of one evaluation, in one thread; median of %s interleaved rounds after warm-up; theta differs by up to %g %%.\n",
		what, rounds, 100*Spread)
	if r.Vector != "" {
		fmt.Fprintf(w, "vector is %s; ", r.Vector)
	}
	if r.Timed(GCC) {
		fmt.Fprint(w, "gcc is the model as written in C, -O3 -march=native -ffast-math; ")
	}
	fmt.Fprint(w, "gradient is value and gradient.\n\n")
}

// sizeTable begins a table with the named columns, followed by one column for each size.
func sizeTable(w io.Writer, r *Result, names string) *tabwriter.Writer {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, names)
	for _, n := range r.Sizes {
		fmt.Fprintf(t, "\t%s", timing.Thousands(n))
	}
	return t
}

// printTimes prints one line for each model, engine and kind of evaluation.
func printTimes(w io.Writer, r *Result) {
	t := sizeTable(w, r, "model\tengine\twhat")
	var last timing.Row
	column := 0
	for _, row := range r.Rows {
		if row.Model != last.Model || row.Engine != last.Engine || row.What != last.What {
			fmt.Fprintf(t, "\n%s\t%s\t%s", row.Model, row.Engine, row.What)
			column = 0
		}
		for ; r.Sizes[column] != row.N; column++ {
			fmt.Fprint(t, "\t-")
		}
		fmt.Fprintf(t, "\t%s", timing.Duration(row.NS))
		column, last = column+1, row
	}
	fmt.Fprintln(t)
	t.Flush()
}

// printSpeedups prints how many times faster than gcc each engine is.
func printSpeedups(w io.Writer, r *Result) {
	if !r.Timed(GCC) {
		return
	}
	fmt.Fprintf(w, "\nTimes faster than gcc, value and gradient\n\n")
	t := sizeTable(w, r, "model\tengine")
	fmt.Fprintln(t)
	for _, model := range r.Models {
		for _, engine := range []string{Portable, Vector, Bound} {
			cells, any := []string{model, engine}, false
			for _, n := range r.Sizes {
				ratio := r.Speedup(model, engine, n)
				cells, any = append(cells, timing.Ratio(ratio)), any || !math.IsNaN(ratio)
			}
			if any {
				fmt.Fprintln(t, strings.Join(cells, "\t"))
			}
		}
	}
	t.Flush()
}

// printTables prints the cost of building the bound engine's tables, and the number of evaluations after which they save time.
func printTables(w io.Writer, r *Result) {
	if len(r.Tables) == 0 {
		return
	}
	fmt.Fprintf(w, "\nTables of the bound engine: time to build those that %d evaluations want (t within %g %%), and after how many\nevaluations with gradient that is won back over the fastest engine that goes over all trials\n\n",
		r.Tables[0].Count, 100*Spread)
	t := sizeTable(w, r, "model")
	fmt.Fprintln(t)
	for _, model := range r.Models {
		cells, any := []string{model}, false
		for _, n := range r.Sizes {
			cell := "-"
			if tables, timed := r.TablesOf(model, n); timed {
				cell, any = costText(r.Cost(tables)), true
			}
			cells = append(cells, cell)
		}
		if any {
			fmt.Fprintln(t, strings.Join(cells, "\t"))
		}
	}
	t.Flush()
}

// costText writes the time to build tables, and the number of evaluations after which they save time.
func costText(ns, evaluations float64) string {
	switch {
	case math.IsNaN(evaluations):
		return timing.Duration(ns)
	case math.IsInf(evaluations, 1):
		return timing.Duration(ns) + ", never"
	}
	return fmt.Sprintf("%s, %.0f", timing.Duration(ns), evaluations)
}

// printPaper prints the paper's times and ratios, and this run's, where both have a size.
func printPaper(w io.Writer, r *Result) {
	if !slices.ContainsFunc(r.Rows, func(row timing.Row) bool { return row.Model == PaperModel }) ||
		!slices.ContainsFunc(PaperTimes(), func(p PaperTime) bool { return slices.Contains(r.Sizes, p.N) }) {
		return
	}
	fmt.Fprintf(w, "\nExpression 2 : exact : LAN (trial by trial), and in the paper, on its authors' machine\n\n")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "trials\twhat\tby\tExpression 2\texact\tLAN\tratios\tfaster than the paper")
	for _, p := range PaperTimes() {
		if slices.Contains(r.Sizes, p.N) {
			printPaperTime(t, r, p)
		}
	}
	t.Flush()
}

func printPaperTime(w io.Writer, r *Result, p PaperTime) {
	exact, lan := r.NS(Process, Exact, p.N, p.What), r.NS(Process, LAN, p.N, p.What)
	for _, engine := range []string{Bound, Vector, Portable} {
		if ns := r.NS(PaperModel, engine, p.N, p.What); !math.IsNaN(ns) {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s : %s : %s\n", timing.Thousands(p.N), p.What, engine, timesText(ns, exact, lan),
				timing.Ratio(p.Expr2/ns), timing.Ratio(p.Exact/exact), timing.Ratio(p.LAN/lan))
		}
	}
	fmt.Fprintf(w, "\t\tpaper\t%s\t\n", timesText(p.Expr2, p.Exact, p.LAN))
}

// timesText writes three times and their ratios to the first.
func timesText(expr2, exact, lan float64) string {
	return fmt.Sprintf("%s\t%s\t%s\t1 : %s : %s", timing.Duration(expr2), timing.Duration(exact), timing.Duration(lan),
		timing.Ratio(exact/expr2), timing.Ratio(lan/expr2))
}
