package bound

import (
	"math"

	"likc/runtime/model/kernel"
)

// Link maps a parameter to the scale of its linear predictor.
type Link string

// These are the links: the parameter itself, its logarithm, and the logit of its position in a range, log((x-low)/(high-x)).
const (
	Identity Link = "identity"
	Log      Link = "log"
	Logit    Link = "logit"
)

// Inverse maps a linear predictor to the parameter. All code that reports a parameter on its own scale uses it.
type Inverse struct {
	Link       Link
	Low, Width float64 // the lower end and the width of the range; Width is 0 for a link without a range
}

// NewInverse returns the inverse of a link for a range.
func NewInverse(link Link, low, high float64) Inverse {
	if link == Logit {
		return Inverse{link, low, high - low}
	}
	return Inverse{Link: link}
}

// Value returns the parameter and its derivative at the linear predictor eta.
func (l *Inverse) Value(eta float64) (x, slope float64) {
	switch l.Link {
	case Logit:
		near := 1 / (1 + math.Exp(math.Abs(eta))) // distance to the nearer end, as a share of the width
		slope = l.Width * near * (1 - near)
		if eta < 0 {
			return l.Low + l.Width*near, slope
		}
		return l.Low + l.Width*(1-near), slope
	case Log:
		e := math.Exp(eta)
		return e, e
	}
	return eta, 1
}

// At applies the link: it returns the linear predictor at which the parameter has the value x.
func (l *Inverse) At(x float64) float64 {
	switch l.Link {
	case Logit:
		return math.Log((x - l.Low) / (l.Low + l.Width - x))
	case Log:
		return math.Log(x)
	}
	return x
}

// Predictors are values computed from coefficients: each is the inverse link of a linear combination, plus a second linear combination.
type Predictors struct {
	inside, outside kernel.Combinations // for each predictor: the linear combinations inside the inverse link and outside it
	offset          []float64           // for each predictor: the number added inside the inverse link
	Inverse         []Inverse           // for each predictor: its inverse link
}

// N returns the number of predictors.
func (p *Predictors) N() int { return len(p.offset) }

// Add appends a predictor and returns its index; outside may be empty.
func (p *Predictors) Add(inside, outside Combination, offset float64, l Inverse) int {
	p.inside.Append(inside.Columns, inside.Values)
	p.outside.Append(outside.Columns, outside.Values)
	p.offset, p.Inverse = append(p.offset, offset), append(p.Inverse, l)
	return p.N() - 1
}

// Combination is one linear combination of coefficients.
type Combination struct {
	Columns []int     // indices of the coefficients
	Values  []float64 // the factor of each coefficient
}

// Only returns a combination of a single coefficient, with the factor 1.
func Only(coefficient int) Combination { return Combination{[]int{coefficient}, []float64{1}} }

// Evaluate sets value and slope: the value of every predictor, and the derivative of its inverse link.
func (p *Predictors) Evaluate(coefs, value, slope []float64) {
	for i := range p.Inverse {
		l := &p.Inverse[i]
		x := p.offset[i] + p.inside.At(i, coefs)
		if l.Link != Identity {
			value[i], slope[i] = l.Value(x)
		} else {
			value[i], slope[i] = x, 1
		}
		value[i] += p.outside.At(i, coefs)
	}
}

// At returns the value of one predictor.
func (p *Predictors) At(i int, coefs []float64) float64 {
	x, _ := p.Inverse[i].Value(p.offset[i] + p.inside.At(i, coefs))
	return x + p.outside.At(i, coefs)
}

// pull applies the chain rule: gradValue holds derivatives with respect to the predictors, and pull adds the derivatives with respect
// to the coefficients to grad.
func (p *Predictors) pull(gradValue, slope, grad []float64) {
	for i, g := range gradValue {
		if g == 0 {
			continue
		}
		columns, values := p.inside.Row(i)
		for k, c := range columns {
			grad[c] += g * slope[i] * values[k]
		}
		columns, values = p.outside.Row(i)
		for k, c := range columns {
			grad[c] += g * values[k]
		}
	}
}
