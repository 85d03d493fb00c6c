package judge

import (
	"math"
	"slices"

	"likc/runtime/num/finite"
	"likc/search/study/bank"
	"likc/search/study/recovery"
)

// recovered compares the estimates of parameter j with the truth.
func recovered(name string, theta bank.Range, j int, fits []Fit) Param {
	var all, both []recovery.Estimate
	atEdge := 0
	for _, f := range fits {
		if f.Error != "" {
			atEdge++
			continue
		}
		e := recovery.Estimate{Truth: float64(f.Truth[j]), Mean: float64(f.Mean[j]), In90: recovery.Normal(float64(f.Mean[j]), 1.645, float64(f.SD[j]))}
		all = append(all, e)
		if f.Rarer >= FewOfOne {
			both = append(both, e)
		}
		if width := EdgeWidth * (theta.Upper - theta.Lower); e.Mean < theta.Lower+width || e.Mean > theta.Upper-width {
			atEdge++
		}
	}
	figures := recovery.Compare(all)
	p := Param{Name: name, R: figures.R, RBoth: recovery.Compare(both).R, Edge: finite.Number(float64(atEdge) / float64(len(fits))),
		Bias: figures.Bias, RMSE: figures.RMSE, Covered: figures.Covered90}
	if len(all) > 0 && math.IsNaN(float64(fits[firstFitted(fits)].SD[j])) {
		p.Covered = finite.Number(math.NaN()) // a mode has no interval
	}
	return p
}

func firstFitted(fits []Fit) int {
	return slices.IndexFunc(fits, func(f Fit) bool { return f.Error == "" })
}

// Rank sorts verdicts by their weakest correlation, best first and undefined ones last. Verdicts with equal correlations keep
// their order.
func Rank(all []*Verdict) {
	key := func(v *Verdict) float64 {
		if r := float64(v.WeakestR); !math.IsNaN(r) {
			return r
		}
		return math.Inf(-1)
	}
	slices.SortStableFunc(all, func(a, b *Verdict) int {
		switch {
		case key(a) > key(b):
			return -1
		case key(a) < key(b):
			return 1
		}
		return 0
	})
}
