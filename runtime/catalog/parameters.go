package catalog

import (
	"fmt"
	"math"
	"slices"

	"likc/compiler/expr"
	"likc/runtime/posterior"
)

// Parameters returns each parameter with its range and prior (uniform over the range where priors has none), and with the
// bounds that the model's support makes of the data: t < rt lowers the upper end of t to the fastest trial. columns has one
// slice a trial column, choice is nil for a model without choice; both are nil where there are no data yet.
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
	for _, p := range params {
		low, high := p.Prior.Support()
		if !(max(low, p.Lower) < min(high, p.Upper)) {
			return nil, fmt.Errorf("prior %s=%s: nothing of it lies in the range [%.6g, %.6g]", p.Name, p.Prior, p.Lower, p.Upper)
		}
	}
	return params, nil
}

// conditions are the model's groups of trials without their log densities.
func (m *Model) conditions() []expr.Group {
	header := *m.Model
	header.LogLik, header.Lets = expr.Num(0), nil
	return header.Groups()
}

// capParameter lowers the upper end of a parameter that a condition param < f(trial) bounds, to the least f of the group's
// trials. Conditions of other forms leave ranges alone: outside the support the density is zero all the same.
func (m *Model) capParameter(params []posterior.Parameter, g expr.Group, c expr.Support, columns [][]float64, choice []float64) error {
	name := c.Left.Name
	if c.Left.Op != expr.Sym || !m.IsParam(name) {
		return nil
	}
	if slices.ContainsFunc(expr.Symbols(c.Right), m.IsParam) {
		return nil
	}
	least, row := m.leastValue(g, c.Right, columns, choice)
	if row < 0 {
		return nil
	}
	if err := posterior.CapUpper(params, name, least); err != nil {
		return fmt.Errorf("parameter %s must be below every %s, and the least is %.6g (trial %d), but its range starts at %.6g",
			name, c.Right, least, row+1, params[m.ParamIndex(name)].Lower)
	}
	return nil
}

// leastValue is the least value of an expression of trial symbols over a group's trials, and where; row -1 if the group has
// no trial.
func (m *Model) leastValue(g expr.Group, e *expr.Expr, columns [][]float64, choice []float64) (least float64, row int) {
	symbols := append([]string(nil), m.Trials...)
	if m.Choice != "" {
		symbols = append(symbols, m.Choice)
	}
	tape := expr.NewTape(symbols, e)
	values, out := make([]float64, len(symbols)), make([]float64, 1)
	least, row = math.Inf(1), -1
	trials := len(choice)
	if len(columns) > 0 {
		trials = len(columns[0])
	}
	for i := range trials {
		if g.Choice != 0 && choice[i] != g.Choice {
			continue
		}
		for k := range columns {
			values[k] = columns[k][i]
		}
		if choice != nil {
			values[len(columns)] = choice[i]
		}
		if out, _ = tape.Eval(out[:0], values); out[0] < least {
			least, row = out[0], i
		}
	}
	return least, row
}
