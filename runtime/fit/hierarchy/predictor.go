package hierarchy

import "likc/runtime/model/kernel"

// predictors are what blocks ask for: values that coefficients give. Each is the inverse link of a linear combination, plus one
// behind the link.
type predictors struct {
	inside, outside kernel.Combinations
	offset          []float64
	inverse         []inverse
}

func (p *predictors) n() int { return len(p.offset) }

// add adds a predictor and returns its index; outside may be empty.
func (p *predictors) add(inside, outside combination, offset float64, l inverse) int {
	p.inside.Append(inside.columns, inside.values)
	p.outside.Append(outside.columns, outside.values)
	p.offset, p.inverse = append(p.offset, offset), append(p.inverse, l)
	return p.n() - 1
}

// combination is one linear combination of coefficients.
type combination struct {
	columns []int
	values  []float64
}

// only is one coefficient itself.
func only(coefficient int) combination { return combination{[]int{coefficient}, []float64{1}} }

func rowOf(c *kernel.Combinations, i int) combination {
	if c.Rows() == 0 {
		return combination{}
	}
	columns, values := c.Row(i)
	return combination{columns, values}
}

// evaluate writes the value of every predictor, and the derivative of its link.
func (p *predictors) evaluate(coefs, value, slope []float64) {
	for i, l := range p.inverse {
		x := p.offset[i] + p.inside.At(i, coefs)
		if l.link != Identity {
			value[i], slope[i] = l.value(x)
		} else {
			value[i], slope[i] = x, 1
		}
		value[i] += p.outside.At(i, coefs)
	}
}

// at returns the value of one predictor.
func (p *predictors) at(i int, coefs []float64) float64 {
	x, _ := p.inverse[i].value(p.offset[i] + p.inside.At(i, coefs))
	return x + p.outside.At(i, coefs)
}

// pull adds to grad, the gradient in the coefficients, what the gradient in the values makes of it.
func (p *predictors) pull(gradValue, slope, grad []float64) {
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
