package bound

import (
	"fmt"
	"slices"

	"likc/compiler/expr"
)

// withColumns replaces each parameter that has columns by a linear combination of new trial columns and parameters. counts holds the
// number of columns of each parameter.
func withColumns(m *expr.Model, counts []int) (*expr.Model, error) {
	out := &expr.Model{Name: m.Name, Trials: slices.Clone(m.Trials), Positive: m.Positive, Zero: m.Zero, Choice: m.Choice, Choices: m.Choices}
	sums, coefficients := map[string]*expr.Expr{}, map[string][]string{}
	for j, p := range m.Params {
		if counts[j] == 0 {
			out.Params = append(out.Params, p)
			continue
		}
		sums[p.Name], coefficients[p.Name] = addCombination(out, p, counts[j])
	}
	s := expr.Substitution(sums)
	out.LogLik = s.Map(m.LogLik)
	for _, c := range m.Support {
		out.Support = append(out.Support, expr.Support{Left: s.Map(c.Left), Right: s.Map(c.Right)})
	}
	for _, a := range m.Lower {
		names, varies := coefficients[a.Param]
		if !varies {
			out.Lower = append(out.Lower, expr.Assign{Param: a.Param, Value: s.Map(a.Value)})
			continue
		}
		shift, factor, ok := affine(a)
		if !ok {
			return nil, fmt.Errorf("%s: %s = %s at the lower boundary is not linear, so %s cannot be a linear combination", m.Name, a.Param, a.Value, a.Param)
		}
		out.Lower = append(out.Lower, reflectCoefficients(names, shift, factor)...)
	}
	return out, nil
}

// addCombination replaces a parameter of a model by n trial columns and n + 1 coefficients, the first of which has no column. It
// returns the linear combination and the names of the coefficients.
func addCombination(to *expr.Model, p expr.Param, n int) (sum *expr.Expr, coefficients []string) {
	sum = expr.Num(0)
	for k := range n + 1 {
		name := fmt.Sprintf("%s__%d", p.Name, k)
		term := expr.Var(name)
		if k > 0 {
			x := fmt.Sprintf("%s__x%d", p.Name, k)
			to.Trials = append(to.Trials, x)
			term = expr.Times(term, expr.Var(x))
		}
		sum = expr.Plus(sum, term)
		to.Params = append(to.Params, expr.Param{Name: name, Lower: p.Lower, Upper: p.Upper})
		coefficients = append(coefficients, name)
	}
	return sum, coefficients
}

// reflectCoefficients expresses the reflection shift + factor·param of a linear combination as a reflection of its coefficients: all
// are multiplied, and the first is also shifted.
func reflectCoefficients(names []string, shift, factor float64) (all []expr.Assign) {
	for k, name := range names {
		value := expr.Times(expr.Num(factor), expr.Var(name))
		if k == 0 {
			value = expr.Plus(expr.Num(shift), value)
		}
		all = append(all, expr.Assign{Param: name, Value: value})
	}
	return all
}

// affine returns a reflection as shift + factor·param; it returns false for other functions.
func affine(a expr.Assign) (shift, factor float64, ok bool) {
	for _, s := range expr.Symbols(a.Value) {
		if s != a.Param {
			return 0, 0, false
		}
	}
	tape := expr.NewTape([]string{a.Param}, a.Value)
	at := func(x float64) float64 {
		out, _ := tape.Eval(nil, []float64{x})
		return out[0]
	}
	shift = at(0)
	factor = at(1) - shift
	return shift, factor, at(2) == shift+2*factor && at(-0.5) == shift-0.5*factor
}
