package objective_test

import (
	"math"
	"slices"

	"likc/compiler/expr"
	"likc/search/find/objective"
)

// slow is an independent implementation of the loss. It evaluates one row at a time with the compiler's tape, and shares no code
// with the package.
type slow struct {
	model  *expr.Model // the expression that is scored
	rows   objective.Rows
	s      objective.Settings
	values *expr.Tape
	inside *expr.Tape
	// density, if not nil, is scored instead of the expression.
	density func(rt, choice float64, theta []float64) float64
}

func newSlow(m *expr.Model, rows objective.Rows, s objective.Settings) *slow {
	symbols := append(m.ParamNames(), m.Trials...)
	var sides []*expr.Expr
	for _, c := range m.Support {
		sides = append(sides, c.Left, c.Right)
	}
	return &slow{m, rows, s, expr.NewTape(symbols, m.LogLik), expr.NewTape(symbols, sides...), nil}
}

// at returns the expression's value, and whether the trial is in the support. For lower trials, v → −v and z → 1−z.
func (o *slow) at(theta []float64, rt, choice float64) (f float64, inside bool) {
	if o.density != nil {
		return o.density(rt, choice, theta), rt > theta[3]
	}
	x := append([]float64{}, theta...)
	if choice < 0 {
		for i, p := range o.model.Params {
			switch p.Name {
			case "v":
				x[i] = -x[i]
			case "z":
				x[i] = 1 - x[i]
			}
		}
	}
	x = append(x, rt)
	f = first(o.values.Eval(nil, x))
	sides, _ := o.inside.Eval(nil, x)
	inside = true
	for i := 0; i < len(sides); i += 2 {
		inside = inside && sides[i] < sides[i+1]
	}
	return f, inside
}

func first(roots []float64, _ float64) float64 { return roots[0] }

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// score returns the loss and its terms in the package's order, without B.
func (o *slow) score() (loss float64, terms []float64) {
	var distances []float64
	for g, theta := range o.rows.Theta {
		for k, rt := range o.rows.RT[g] {
			f, _ := o.at(theta, rt, 1)
			if !finite(f) {
				return math.Inf(1), nil
			}
			distances = append(distances, f-o.rows.Target[g][k])
		}
	}
	fit := 0.0
	for _, d := range distances {
		fit += d * d / float64(len(distances))
	}
	terms = append(terms, fit)
	if o.s.Fit == objective.Robust {
		var first []float64
		for g := range min(128, len(o.rows.RT)) {
			first = append(first, distances[g*len(o.rows.RT[0])])
		}
		slices.Sort(first)
		middle := first[len(first)/2]
		fit = 0
		for _, d := range distances {
			fit += (d - middle) * (d - middle) / (9 + (d-middle)*(d-middle)) / float64(len(distances))
		}
		terms = append(terms, fit)
	}
	var rhos, edges []float64
	r := 0.0
	for j := range o.model.Params {
		rho, edge, ok := o.profile(j)
		if !ok {
			return math.Inf(1), nil
		}
		rhos, edges = append(rhos, rho), append(edges, edge)
		r += (rho - edge) / float64(len(o.model.Params))
	}
	terms = append(append(append(terms, rhos...), edges...), r)
	return fit + o.s.Lambda*(1-r), terms
}

// profile returns the correlation and the edge fraction of parameter j. ok is false if the rule Reject rejects the expression.
func (o *slow) profile(j int) (rho, edge float64, ok bool) {
	subjects := o.rows.Both
	if subjects == nil {
		subjects = &objective.Subjects{Theta: o.rows.Theta, RT: o.rows.RT}
	}
	p, last := o.model.Params[j], o.s.GridPoints-1
	var estimates, truths []float64
	for g := range o.s.ProxyGroups {
		var sums []float64
		for m := range o.s.GridPoints {
			theta := append([]float64{}, subjects.Theta[g]...)
			theta[j] = p.Lower + float64(m)*(p.Upper-p.Lower)/float64(last)
			sum := 0.0
			for k := range o.s.ProxyTrials {
				choice := 1.0
				if subjects.Choice != nil {
					choice = subjects.Choice[g][k]
				}
				f, inside := o.at(theta, subjects.RT[g][k], choice)
				if !inside && o.s.NonFinite == objective.Role {
					f = math.Inf(-1)
				}
				if !finite(f) && o.s.NonFinite == objective.Reject {
					return 0, 0, false
				}
				sum += f
			}
			if !finite(sum) {
				sum = math.Inf(-1)
			}
			sums = append(sums, sum)
		}
		best := 0
		for m, v := range sums {
			if v > sums[best] {
				best = m
			}
		}
		cell := (p.Upper - p.Lower) / float64(last)
		near := math.Abs(p.Lower+float64(best)*cell-subjects.Theta[g][j]) <= cell/2
		if math.IsInf(sums[best], -1) || (best == 0 || best == last) && !(near && o.s.Edge == objective.Missed) {
			edge += 1 / float64(o.s.ProxyGroups)
		}
		estimates = append(estimates, p.Lower+float64(best)*(p.Upper-p.Lower)/float64(last))
		truths = append(truths, subjects.Theta[g][j])
	}
	return pearson(estimates, truths), edge, true
}

// pearson returns the correlation, as the mean product of standard scores.
func pearson(x, y []float64) float64 {
	zx, zy := standard(x), standard(y)
	if zx == nil || zy == nil {
		return 0
	}
	r := 0.0
	for i := range x {
		r += zx[i] * zy[i] / float64(len(x))
	}
	return r
}

// standard returns standard scores; nil for values without variance.
func standard(x []float64) (z []float64) {
	mean, square := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		square += (v - mean) * (v - mean) / float64(len(x))
	}
	if square < 1e-20 {
		return nil
	}
	for _, v := range x {
		z = append(z, (v-mean)/math.Sqrt(square))
	}
	return z
}
