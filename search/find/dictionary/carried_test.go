package dictionary

import (
	"context"
	"math"
	"slices"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/syntax"
	"likc/runtime/model/catalog"
	"likc/runtime/num/statistic"
)

// passage is the density of a first passage over one boundary, of parameters v, b and t.
type passage struct{}

func (passage) LogDensity(dst []float64, theta [][]float64, rt, _ []float64) {
	for i, x := range rt {
		v, b, tau := theta[i][0], theta[i][1], x-theta[i][2]
		dst[i] = math.Log(b) - math.Log(2*math.Pi)/2 + passing(v, b, tau)
	}
}

func passing(v, b, tau float64) float64 { return -1.5*math.Log(tau) - (b-v*tau)*(b-v*tau)/(2*tau) }

// TestCarried: without -1.5 log τ a first passage is as far from itself as an integral over log τ says, in the median and in the mean over the
// parameter vectors of the search.
func TestCarried(t *testing.T) {
	header, err := catalog.Header("shifted_wald")
	if err != nil {
		t.Fatal(err)
	}
	m, err := syntax.ParseExpr("-1.5*log(rt - t) - b^2/(2*(rt - t)) - v^2*(rt - t)/2", header)
	if err != nil {
		t.Fatal(err)
	}
	s := Default()
	s.Tests = 40
	got, err := Carried(context.Background(), header, passage{}, s, m.LogLik)
	if err != nil || len(got) != 3 {
		t.Fatalf("%v, %v: want three scores", got, err)
	}
	fresh, err := s.placer(header, passage{})(context.Background(), s.Tests, 2*s.Nodes)
	if err != nil {
		t.Fatal(err)
	}
	var want []float64
	for g := range fresh.groups {
		v, b := fresh.values[g*fresh.rows][0], fresh.values[g*fresh.rows][1]
		var p, q, mean float64 // integrals of both densities in log τ, and of the log of their ratio
		for x := -20.0; x < 10; x += 0.001 {
			tau := math.Exp(x)
			f := math.Exp(passing(v, b, tau) + x)
			p, q, mean = p+f, q+math.Exp(passing(v, b, tau)+2.5*x), mean+f*-1.5*x
		}
		want = append(want, mean/p-math.Log(p)+math.Log(q))
	}
	slices.Sort(want)
	if mean, median := statistic.Mean(want), want[len(want)/2]; !(math.Abs(got[0].Mean/mean-1) < 0.01) || !(math.Abs(got[0].Median/median-1) < 0.01) {
		t.Errorf("%v, want the mean %v and the median %v", got[0], mean, median)
	}
	if !math.IsInf(got[1].Median, 1) { // the density that remains has an infinite integral at 0
		t.Errorf("without -b²/2τ: %v", got[1])
	}
	if none, err := Carried(context.Background(), header, passage{}, s, expr.Var("v")); none != nil || err != nil {
		t.Errorf("a single term: %v, %v", none, err)
	}
}
