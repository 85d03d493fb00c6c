package judge

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"likc/search/bank"
)

// The paper's rule.
const (
	LeastR    = 0.5  // correlations must be above
	MostEdge  = 0.5  // shares of estimates at an edge must be below
	EdgeWidth = 0.01 // of the range, on either side
	FewOfOne  = 10   // fewer responses at a boundary leave a and z hard to tell apart
)

// Param says how well one parameter is recovered.
type Param struct {
	Name    string
	R       float64 // correlation of posterior means with the truth; NaN if undefined
	RBoth   float64 // the same for subjects with at least FewOfOne responses at each boundary
	Edge    float64 // share of subjects whose posterior mean is within EdgeWidth of a bound of Θ, or that could not be fitted
	Bias    float64 // mean of estimate - truth
	RMSE    float64
	Covered float64 // share of subjects whose truth is within 1.645 posterior sds of the mean: 0.9 for an honest posterior
}

// Verdict is a candidate's.
type Verdict struct {
	Model       string
	Role        string // of the bank
	Scheme      string // of its simulator
	Pass        bool
	WeakestR    float64
	Params      []Param
	Subjects    int
	Both        int // subjects with at least FewOfOne responses at each boundary
	Failed      int // subjects that could not be fitted
	RhatMax     float64
	RhatHigh    int // fits with R-hat above 1.01
	Divergences int
	Divergent   int // fits with a divergence
	Gradients   int
	Fits        []Fit

	Timing Timing // of this run: not a part of the JSON
}

func newVerdict(c Candidate, b *bank.Bank, columns []int, fits []Fit) *Verdict {
	v := &Verdict{Model: c.Name, Role: b.Settings.Role, Scheme: b.Settings.Scheme, Subjects: len(fits), Fits: fits,
		RhatMax: math.Inf(-1), WeakestR: math.Inf(1), Pass: true}
	for i := range fits {
		v.add(&fits[i])
	}
	for j, name := range c.Params {
		p := recovery(name, b.Settings.Params[columns[j]], j, fits)
		v.Params = append(v.Params, p)
		v.WeakestR = min(v.WeakestR, p.R) // NaN if any is
		v.Pass = v.Pass && p.R > LeastR && p.Edge < MostEdge
	}
	return v
}

func (v *Verdict) add(f *Fit) {
	if f.Err != nil {
		v.Failed++
		return
	}
	if f.Rarer >= FewOfOne {
		v.Both++
	}
	v.RhatMax = max(v.RhatMax, f.Rhat)
	if !(f.Rhat <= 1.01) {
		v.RhatHigh++
	}
	if f.Divergences > 0 {
		v.Divergent++
	}
	v.Divergences += f.Divergences
	v.Gradients += f.Gradients
}

// recovery compares estimates of parameter j with the truth.
func recovery(name string, theta bank.Range, j int, fits []Fit) Param {
	p := Param{Name: name}
	var truth, mean, truthBoth, meanBoth []float64
	atEdge, covered := 0, 0
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
		p.Bias += m - t
		p.RMSE += (m - t) * (m - t)
	}
	n := float64(len(truth))
	p.Edge, p.Covered = float64(atEdge)/float64(len(fits)), float64(covered)/n
	p.Bias, p.RMSE = p.Bias/n, math.Sqrt(p.RMSE/n)
	p.R, p.RBoth = correlation(truth, mean), correlation(truthBoth, meanBoth)
	return p
}

// correlation is Pearson's, NaN for fewer than three points.
func correlation(x, y []float64) float64 {
	if len(x) < 3 {
		return math.NaN()
	}
	return stat.Correlation(x, y, nil)
}

// Rank orders verdicts by their weakest correlation, best first, undefined ones last. Equal ones keep their order.
func Rank(all []*Verdict) {
	key := func(v *Verdict) float64 {
		if math.IsNaN(v.WeakestR) {
			return math.Inf(-1)
		}
		return v.WeakestR
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
