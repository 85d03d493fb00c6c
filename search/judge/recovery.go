package judge

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"likc/runtime/finite"
	"likc/search/bank"
)

// recovery compares estimates of parameter j with the truth.
func recovery(name string, theta bank.Range, j int, fits []Fit) Param {
	var truth, mean, truthBoth, meanBoth []float64
	atEdge, covered := 0, 0
	bias, square := 0.0, 0.0
	for _, f := range fits {
		if f.Err != nil {
			atEdge++
			continue
		}
		t, m := f.Truth[j], f.Mean[j]
		truth, mean = append(truth, t), append(mean, m)
		if f.Rarer >= FewOfOne {
			truthBoth, meanBoth = append(truthBoth, t), append(meanBoth, m)
		}
		if width := EdgeWidth * (theta.Upper - theta.Lower); m < theta.Lower+width || m > theta.Upper-width {
			atEdge++
		}
		if math.Abs(t-m) <= 1.645*f.SD[j] {
			covered++
		}
		bias += m - t
		square += (m - t) * (m - t)
	}
	n := float64(len(truth))
	p := Param{Name: name, R: correlation(truth, mean), RBoth: correlation(truthBoth, meanBoth),
		Edge: finite.Number(float64(atEdge) / float64(len(fits))), Bias: finite.Number(bias / n), RMSE: finite.Number(math.Sqrt(square / n)),
		Covered: finite.Number(float64(covered) / n)}
	if len(fits) > 0 && n > 0 && math.IsNaN(fits[firstFitted(fits)].SD[j]) {
		p.Covered = finite.Number(math.NaN()) // a mode has no interval
	}
	return p
}

func firstFitted(fits []Fit) int {
	return slices.IndexFunc(fits, func(f Fit) bool { return f.Err == nil })
}

// correlation is Pearson's, NaN for fewer than three points.
func correlation(x, y []float64) finite.Number {
	if len(x) < 3 {
		return finite.Number(math.NaN())
	}
	return finite.Number(stat.Correlation(x, y, nil))
}

// Rank orders verdicts by their weakest correlation, best first, undefined ones last. Equal ones keep their order.
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
