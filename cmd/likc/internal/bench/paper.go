package bench

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"likc/runtime/timing"
)

// paperTime is a line of the paper's table of evaluation times, in ms: Expression 2, the exact series and the LAN, on the
// authors' machine.
type paperTime struct {
	n                  int
	what               timing.What
	expr2, exact, peer float64
}

var paperTimes = []paperTime{
	{1_000, timing.Value, 0.010, 0.27, 0.68},
	{1_000, timing.Gradient, 0.015, 0.59, 1.3},
	{100_000, timing.Value, 0.057, 29, 13},
	{100_000, timing.Gradient, 0.28, 76, 35},
	{1_000_000, timing.Value, 0.51, 315, 161},
	{1_000_000, timing.Gradient, 2.7, 905, 279},
}

// writePaper prints the paper's times and ratios, and those of this run beside them.
func (b *benchmark) writePaper(w io.Writer) {
	if !slices.ContainsFunc(b.rows, func(r timing.Row) bool { return r.Model == "expr2" }) ||
		!slices.ContainsFunc(paperTimes, func(p paperTime) bool { return slices.Contains(b.sizes, p.n) }) {
		return
	}
	fmt.Fprintf(w, "\nExpression 2 : exact : LAN (trial by trial), and in the paper, on its authors' machine\n\n")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "trials\twhat\tby\tExpression 2\texact\tLAN\tratios\tfaster than the paper")
	for _, p := range paperTimes {
		if !slices.Contains(b.sizes, p.n) {
			continue
		}
		exact, peer := b.ns(benchProcess.Name, "exact", p.n, p.what), b.ns(benchProcess.Name, "lan", p.n, p.what)
		for _, engine := range []string{"bound", "vector", "portable"} {
			if ns := b.ns("expr2", engine, p.n, p.what); !math.IsNaN(ns) {
				fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s : %s : %s\n", thousands(p.n), p.what, engine, duration(ns), duration(exact), duration(peer),
					ratios(ns, exact, peer), factor(1e6*p.expr2/ns), factor(1e6*p.exact/exact), factor(1e6*p.peer/peer))
			}
		}
		fmt.Fprintf(t, "\t\tpaper\t%s\t%s\t%s\t%s\t\n", duration(1e6*p.expr2), duration(1e6*p.exact), duration(1e6*p.peer), ratios(p.expr2, p.exact, p.peer))
	}
	t.Flush()
}

func ratios(expr2, exact, peer float64) string {
	return fmt.Sprintf("1 : %s : %s", factor(exact/expr2), factor(peer/expr2))
}
