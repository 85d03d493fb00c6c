package hierarchy

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"likc/runtime/fit/formula"
)

// nullPoint is the point null that a linear combination of coefficients has a given value.
type nullPoint struct {
	linearForm
	value float64
	equal bool // whether the null says that two parameters, cells or coefficients are equal
}

// String writes the point: v_cond[b] - v_cond[c] = 0.
func (p nullPoint) String() string {
	value := p.value - p.constant
	if math.Abs(value) < 1e-12 { // a rounding error of a link
		value = 0
	}
	return fmt.Sprintf("%s = %.4g", p.linearForm, value)
}

// These are reasons why a contrast cannot be a point null.
var (
	errProduct = errors.New("only sums and differences have a point null: the density of a product or ratio depends on how it is written, and may be infinite at 0")
	errNothing = errors.New("it depends on nothing that is estimated")
)

// pointNull turns "the contrast has the value" into a statement about coefficients. If a parameter is behind a link, the statement
// must be the same on both scales. A link is monotone, so two cells of a parameter are equal if their linear predictors are. One
// cell has a value if its predictor has the link of that value.
func (r *Record) pointNull(c *formula.Contrast, value float64) (p nullPoint, err error) {
	if c.Op == formula.OpDivide && value == 1 && c.Left.Op == formula.OpColumn && c.Right.Op == formula.OpColumn {
		c, value = &formula.Contrast{Op: formula.OpSubtract, Left: c.Left, Right: c.Right}, 0 // a ratio is 1 if both cells are equal
	}
	sum, ok := sumOf(c)
	if !ok {
		return p, errProduct
	}
	cells := make([]side, len(sum.conditions))
	linked := (*side)(nil)
	for i, at := range sum.conditions {
		if cells[i], err = r.side(at); err != nil {
			return p, err
		}
		if cells[i].link != Identity && linked == nil {
			linked = &cells[i]
		}
	}
	value -= sum.constant
	pair := len(cells) == 2 && sum.times[0] == -sum.times[1] && value == 0
	switch {
	case linked != nil && len(linked.param.Highs) > 0:
		return p, fmt.Errorf("the logit of %s ends at the fastest trial of each participant: equal predictors are not equal values; fit with --link %[1]s=log", linked.param.Name)
	case linked == nil:
		p.value, p.equal = value, pair
		for i := range cells {
			for _, row := range cells[i].rows {
				p.add(sum.times[i]/float64(len(cells[i].rows)), row.inside)
				p.add(sum.times[i]/float64(len(cells[i].rows)), row.outside)
			}
		}
	case len(cells) == 1 && linked.isOnePredictor():
		p.value, err = linked.predictor(value / sum.times[0])
		p.add(1, linked.rows[0].inside)
	case pair && cells[0].param == cells[1].param:
		p.equal = true
		p.linearForm, err = cells[0].difference(&cells[1])
	default:
		err = linked.notOnOneScale()
	}
	if p.linearForm = p.reduced(); err == nil && len(p.names) == 0 {
		err = errNothing
	}
	return p.plain(), err
}

// plain returns the same point in its most readable form: one coefficient without a weight, or several that are not all negative.
func (p nullPoint) plain() nullPoint {
	times := 1.0
	switch {
	case len(p.weights) == 1:
		times = 1 / p.weights[0]
	case !slices.ContainsFunc(p.weights, func(w float64) bool { return w > 0 }):
		times = -1
	}
	var form linearForm
	form.add(times, p.linearForm)
	return nullPoint{form, times * p.value, p.equal}
}

// side is one side of a point null: a coefficient, or a parameter at some values of columns. Its value is the mean over rows.
type side struct {
	param *ParamRecord // nil for a coefficient
	link  Link
	rows  []row
}

// row is a linear predictor, and the terms that are added after its link.
type row struct{ inside, outside linearForm }

// side returns the side that a condition names.
func (r *Record) side(at *formula.Condition) (c side, err error) {
	p := r.param(at.Name)
	c = side{param: p, link: Identity}
	if p == nil || p.Formula == nil {
		one := linearForm{names: []string{at.Name}, weights: []float64{1}}
		if p != nil && p.IsFixed {
			one = linearForm{constant: float64(p.Fixed)}
		}
		c.rows = []row{{inside: one}}
		return c, nil
	}
	c.link = p.Link
	tables, err := r.tables(p, at)
	if err != nil {
		return c, err
	}
	for _, t := range tables {
		var one row
		if one.inside, err = p.Formula.form(t); err != nil {
			return c, err
		}
		if one.outside, err = p.Outside.form(t); err != nil {
			return c, err
		}
		c.rows = append(c.rows, one)
	}
	return c, nil
}

// isOnePredictor reports whether the side's parameter is a function of one linear predictor only, without coefficients after the
// link.
func (c *side) isOnePredictor() bool {
	return len(c.rows) == 1 && len(c.rows[0].outside.reduced().names) == 0
}

// predictor returns the value of the side's linear predictor at which the parameter has the given value. The side has one row.
func (c *side) predictor(value float64) (float64, error) {
	value -= c.rows[0].outside.constant
	l := c.param.inverse("")
	if eta := l.At(value); !math.IsNaN(eta) && !math.IsInf(eta, 0) {
		return eta, nil
	}
	return 0, fmt.Errorf("%s cannot be %v behind its link %s", c.param.Name, value, c.link)
}

// difference returns the linear predictor of a side minus that of another side of the same parameter. If the sides are averages
// over labels, the difference must have the same sign for all labels. Otherwise averages may be equal although no two predictors
// are.
func (c *side) difference(other *side) (difference linearForm, err error) {
	if len(c.rows) != len(other.rows) {
		return difference, c.notOnOneScale()
	}
	for i := range c.rows {
		if !c.rows[i].outside.minus(other.rows[i].outside).isZero() {
			return difference, c.notOnOneScale()
		}
		switch next := c.rows[i].inside.minus(other.rows[i].inside); {
		case next.isZero():
		case len(difference.names) == 0:
			difference = next
		case !next.isPositiveMultipleOf(difference):
			return difference, c.notOnOneScale()
		}
	}
	return difference, nil
}

// notOnOneScale returns the error for a contrast that is not the same statement on both scales of a link.
func (c *side) notOnOneScale() error {
	return fmt.Errorf("%s is behind the link %s: only the difference of two of its cells has a point null, at 0 and with the same other columns, or one cell alone; test coefficients, such as %s, or fit with --link %s=identity",
		c.param.Name, c.link, c.example(), c.param.Name)
}

// example returns the last coefficient of the parameter, because the first ones are intercepts.
func (c *side) example() string {
	names := c.param.Formula.Coefficients
	if len(names) == 0 {
		return c.param.Name + "_Intercept"
	}
	return names[len(names)-1]
}

// weightedSum is a contrast that is a weighted sum of parameters and coefficients.
type weightedSum struct {
	conditions []*formula.Condition // the parameters and coefficients
	times      []float64            // their weights
	constant   float64
}

// add adds a multiple of another sum.
func (s *weightedSum) add(times float64, other weightedSum) {
	s.constant += times * other.constant
	if times == 0 {
		return
	}
	for i, c := range other.conditions {
		s.conditions, s.times = append(s.conditions, c), append(s.times, times*other.times[i])
	}
}

// sumOf returns a contrast as a weighted sum; ok is false if parameters are multiplied or divided.
func sumOf(c *formula.Contrast) (out weightedSum, ok bool) {
	switch c.Op {
	case formula.OpColumn:
		return weightedSum{conditions: []*formula.Condition{c.At}, times: []float64{1}}, true
	case formula.OpNumber:
		return weightedSum{constant: c.Number}, true
	case formula.OpNegate:
		inner, ok := sumOf(c.Left)
		out.add(-1, inner)
		return out, ok
	}
	left, okLeft := sumOf(c.Left)
	right, okRight := sumOf(c.Right)
	ok = okLeft && okRight
	switch {
	case c.Op == formula.OpAdd:
		out.add(1, left)
		out.add(1, right)
	case c.Op == formula.OpSubtract:
		out.add(1, left)
		out.add(-1, right)
	case c.Op == formula.OpMultiply && len(left.conditions) == 0:
		out.add(left.constant, right)
	case c.Op == formula.OpMultiply && len(right.conditions) == 0:
		out.add(right.constant, left)
	case c.Op == formula.OpDivide && len(right.conditions) == 0 && right.constant != 0:
		out.add(1/right.constant, left)
	default:
		ok = false
	}
	return out, ok
}
