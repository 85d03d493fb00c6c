package hierarchy

import (
	"fmt"
	"math"
	"slices"

	"likc/runtime/fit/formula"
)

// numeric holds the properties of a numeric factor that determine priors.
type numeric struct {
	unit   float64 // a difference of the factor that is comparable to the one between two conditions
	centre float64 // the value of the factor at which other coefficients have their default priors
}

// numericOf returns the properties of a factor, given its values, one for each row. A factor with two values acts like an
// indicator if 0 is one of them or lies between them. Then coefficients have their default priors at 0.
func numericOf(values []float64) numeric {
	low, high := slices.Min(values), slices.Max(values)
	n, mean, squares := float64(len(values)), 0.0, 0.0
	for _, x := range values {
		mean += x / n
	}
	for _, x := range values {
		squares += (x - mean) / n * (x - mean)
	}
	switch {
	case low == high:
		return numeric{within(math.Abs(low)), 0}
	case slices.ContainsFunc(values, func(x float64) bool { return x != low && x != high }):
		return numeric{within(2 * math.Sqrt(squares)), mean}
	case low <= 0 && high >= 0:
		return numeric{within(high - low), 0}
	}
	return numeric{within(high - low), mean}
}

// within returns x, limited so that it and its inverse are finite.
func within(x float64) float64 {
	const smallest, largest = 1e-150, 1e150
	if !(x >= smallest) { // includes 0
		return smallest
	}
	return min(x, largest)
}

// multiples returns, for each column of a design's terms, the ratio of its coefficient's prior standard deviation to that of a level. A
// level is an intercept, or the coefficient of one label of a factor. The ratio is 1/unit, or more. A term is contained in another if it lacks some of the other's numeric factors. The coefficients of
// contained terms have wider priors, so that shifting a column, such as years by 2000, hardly changes the posterior. Each such
// prior is widened by the containing term's coefficient times the centres of the missing factors, as bambi widens intercepts. If
// no column has the contained term, the intercept is widened, or, without one, the columns of levels.
func multiples(coding formula.Coding, terms []formula.DesignTerm, t formula.Table) map[string]multiple {
	factors := numericFactors(coding, terms, t)
	squares, keys := map[string]float64{}, map[string]string{} // sums of squared ratios, by column; and the column of each set of factors
	units := map[string]float64{}
	var levels []string // the columns that determine the parameter's level
	for _, term := range terms {
		for _, c := range term.Columns {
			name := c.Name.String()
			units[name] = unitOf(term.Term, factors)
			squares[name] = math.Pow(units[name], -2)
			keys[partKey(term.Term.Factors, c.Name.Levels)] = name
			if roleOf(term) == level {
				levels = append(levels, name)
			}
		}
	}
	if intercept, has := keys[partKey(nil, nil)]; has {
		levels = []string{intercept}
	}
	for _, term := range terms {
		unit := unitOf(term.Term, factors)
		eachRest(term.Term, factors, func(rest []formula.Factor, centre float64) {
			widening := math.Pow(min(math.Abs(centre/unit), 1e150), 2)
			for _, c := range term.Columns {
				wider := levels
				if name, has := keys[partKey(rest, c.Name.Levels)]; has {
					wider = []string{name}
				}
				for _, name := range wider {
					squares[name] += widening
				}
			}
		})
	}
	out := map[string]multiple{}
	for name, x := range squares {
		out[name] = multiple{math.Sqrt(x), math.Sqrt(x) * units[name]}
	}
	return out
}

// multiple holds two ratios. all is the prior standard deviation of a coefficient divided by that of a level. shift is the factor
// in it that shifted columns cause; it is 1 if they have mean 0.
type multiple struct{ all, shift float64 }

// numericFactors returns the numeric factors of terms, by [formula.Factor.String].
func numericFactors(coding formula.Coding, terms []formula.DesignTerm, t formula.Table) map[string]numeric {
	all := map[string]numeric{}
	for _, term := range terms {
		for _, f := range term.Term.Factors {
			key := f.String()
			if _, done := all[key]; done || coding.Factors[key].Levels != nil {
				continue
			}
			single, err := formula.Build(&formula.Formula{Common: []formula.Term{{Factors: []formula.Factor{f}}}}, t)
			if err != nil || t.Rows == 0 {
				continue // a column of zeros: its coefficient has no effect
			}
			all[key] = numericOf(single.Common[0].Columns[0].Values)
		}
	}
	return all
}

// unitOf returns the unit of a term's columns.
func unitOf(t formula.Term, factors map[string]numeric) float64 {
	unit := 1.0
	for _, f := range t.Factors {
		if n, is := factors[f.String()]; is {
			unit = within(unit * n.unit)
		}
	}
	return unit
}

// eachRest calls use for each term that remains if some numeric factors of a term are removed, with the product of their centres.
func eachRest(t formula.Term, factors map[string]numeric, use func(rest []formula.Factor, centre float64)) {
	var all []int
	for i, f := range t.Factors {
		if _, is := factors[f.String()]; is {
			all = append(all, i)
		}
	}
	for some := 1; some < 1<<len(all); some++ {
		left, centre := slices.Clone(t.Factors), 1.0
		for k := len(all) - 1; k >= 0; k-- {
			if some>>k&1 == 1 {
				centre *= factors[t.Factors[all[k]].String()].centre
				left = slices.Delete(left, all[k], all[k]+1)
			}
		}
		if centre != 0 {
			use(left, centre)
		}
	}
}

// partKey returns a text that is the same for two columns if they have the same factors, in any order, at the same levels.
func partKey(factors []formula.Factor, levels []string) string {
	names := make([]string, len(factors))
	for i, f := range factors {
		names[i] = f.String()
	}
	slices.Sort(names)
	return fmt.Sprintf("%q %q", names, levels)
}
