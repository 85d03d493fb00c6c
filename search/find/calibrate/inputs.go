package calibrate

import (
	"context"
	"math"

	"likc/compiler/expr"

	"gonum.org/v1/gonum/stat"
)

// coordinate is an input of the polynomials: an expression of the parameters whose values over the ranges lie in [-1, 1].
type coordinate struct {
	expr *expr.Expr
	tape *expr.Tape
}

func newCoordinate(m *expr.Model, e *expr.Expr) coordinate {
	return coordinate{e, expr.NewTape(m.ParamNames(), e)}
}

func (c *coordinate) valueAt(theta []float64) float64 {
	var memory [1]float64
	out, _ := c.tape.Eval(memory[:0], theta)
	return out[0]
}

// plain returns a parameter scaled to [-1, 1]. If the parameter is on the log scale, see isScale, its log is scaled.
func plain(p *expr.Param) *expr.Expr {
	x, low, high := expr.Var(p.Name), p.Lower, p.Upper
	if isScale(p) {
		x, low, high = expr.New(expr.Log, x), math.Log(low), math.Log(high)
	}
	return scaled(x, (low+high)/2, (high-low)/2)
}

// isScale reports whether a parameter is treated on the log scale: it is positive, its range spans a factor of 4 or more, and it
// is not a probability.
func isScale(p *expr.Param) bool { return p.Lower > 0 && p.Upper >= 4*p.Lower && p.Upper > 1 }

// scaled returns (x - middle)/half, with both numbers rounded to four digits.
func scaled(x *expr.Expr, middle, half float64) *expr.Expr {
	if middle = expr.Rounded(middle, 4); middle != 0 {
		x = expr.New(expr.Sub, x, expr.Num(middle))
	}
	return expr.New(expr.Div, x, expr.Num(expr.Rounded(half, 4)))
}

// steepness holds the slopes, relative to the plain parameter, of inputs that level off towards the ends of a range.
var steepness = []float64{1, 2, 4}

// alternatives returns inputs that may be better than the plain parameter j. Often, what matters is the sign of a parameter that
// can be 0, and far from 0 its size hardly matters. So the alternatives are its hyperbolic tangent, and that of its product with
// each parameter on the log scale.
func alternatives(m *expr.Model, j int) (all []*expr.Expr) {
	p := &m.Params[j]
	if !(p.Lower < 0 && p.Upper > 0) {
		return nil
	}
	x, reach := expr.Var(p.Name), max(-p.Lower, p.Upper)
	level := func(x *expr.Expr, reach float64) {
		for _, k := range steepness {
			all = append(all, expr.New(expr.Tanh, expr.New(expr.Div, x, expr.Num(expr.Rounded(reach/k, 4)))))
		}
	}
	level(x, reach)
	for i := range m.Params {
		if q := &m.Params[i]; isScale(q) {
			level(expr.New(expr.Mul, x, expr.Var(q.Name)), reach*math.Sqrt(q.Lower*q.Upper))
		}
	}
	return all
}

// tryDegree is the degree of the polynomials with which inputs are compared.
const tryDegree = 5

// inputsFor chooses an input for each parameter that shifts depend on: the plain one, or the alternative with which polynomials of a low
// degree have the least error.
func inputsFor(ctx context.Context, m *expr.Model, depends []bool, learned, tested []example, threads int) (inputs []coordinate, err error) {
	var params []int
	for j := range m.Params {
		if depends[j] {
			params, inputs = append(params, j), append(inputs, newCoordinate(m, plain(&m.Params[j])))
		}
	}
	for i, j := range params {
		others := alternatives(m, j)
		if len(others) == 0 {
			continue
		}
		best, least := inputs[i], math.Inf(1)
		for _, e := range append([]*expr.Expr{inputs[i].expr}, others...) {
			inputs[i] = newCoordinate(m, e)
			l := newLearner(inputs, tryDegree, len(learned[0].shift))
			if err := l.learn(ctx, learned, threads); err != nil {
				return nil, err
			}
			if miss := stat.Mean(l.errors(tested), nil); miss < least {
				best, least = inputs[i], miss
			}
		}
		inputs[i] = best
	}
	return inputs, nil
}
