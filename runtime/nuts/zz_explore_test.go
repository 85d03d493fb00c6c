package nuts

import (
	"fmt"
	"likc/runtime/chains"
	"math"
	"os"
	"slices"
	"testing"
)

func med(x []float64) float64 { slices.Sort(x); return x[len(x)/2] }

func TestExplore(t *testing.T) {
	if os.Getenv("EXPLORE") == "" {
		t.Skip("explore")
	}
	targets := map[string]Target{
		"1 normal d=20":   isotropic(20),
		"rotated 30 d=20": newRotated(20, 0.2, 6, 1),
		"funnel d=5":      funnel{5, 1}, "banana": banana{1},
	}
	for name := range posteriors {
		if name == "low_dim_gauss_mix" && os.Getenv("MIX") == "" || name == "kidscore_interaction" {
			continue
		}
		p, _ := loadPosterior(t, name)
		targets[name] = p
	}
	var names []string
	for n := range targets {
		names = append(names, n)
	}
	slices.Sort(names)
	type conf struct {
		name string
		m    Metric
		j    float64
		w    int
		d    float64
	}
	for _, n := range names {
		for _, c := range []conf{{"lr .8", LowRank, .1, 1000, .8}, {"lr .85", LowRank, .1, 1000, .85}, {"lr .9", LowRank, .1, 1000, .9}, {"fi .8", Fisher, .1, 1000, .8}, {"fi .85", Fisher, .1, 1000, .85}, {"fi .9", Fisher, .1, 1000, .9}} {
			var eff, effs, esss, acc, eps, lf, div, rh []float64
			for seed := uint64(1); seed <= 16; seed++ {
				s := DefaultSettings()
				s.Metric, s.Seed, s.Jitter, s.NumWarmup, s.Delta = c.m, seed, c.j, c.w, c.d
				r := sample(t, targets[n], s)
				ess := leastESS(r.Draws)
				g := 0
				for _, ch := range r.Draws.Chains {
					g += ch.Gradients
				}
				rhat := 0.0
				for j := range r.Draws.Names {
					rhat = math.Max(rhat, chains.Rhat(r.Draws.Param(j)))
				}
				rh = append(rh, rhat)
				eff = append(eff, 1000*ess/float64(r.Draws.TotalGradients()))
				effs = append(effs, 1000*ess/float64(g))
				esss = append(esss, ess)
				acc = append(acc, chains.Mean([][]float64{r.Draws.Chains[0].AcceptStat}))
				eps = append(eps, r.Draws.Chains[0].Adapted.StepSize)
				lf = append(lf, float64(g)/4000)
				div = append(div, float64(r.Draws.Divergences()))
			}
			fmt.Printf("%-28s %-9s eff %8.2f sampling %8.2f ess %6.0f acc %.3f eps %.3f leap %.1f div %.0f rhat %.4f\n", n, c.name, med(eff), med(effs), med(esss), med(acc), med(eps), med(lf), med(div), med(rh))
		}
	}
}
