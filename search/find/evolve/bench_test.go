package evolve

import (
	"context"
	"math"
	"testing"

	"likc/search/find/tree"
)

// free is an objective whose evaluation costs almost nothing: its loss is computed from the tree's hash. So a benchmark measures
// the loop.
type free struct{ symbols []string }

func (f free) Symbols() []string { return f.symbols }
func (f free) Terms() []string   { return []string{"loss"} }
func (f free) NewScorer() Scorer { return f }

func (f free) Score(t tree.Tree, _ float64, dst []float64) float64 {
	dst[0] = 1 + float64(scramble(t.Hash())>>11)/(1<<53) + 10/float64(t.Size())
	return dst[0]
}

func (f free) Fingerprint(t tree.Tree) (uint64, bool) { return t.Hash(), true }

// BenchmarkLoop measures the time of one candidate without its evaluation, on one core.
func BenchmarkLoop(b *testing.B) {
	for _, preset := range Presets {
		b.Run(preset, func(b *testing.B) {
			s, _ := Preset(preset)
			s.Threads = 1
			search := begin(b, free{five}, s)
			run := func(candidates int64) {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				search.Run(ctx, func(sn Snapshot) {
					if sn.Counters.Drawn >= candidates {
						cancel()
					}
				})
			}
			run(200000)
			from := search.Counters().Drawn
			b.ReportAllocs()
			b.ResetTimer()
			run(from + int64(b.N))
			b.ReportMetric(float64(search.Counters().Drawn-from)/math.Max(1, float64(b.N)), "candidates/op")
		})
	}
}
