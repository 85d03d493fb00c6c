package figure

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"likc/runtime/num/chains"
)

// fourChains returns draws as many as in an ordinary fit: four chains of a thousand draws of four parameters.
func fourChains() *chains.Draws {
	rng := rand.New(rand.NewPCG(3, 4))
	d := &chains.Draws{Names: []string{"v", "a", "z", "t"}}
	for c := range 4 {
		t := chains.NewTrace(4, 1000)
		for range 1000 {
			for j := range t.Params {
				t.Params[j] = append(t.Params[j], rng.NormFloat64())
			}
			t.Divergent = append(t.Divergent, false)
		}
		d.Chains = append(d.Chains, chains.Chain{ID: c + 1, Trace: t})
	}
	return d
}

func BenchmarkFigures(b *testing.B) {
	d := fourChains()
	for _, page := range []struct {
		name string
		draw func(*chains.Draws) (*Figure, error)
	}{{"trace", Trace}, {"rank", Rank}, {"marginal", Marginal}, {"pairs", Pairs}} {
		b.Run(page.name, func(b *testing.B) {
			var out bytes.Buffer
			for b.Loop() {
				f, err := page.draw(d)
				if err != nil {
					b.Fatal(err)
				}
				out.Reset()
				if err := f.WriteSVG(&out); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(out.Len()), "bytes")
		})
	}
}
