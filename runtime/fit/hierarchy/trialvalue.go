package hierarchy

import (
	"fmt"
	"math"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/posterior"
	"likc/runtime/num/chains"
)

// TrialValue holds the draws of a parameter in the trials that share its value, with the bounds of its range.
type TrialValue struct {
	Index  int             // index of the parameter in the model
	Where  string          // the level of the parameter's first grouping, such as "subj_idx 3", or the first trial; "" for a parameter that is one number
	Bounds catalog.Range   // bounds of the parameter in these trials; infinite if the link has no ends
	Prior  posterior.Prior // prior of a parameter that is one number; zero for other parameters
	Draws  [][]float64     // draws on the parameter's own scale, [chain][draw]; valid during the call
}

// mostValues bounds the number of values that EachTrialValue computes for each parameter: beyond it, some draws are left out.
const mostValues = 4_000_000

// EachTrialValue calls use once for each parameter without a formula. For a parameter with a formula, it calls use for each
// distinct value among the trials, if the parameter's link or its likelihood has ends. d holds the study's draws.
func (s *Study) EachTrialValue(d *chains.Draws, use func(v TrialValue)) {
	for i, l := range s.params {
		switch {
		case !l.varies && l.offset == nil:
			c := s.coords[l.designs[0].common[0]]
			low, high := c.Prior.Support()
			use(TrialValue{Index: i, Bounds: catalog.Range{Low: max(low, c.Lower), High: min(high, c.Upper)}, Prior: c.Prior, Draws: d.Param(l.designs[0].common[0])})
		case l.keepsRange() || s.model.EndsWithin(i):
			s.eachCell(i, l, d, use)
		}
	}
}

// keepsRange reports whether the link keeps the parameter in its range.
func (l *linear) keepsRange() bool { return l.link == Logit && len(l.outside) == 0 }

// eachCell calls use for each distinct value of a parameter with a formula.
func (s *Study) eachCell(index int, l *linear, d *chains.Draws, use func(v TrialValue)) {
	values := bound.Design{Params: []bound.Predictor{l.predictor()}}.Parameters(s.Trials())
	first := make([]int, 0, len(l.designs[0].common)) // one trial with each value
	for row := range s.Trials() {
		if values.Of(0, row) == len(first) {
			first = append(first, row)
		}
	}
	drawn := drawsOf(&values.Predictors, d, 1+values.N()*len(d.Chains)*d.Len()/mostValues)
	for at, row := range first {
		bounds := catalog.Range{Low: math.Inf(-1), High: math.Inf(1)}
		if to := values.Inverse[at]; l.keepsRange() {
			bounds = catalog.Range{Low: to.Low, High: to.Low + to.Width}
		}
		use(TrialValue{Index: index, Where: s.whereIs(l, row), Bounds: bounds, Draws: drawn[at]})
	}
}

// drawsOf returns the values of the predictors at every step-th draw: [predictor][chain][draw].
func drawsOf(p *bound.Predictors, d *chains.Draws, step int) [][][]float64 {
	drawn := make([][][]float64, p.N())
	for i := range drawn {
		drawn[i] = make([][]float64, len(d.Chains))
		for c := range drawn[i] {
			drawn[i][c] = make([]float64, 0, (d.Len()+step-1)/step)
		}
	}
	coefs, value, slope := make([]float64, len(d.Names)), make([]float64, p.N()), make([]float64, p.N())
	for c := range d.Chains {
		for k := 0; k < d.Len(); k += step {
			for j, column := range d.Chains[c].Params {
				coefs[j] = column[k]
			}
			p.Evaluate(coefs, value, slope)
			for i, x := range value {
				drawn[i][c] = append(drawn[i][c], x)
			}
		}
	}
	return drawn
}

// whereIs describes the trials that share a parameter's value with a row.
func (s *Study) whereIs(l *linear, row int) string {
	for _, g := range s.groups {
		if g.param == l.index {
			return g.by + " " + g.levels[g.index[row]]
		}
	}
	return fmt.Sprintf("trial %d", row+1)
}
