package compiler

import (
	"fmt"
	"math"

	"likc/compiler/expr"
)

// Fault says why a log-likelihood is not finite.
type Fault struct {
	Row int    // the first trial whose log density is not finite, counted from 0; -1 if each is finite and only their sum overflows
	Why string // the reason, in words for a user
}

// Fault returns the first trial that makes the log-likelihood at theta infinite or NaN, and false if there is none. If a
// condition of the support fails, the reason is that condition. Otherwise the reason says that the log density overflows or is
// undefined, and names the innermost subexpression with that value.
func (t *Tree) Fault(theta []float64) (Fault, bool) {
	sum := 0.0
	for i := range t.rows {
		if c := t.violated(i, theta); c != nil {
			return Fault{i, fmt.Sprintf("it is outside the support (%s < %s)", c.Left, c.Right)}, true
		}
		v := t.Trial(i, theta)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return Fault{i, "inside the support its log density is " + t.origin(i, theta)}, true
		}
		sum += v
	}
	if math.IsInf(sum, 0) || math.IsNaN(sum) {
		return Fault{-1, "the log density of every trial is finite, but their sum overflows"}, true
	}
	return Fault{}, false
}

// DensityFault does what [Tree.Fault] does, for a density of n trials that is no expression and has no support conditions. If
// every trial is impossible and a parameter is outside its range, the parameter is the reason, and Row is -1.
func DensityFault(params []expr.Param, theta []float64, n int, density func(trial int) float64) Fault {
	row, impossible := -1, 0
	for i := range n {
		v := density(i)
		if (math.IsNaN(v) || math.IsInf(v, 0)) && row < 0 {
			row = i
		}
		if math.IsInf(v, -1) {
			impossible++
		}
	}
	for j, p := range params {
		if x := theta[j]; math.IsNaN(x) || impossible == n && !(p.Lower <= x && x <= p.Upper) {
			return Fault{-1, fmt.Sprintf("%s = %s is outside its range [%s, %s]", p.Name, expr.Literal(x), expr.Literal(p.Lower), expr.Literal(p.Upper))}
		}
	}
	switch {
	case row < 0:
		return Fault{-1, "the log density of every trial is finite, but their sum overflows"}
	case math.IsInf(density(row), -1):
		return Fault{row, "it is outside the support"}
	}
	return Fault{row, "its log density is " + describe(density(row))}
}

// violated returns the first support condition that does not hold at trial i; nil if all hold.
func (t *Tree) violated(i int, theta []float64) *expr.Support {
	if t.inside(i, theta) {
		return nil
	}
	conditions := t.groups[t.group[i]].Support
	for k := range conditions {
		v := t.valuesAt(i, theta, conditions[k].Left, conditions[k].Right)
		if !(v[0] < v[1]) {
			return &conditions[k]
		}
	}
	return nil
}

// maxOrigin is the largest size of a subexpression that is shown in a fault, in nodes.
const maxOrigin = 30

// origin returns a description of the innermost subexpression of the log density that is not finite at trial i although its
// arguments are.
func (t *Tree) origin(i int, theta []float64) string {
	e := t.groups[t.group[i]].LogLik
	value := t.valuesAt(i, theta, e)[0]
	text := describe(value)
	for {
		from := e.Args
		if e.Op == expr.If {
			if from = e.Args[2:]; t.valuesAt(i, theta, e.Args[0])[0] != 0 {
				from = e.Args[1:2]
			}
		}
		next := -1
		for k, v := range t.valuesAt(i, theta, from...) {
			if next < 0 && (math.IsNaN(v) || math.IsInf(v, 0)) {
				next, value = k, v
			}
		}
		if next < 0 {
			break
		}
		e = from[next]
	}
	if e.Size() > maxOrigin || len(e.Args) == 0 {
		return text
	}
	return fmt.Sprintf("%s: %s is %s", text, e, describe(value))
}

// describe returns a text for a value that is not finite.
func describe(v float64) string {
	switch {
	case math.IsNaN(v):
		return "undefined (NaN)"
	case v > 0:
		return "+Inf"
	}
	return "-Inf"
}

// valuesAt evaluates expressions at trial i.
func (t *Tree) valuesAt(i int, theta []float64, e ...*expr.Expr) []float64 {
	v, _ := expr.NewTape(symbols(t.model), e...).Eval(nil, append(t.rows[i], theta...))
	return v
}
