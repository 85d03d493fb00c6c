package columns_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"likc/compiler/expr"
	"likc/runtime/num/vec"
	"likc/search/find/columns"
)

// BenchmarkTrees evaluates published trees on 16,000 rows, on one core, and reduces the values to squared errors, without
// stopping at values that are not finite. (About one tree in six is infinite in some row.) It reports nodes (including leaves)
// times rows per second. It also reports what the kernels alone would reach: the time of each operator per element, measured in
// the same run on one block, if leaves and reduction took no time. The time of each tree and operator is the shortest of all
// runs, so that other work on the machine does not matter.
func BenchmarkTrees(b *testing.B) {
	b.Run("float64", func(b *testing.B) {
		benchmarkTrees[float64](b, limits(vec.Add, vec.Div, vec.Square, vec.Sqrt, vec.Exp, vec.Log), vec.SquaredDistance)
	})
	b.Run("float32", func(b *testing.B) {
		benchmarkTrees[float32](b, limits(vec.Add32, vec.Div32, vec.Square32, vec.Sqrt32, vec.Exp32, vec.Log32), vec.SquaredDistance32)
	})
}

const rows = 16000

type seconds map[expr.Op]func() float64 // for each operator, a function that measures its time per element

// limits returns functions that time each operator on operands of one block, which are in the first cache.
func limits[F columns.Float](add, div func(dst, x, y []F), unary ...func(dst, x []F)) seconds {
	n := columns.BlockRows[F]()
	x := drawn[F](3 * n).Columns[1]
	dst, x, y := x[:n], x[n:2*n], x[2*n:]
	timed := func(f func()) func() float64 {
		return func() float64 {
			const runs = 400
			start := time.Now()
			for range runs {
				f()
			}
			return time.Since(start).Seconds() / runs / float64(n)
		}
	}
	s := seconds{expr.Add: timed(func() { add(dst, x, y) }), expr.Div: timed(func() { div(dst, x, y) })}
	s[expr.Sub], s[expr.Mul] = s[expr.Add], s[expr.Add]
	for i, op := range []expr.Op{expr.Square, expr.Sqrt, expr.Exp, expr.Log} {
		s[op] = timed(func() { unary[i](dst, x) })
	}
	return s
}

func benchmarkTrees[F columns.Float](b *testing.B, limit seconds, distance func(x, y []F) float64) {
	trees := published(b)
	table := drawn[F](rows)
	panel, target := table.Panel(), make([]F, rows)
	e, total := columns.NewPanels(panel), 0.0
	count, nodes := map[expr.Op]float64{}, 0.0
	for _, x := range trees {
		nodes += float64(x.Size())
		for _, c := range x.Codes {
			if op, ok := c.Op(); ok {
				count[op]++
			}
		}
	}
	best, fastest := map[expr.Op]float64{}, slices.Repeat([]float64{math.Inf(1)}, len(trees))
	for b.Loop() {
		for i, x := range trees {
			start := time.Now()
			e.Start(x, panel)
			for block := range panel.Blocks() {
				from, to := panel.Span(block)
				total += distance(e.Block(block), target[from:to])
			}
			fastest[i] = min(fastest[i], time.Since(start).Seconds())
		}
		for op, f := range limit {
			if s := f(); best[op] == 0 || s < best[op] {
				best[op] = s
			}
		}
	}
	took := 0.0
	for _, s := range fastest {
		took += s
	}
	roof := 0.0
	for op, n := range count {
		roof += n * best[op] * rows
	}
	for _, op := range []expr.Op{expr.Add, expr.Square, expr.Div, expr.Sqrt, expr.Exp, expr.Log} {
		b.ReportMetric(1e-9/best[op], op.String()+"-Gelem/s")
	}
	b.ReportMetric(nodes*rows/took/1e9, "Gnode-rows/s")
	b.ReportMetric(nodes*rows/roof/1e9, "roofline-Gnode-rows/s")
	b.ReportMetric(100*roof/took, "%roofline")
	b.ReportMetric(0, "ns/op")
}
