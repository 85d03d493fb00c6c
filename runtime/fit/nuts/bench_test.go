package nuts

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkLeapfrog reports the time of a leapfrog step without the time of the density: with typical step sizes, and with step
// sizes so small that trees have 1,023 points.
func BenchmarkLeapfrog(b *testing.B) {
	for _, dim := range []int{4, 20, 100} {
		for _, length := range []struct {
			name string
			eps  float64
		}{{"typical", 1.2 * math.Pow(float64(dim), -0.25)}, {"long", 1e-3}} {
			b.Run(fmt.Sprintf("d=%d/%s", dim, length.name), func(b *testing.B) {
				leapfrogTime(b, dim, length.eps)
			})
		}
	}
}

// leapfrogTime reports the times of a leapfrog step and of the density, in nanoseconds.
func leapfrogTime(b *testing.B, dim int, eps float64) {
	target := isotropic(dim)
	c := newChain(1, target, DefaultSettings(), new(atomic.Bool), nil)
	if err := c.initialise(); err != nil {
		b.Fatal(err)
	}
	leapfrogs := 0
	for b.Loop() {
		leapfrogs += c.tree.transition(c.at, eps).leapfrogs
	}
	total := float64(b.Elapsed().Nanoseconds()) / float64(leapfrogs)
	var t Target = target
	start := time.Now()
	for range leapfrogs {
		if _, err := t.LogDensityGrad(c.at.q, c.from); err != nil {
			b.Fatal(err)
		}
	}
	density := float64(time.Since(start).Nanoseconds()) / float64(leapfrogs)
	b.ReportMetric(total-density, "ns/leapfrog")
	b.ReportMetric(density, "ns/density")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkWarmups compares the default warm-up with our port of Stan's, diagonal and dense, over the same seeds. It reports
// medians of ratios. The ratios are of the smallest bulk ESS per gradient, with the gradients of the warm-up.
func BenchmarkWarmups(b *testing.B) {
	targets := map[string]Target{
		"normal d=1": isotropic(1), "normal d=4": isotropic(4), "normal d=20": isotropic(20), "normal d=100": isotropic(100),
		"rotated 1e4 d=20": newRotated(20, 0.01, 100, 1),
		"scales 1e3 d=20":  spread(20, 0.03, 30),
		"scales 1e3 d=100": spread(100, 0.03, 30), "rotated 30 d=20": newRotated(20, 0.2, 6, 1),
		"funnel d=5": funnel{5, 1}, "banana": banana{1},
	}
	for name := range posteriors {
		p, _ := loadPosterior(b, name)
		targets[name] = p
	}
	names := make([]string, 0, len(targets))
	for name := range targets {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			toDiag, toDense := []float64{}, []float64{}
			seed := uint64(0)
			for b.Loop() {
				seed++
				ours := efficiency(b, targets[name], DefaultSettings().Metric, seed)
				toDiag = append(toDiag, ours/efficiency(b, targets[name], Diag, seed))
				toDense = append(toDense, ours/efficiency(b, targets[name], Dense, seed))
			}
			b.ReportMetric(median(toDiag), "x-diag_e")
			b.ReportMetric(median(toDense), "x-dense_e")
		})
	}
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

// efficiency returns the smallest bulk ESS of a run, divided by its number of gradients.
func efficiency(b *testing.B, t Target, m Metric, seed uint64) float64 {
	s := DefaultSettings()
	s.Metric, s.Seed = m, seed
	r := sample(b, t, s)
	return leastESS(r.Draws) / float64(r.Draws.TotalGradients())
}
