package main

import (
	"fmt"
	"math"
	"strings"

	"likc/compiler/expr"
	"likc/runtime/posterior"
)

// parsePriors reads NAME=PRIOR, one of each parameter at most.
func parsePriors(src source, texts []string) (map[string]posterior.Prior, error) {
	priors := map[string]posterior.Prior{}
	for _, text := range texts {
		name, prior, ok := strings.Cut(text, "=")
		name = strings.TrimSpace(name)
		switch {
		case !ok || name == "" || strings.Contains(name, "("):
			return nil, usagef("--prior %s: want NAME=PRIOR, as in v=normal(0,2)", text)
		case !src.IsParam(name):
			return nil, usagef("--prior %s: no such parameter; %s has %s", name, src.Name, strings.Join(src.ParamNames(), ", "))
		}
		if _, twice := priors[name]; twice {
			return nil, usagef("--prior %s: given twice", name)
		}
		p, err := posterior.ParsePrior(prior)
		if err != nil {
			return nil, usagef("--prior %s: %w", name, err)
		}
		priors[name] = p
	}
	return priors, nil
}

// parameters gives each parameter its range and prior, and the bounds that the model's support makes of the data.
func parameters(src source, priors map[string]posterior.Prior, columns [][]float64, choice []float64) ([]posterior.Parameter, error) {
	params := make([]posterior.Parameter, len(src.Params))
	for i, p := range src.Params {
		params[i] = posterior.Parameter{Name: p.Name, Lower: p.Lower, Upper: p.Upper, Prior: priors[p.Name]}
	}
	for _, g := range supportGroups(src) {
		for _, c := range g.Support {
			if err := capParameter(src, params, g, c, columns, choice); err != nil {
				return nil, err
			}
		}
	}
	for _, p := range params {
		low, high := p.Prior.Support()
		if !(max(low, p.Lower) < min(high, p.Upper)) {
			return nil, fmt.Errorf("--prior %s=%s: nothing of it lies in the range [%.6g, %.6g]", p.Name, p.Prior, p.Lower, p.Upper)
		}
	}
	return params, nil
}

// supportGroups are the model's conditions as each group of trials sees them.
func supportGroups(src source) []expr.Group {
	if src.Exact { // it has no expression, but this condition
		return []expr.Group{{Name: expr.All, Support: []expr.Support{{Left: expr.Var("t"), Right: expr.Var("rt")}}}}
	}
	return src.Groups()
}

// capParameter lowers the upper end of a parameter that a condition param < f(trial) bounds, to the least f of the group's
// trials. Conditions of other forms leave ranges alone: outside the support the density is zero all the same.
func capParameter(src source, params []posterior.Parameter, g expr.Group, c expr.Support, columns [][]float64, choice []float64) error {
	name := c.Left.Name
	if c.Left.Op != expr.Sym || !src.IsParam(name) {
		return nil
	}
	for _, s := range expr.Symbols(c.Right) {
		if src.IsParam(s) {
			return nil
		}
	}
	least, row := leastValue(src, g, c.Right, columns, choice)
	if row < 0 {
		return nil
	}
	if err := posterior.CapUpper(params, name, least); err != nil {
		return fmt.Errorf("parameter %s must be below every %s, and the least is %.6g (trial %d), but its range starts at %.6g",
			name, c.Right, least, row+1, params[paramIndex(src.Model, name)].Lower)
	}
	return nil
}

// leastValue is the least value of an expression of trial symbols over a group's trials, and where; row -1 if the group has
// no trial.
func leastValue(src source, g expr.Group, e *expr.Expr, columns [][]float64, choice []float64) (least float64, row int) {
	symbols := append([]string(nil), src.Trials...)
	if src.Choice != "" {
		symbols = append(symbols, src.Choice)
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
