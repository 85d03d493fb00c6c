package bench

import (
	"fmt"
	"io"
	"likc/cmd/likc/internal/cli"
	"likc/runtime/store"
	"likc/runtime/timing"
	"math"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
)

// write prints the run, and draws it if that was asked for.
func (b *benchmark) write(w io.Writer, f benchFlags) error {
	if len(b.rows) == 0 {
		return fmt.Errorf("bench: nothing was timed")
	}
	if f.svg != "" {
		figure, err := b.figure()
		if err != nil {
			return err
		}
		if err := store.WriteFile(f.svg, figure.WriteAlone); err != nil {
			return err
		}
	}
	if f.asJSON {
		return cli.PrintJSON(w, timing.Table{CPU: b.facts.cpu, Rows: b.rows})
	}
	b.writeTable(w)
	return nil
}

func (b *benchmark) writeTable(w io.Writer) {
	b.writeHead(w)
	b.writeTimes(w)
	b.writeAgainst(w)
	b.writePaper(w)
	b.writeTables(w)
	if len(b.allocs) == 0 {
		fmt.Fprintf(w, "\nAllocations: none in any evaluation.\n")
	} else {
		fmt.Fprintf(w, "\nAllocations:\n  %s\n", strings.Join(b.allocs, "\n  "))
	}
}

func (b *benchmark) writeHead(w io.Writer) {
	fmt.Fprintf(w, "%s; %s", b.facts.cpu, runtime.Version())
	if b.timed("gcc") {
		fmt.Fprintf(w, "; %s", b.facts.gcc)
	}
	fewest, most := b.rows[0].Rounds, b.rows[0].Rounds
	for _, r := range b.rows {
		fewest, most = min(fewest, r.Rounds), max(most, r.Rounds)
	}
	rounds := fmt.Sprint(most)
	if fewest < most {
		rounds = fmt.Sprintf("%d to %d", fewest, most)
	}
	what := map[string]string{"cpu": "Time on the processor", "wall": "Elapsed time"}[b.clockName]
	fmt.Fprintf(w, "\n%s of one evaluation, in one thread; median of %s interleaved rounds after warm-up; theta differs by up to %g %%.\n",
		what, rounds, 100*benchSpread)
	if b.facts.vector != "" {
		fmt.Fprintf(w, "vector is %s; ", b.facts.vector)
	}
	if b.timed("gcc") {
		fmt.Fprint(w, "gcc is the model as written in C, -O3 -march=native -ffast-math; ")
	}
	fmt.Fprint(w, "gradient is value and gradient.\n\n")
}

// writeTimes prints one line for each model, engine and what, one column a size.
func (b *benchmark) writeTimes(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "model\tengine\twhat")
	for _, n := range b.sizes {
		fmt.Fprintf(t, "\t%s", thousands(n))
	}
	var last timing.Row
	column := 0
	for _, r := range b.rows {
		if r.Model != last.Model || r.Engine != last.Engine || r.What != last.What {
			fmt.Fprintf(t, "\n%s\t%s\t%s", r.Model, r.Engine, r.What)
			column = 0
		}
		for ; b.sizes[column] != r.N; column++ {
			fmt.Fprint(t, "\t-")
		}
		fmt.Fprintf(t, "\t%s", duration(r.NS))
		column, last = column+1, r
	}
	fmt.Fprintln(t)
	t.Flush()
}

// writeAgainst prints how many times faster than gcc each engine is.
func (b *benchmark) writeAgainst(w io.Writer) {
	if !b.timed("gcc") {
		return
	}
	fmt.Fprintf(w, "\nTimes faster than gcc, value and gradient\n\n")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "model\tengine")
	for _, n := range b.sizes {
		fmt.Fprintf(t, "\t%s", thousands(n))
	}
	fmt.Fprintln(t)
	for _, m := range b.models {
		for _, engine := range []string{"portable", "vector", "bound"} {
			cells, any := []string{m.Name, engine}, false
			for _, n := range b.sizes {
				ratio := b.ns(m.Name, "gcc", n, timing.Gradient) / b.ns(m.Name, engine, n, timing.Gradient)
				cells, any = append(cells, factor(ratio)), any || !math.IsNaN(ratio)
			}
			if any {
				fmt.Fprintln(t, strings.Join(cells, "\t"))
			}
		}
	}
	t.Flush()
}

func (b *benchmark) timed(engine string) bool {
	return slices.ContainsFunc(b.rows, func(r timing.Row) bool { return r.Engine == engine })
}

// ns is the time of one row; NaN if it was not timed.
func (b *benchmark) ns(model, engine string, n int, what timing.What) float64 {
	for _, r := range b.rows {
		if r.Model == model && r.Engine == engine && r.N == n && r.What == what {
			return r.NS
		}
	}
	return math.NaN()
}

// tableCost is what the first evaluations of the bound engine took, when there were no tables yet.
type tableCost struct {
	model   string
	n       int
	firstNS float64 // of all first evaluations together
	count   int     // of them
}

// writeTables prints what the bound engine's tables cost, and after how many evaluations that is won back.
func (b *benchmark) writeTables(w io.Writer) {
	if len(b.tables) == 0 {
		return
	}
	fmt.Fprintf(w, "\nTables of the bound engine: time to build those that %d evaluations want (t within %g %%), and after how many\nevaluations with gradient that is won back over the fastest engine that goes over all trials\n\n",
		b.tables[0].count, 100*benchSpread)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "model")
	for _, n := range b.sizes {
		fmt.Fprintf(t, "\t%s", thousands(n))
	}
	fmt.Fprintln(t)
	for _, m := range b.models {
		cells, any := []string{m.Name}, false
		for _, n := range b.sizes {
			i := slices.IndexFunc(b.tables, func(c tableCost) bool { return c.model == m.Name && c.n == n })
			if i < 0 {
				cells = append(cells, "-")
				continue
			}
			cells, any = append(cells, b.cost(b.tables[i])), true
		}
		if any {
			fmt.Fprintln(t, strings.Join(cells, "\t"))
		}
	}
	t.Flush()
}

// cost is the time that tables took to build, and the evaluations that win it back.
func (b *benchmark) cost(c tableCost) string {
	bound := b.ns(c.model, "bound", c.n, timing.Gradient)
	built := max(0, c.firstNS-float64(c.count)*bound)
	streamed := math.Inf(1)
	for _, engine := range []string{"portable", "vector"} {
		if ns := b.ns(c.model, engine, c.n, timing.Gradient); ns < streamed {
			streamed = ns
		}
	}
	switch gain := streamed - bound; {
	case math.IsInf(gain, 1):
		return duration(built)
	case gain <= 0:
		return duration(built) + ", never"
	default:
		return fmt.Sprintf("%s, %.0f", duration(built), math.Ceil(built/gain))
	}
}

// duration prints a time with three digits.
func duration(ns float64) string {
	switch {
	case math.IsNaN(ns):
		return "-"
	case ns < 999.5:
		return digits(ns) + " ns"
	case ns < 999.5e3:
		return digits(ns/1e3) + " us"
	case ns < 999.5e6:
		return digits(ns/1e6) + " ms"
	}
	return digits(ns/1e9) + " s"
}

// digits prints three of them, and all that stand before the point.
func digits(x float64) string {
	if x >= 999.5 {
		return fmt.Sprintf("%.0f", x)
	}
	return strings.TrimSuffix(fmt.Sprintf("%#.3g", x), ".")
}

// factor prints a ratio.
func factor(x float64) string {
	switch {
	case math.IsNaN(x):
		return "-"
	case x >= 999.5:
		return thousands(int(math.Round(x)))
	}
	return digits(x)
}

// thousands prints 1,000,000.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
