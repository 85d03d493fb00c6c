package catalog

import (
	"fmt"
	"math"
	"slices"

	"likc/compiler/expr"
	"likc/runtime/model/posterior"
	"likc/runtime/model/trials"
)

// Parameters returns each parameter with its range, its prior, and bounds that depend on the data. A parameter without an entry in
// priors has a uniform prior over its range.
//
// The model's support determines the bounds. t < rt lowers the upper end of t to the fastest trial. t - st/2 < rt lowers it to the
// fastest trial plus half the upper end of st. In a model with lapses, which are responses unrelated to the task, t < rt lowers it
// to the median response time. This excludes an unintended mode of the posterior, in which most responses are lapses. columns has a
// slice for each trial column, and choice is nil for a model without choice. Both are nil if there are no data yet.
func (m *Model) Parameters(priors map[string]posterior.Prior, columns [][]float64, choice []float64) ([]posterior.Parameter, error) {
	params := make([]posterior.Parameter, len(m.Params))
	for i, p := range m.Params {
		params[i] = posterior.Parameter{Name: p.Name, Lower: p.Lower, Upper: p.Upper, Prior: priors[p.Name]}
	}
	for _, g := range m.conditions() {
		for _, c := range g.Support {
			if err := m.capParameter(params, g, c, columns, choice); err != nil {
				return nil, err
			}
		}
	}
	if bare := m.withoutLapses(); bare != nil && columns != nil {
		m.capAtMedian(bare, params, columns, choice)
	}
	for _, p := range params {
		low, high := p.Prior.Support()
		if !(max(low, p.Lower) < min(high, p.Upper)) {
			return nil, fmt.Errorf("prior %s=%s: nothing of it lies in the range [%.6g, %.6g]", p.Name, p.Prior, p.Lower, p.Upper)
		}
	}
	return params, nil
}

// IsBoundByTrials reports whether the model's support gives a parameter an upper end that depends on the trials, as t < rt does.
func (m *Model) IsBoundByTrials(param string) bool {
	for _, g := range m.conditions() {
		for _, c := range g.Support {
			if name, _ := m.boundedBy(c); name == param {
				return true
			}
		}
	}
	return false
}

// IsOnset reports whether IsBoundByTrials holds for a parameter, in the model or in the one to which lapses were added. A trial that
// is no lapse comes after an onset.
func (m *Model) IsOnset(param string) bool {
	bare := m.withoutLapses()
	return m.IsBoundByTrials(param) || bare != nil && bare.IsBoundByTrials(param)
}

// boundedBy returns the parameter for which a condition gives an upper end, and g. The condition is param < f(trial), with g nil, or
// param - g < f(trial), where g depends on other parameters. The name is "" for other conditions.
func (m *Model) boundedBy(c expr.Support) (param string, g *expr.Expr) {
	left := c.Left
	if left.Op == expr.Sub {
		left, g = left.Args[0], left.Args[1]
	}
	of := func(s string) bool { return s == left.Name || !m.IsParam(s) }
	unknown := func(s string) bool { return s != m.Choice && !m.IsTrial(s) } // a parameter, or a state
	if left.Op != expr.Sym || !m.IsParam(left.Name) || g != nil && slices.ContainsFunc(expr.Symbols(g), of) ||
		slices.ContainsFunc(expr.Symbols(c.Right), unknown) {
		return "", nil
	}
	return left.Name, g
}

// highest returns the largest value of an expression of parameters over their ranges, 0 for no expression.
func highest(g *expr.Expr, params []posterior.Parameter) float64 {
	if g == nil {
		return 0
	}
	return rangeOf(g, params).Hi
}

func rangeOf(g *expr.Expr, params []posterior.Parameter) expr.Interval {
	switch g.Op {
	case expr.Const:
		return expr.Point(g.Value)
	case expr.Sym:
		p := params[slices.IndexFunc(params, func(p posterior.Parameter) bool { return p.Name == g.Name })]
		return expr.Interval{Lo: p.Lower, Hi: p.Upper}
	}
	var args [3]expr.Interval
	for i, a := range g.Args {
		args[i] = rangeOf(a, params)
	}
	return g.Op.Range(args)
}

// withoutLapses returns the model to which lapses were added; nil for a model without lapses.
func (m *Model) withoutLapses() *Model {
	switch {
	case m.early:
		if bare := m.wrapped.withoutLapses(); bare != nil {
			return bare
		}
		return m.wrapped
	case m.Lapse != nil:
		bare := *m.Model
		bare.Lapse = nil
		return &Model{Model: &bare}
	}
	return nil
}

// conditions returns the model's groups of trials without their log densities. A model with lapses has no conditions, because before
// the onset its density is that of a lapse.
func (m *Model) conditions() []expr.Group {
	header := *m.Model
	if m.Lapse != nil {
		header.Support = nil
	}
	header.LogLik, header.Lets = expr.Num(0), nil
	return header.Groups()
}

// capParameter lowers the upper end of a parameter that a condition bounds (see boundedBy), to the smallest f of the group's trials
// plus the largest g. Other conditions do not change ranges; outside the support the density is zero anyway.
func (m *Model) capParameter(params []posterior.Parameter, g expr.Group, c expr.Support, columns [][]float64, choice []float64) error {
	name, less := m.boundedBy(c)
	if name == "" {
		return nil
	}
	least, row := m.leastValue(g, c.Right, columns, choice)
	if row < 0 {
		return nil
	}
	most := least + highest(less, params)
	if err := posterior.CapUpper(params, name, most); err != nil {
		bound := c.Right
		if less != nil {
			bound = expr.New(expr.Add, bound, less)
		}
		return fmt.Errorf("parameter %s must be below every %s, and the least is %.6g (trial %d), but its range starts at %.6g",
			name, bound, most, row+1, params[m.ParamIndex(name)].Lower)
	}
	return nil
}

// leastValue returns the smallest value of an expression of trial symbols over a group's trials, and its row; row -1 if the group
// has no trial.
func (m *Model) leastValue(g expr.Group, e *expr.Expr, columns [][]float64, choice []float64) (least float64, row int) {
	least, row = math.Inf(1), -1
	m.eachValue(g, e, columns, choice, func(i int, x float64) {
		if x < least {
			least, row = x, i
		}
	})
	return least, row
}

// valuesOf returns the values of an expression of trial symbols in a group's trials.
func (m *Model) valuesOf(g expr.Group, e *expr.Expr, columns [][]float64, choice []float64) (all []float64) {
	m.eachValue(g, e, columns, choice, func(_ int, x float64) { all = append(all, x) })
	return all
}

// eachValue evaluates an expression of trial symbols at each trial of a group.
func (m *Model) eachValue(g expr.Group, e *expr.Expr, columns [][]float64, choice []float64, take func(i int, x float64)) {
	symbols := append([]string(nil), m.Trials...)
	if m.Choice != "" {
		symbols = append(symbols, m.Choice)
	}
	tape := expr.NewTape(symbols, e)
	values, out := make([]float64, len(symbols)), make([]float64, 1)
	rows := len(choice)
	if len(columns) > 0 {
		rows = len(columns[0])
	}
	for i := range rows {
		if m.Choice != "" && choice[i] != g.Choice || choice != nil && choice[i] == trials.Omitted {
			continue
		}
		for k := range m.Trials {
			values[k] = columns[k][i]
		}
		if m.Choice != "" && choice != nil {
			values[len(m.Trials)] = choice[i]
		}
		out, _ = tape.Eval(out[:0], values)
		take(i, out[0])
	}
}

// capAtMedian lowers upper ends of parameters that a condition param < f(trial) of the model without lapses bounds. The new end is the
// median f of the trials that have a choice.
func (m *Model) capAtMedian(bare *Model, params []posterior.Parameter, columns [][]float64, choice []float64) {
	values, beyond := map[string][]float64{}, map[string]float64{}
	for _, g := range bare.conditions() {
		for _, c := range g.Support {
			if name, less := bare.boundedBy(c); name != "" {
				values[name] = append(values[name], bare.valuesOf(g, c.Right, columns, choice)...)
				beyond[name] = max(beyond[name], highest(less, params))
			}
		}
	}
	for name, x := range values {
		slices.Sort(x)
		if len(x) > 0 {
			_ = posterior.CapUpper(params, name, x[len(x)/2]+beyond[name]) // an error means that the range begins above the median; then it does not change
		}
	}
}
