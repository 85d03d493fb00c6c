package hierarchy

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"likc/runtime/fit/formula"
	"likc/runtime/model/posterior"
	"likc/runtime/num/chains"
)

// means holds the common coefficients that are the means μ of the effects of one group term, and everything that determines their
// full conditional density. Its integers are columns of the draws.
//
// The likelihood depends only on each level's own coefficients θ_j = μ + u_j. Given all θ_j, spreads and correlations, Σ, the means
// are normal with precision JΣ⁻¹ + S⁻¹, for J levels and a normal prior with variances S. The mean of this density over draws is the
// posterior density, even far out where there are no draws [gelfand1990].
//
//	[gelfand1990] Gelfand, Smith (1990). Sampling-based approaches to calculating marginal densities. Journal of the American
//	              Statistical Association 85, 398-409.
type means struct {
	levels       int            // number of levels J of the grouping
	offsets      [][]int        // columns of the offsets: [effect][level]
	spreads      []int          // columns of the spreads, one for each effect
	correlations map[[2]int]int // columns of the correlations, by the indices i > j of two effects; nil if effects are not correlated
	means        []mean         // the effects' common coefficients; a coefficient without a normal prior is treated as known
}

// mean is a common coefficient.
type mean struct {
	column    int // column of the coefficient in the draws; -1 if the effect has no common coefficient, or if it is treated as known
	name      string
	centre    float64 // centre of its prior
	precision float64 // precision of its prior; 0 if the caller multiplies by the prior
	weight    float64 // weight in the tested combination
}

// meansDensity returns, for each draw, the posterior density of the combination at the null's value. It uses the full conditional
// densities of those coefficients that are means of group effects. It returns nil if the combination has no such coefficient.
func (p nullPoint) meansDensity(r *Record, d *chains.Draws, priors map[string]posterior.Parameter) ([][]float64, error) {
	all, err := r.meansIn(p.linearForm, d, priors)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	of, err := p.evaluator(d)
	if err != nil {
		return nil, err
	}
	density := p.normalAt
	if own := priors[p.names[0]]; len(p.names) == 1 && !isNormal(&own) {
		density = func(mean, sd float64) float64 { return p.timesPrior(&own, mean, sd) }
	}
	out := make([][]float64, len(d.Chains))
	for c := range out {
		out[c] = make([]float64, d.Len())
		for k := range out[c] {
			mean, variance := of(c, k), 0.0
			for i := range all {
				shift, more, ok := all[i].conditional(func(column int) float64 { return d.Chains[c].Params[column][k] })
				if !ok {
					return nil, nil // numerically, correlations are 1
				}
				mean, variance = mean+shift, variance+more
			}
			out[c][k] = density(mean, math.Sqrt(variance))
		}
	}
	return out, nil
}

// isNormal reports whether a prior is normal.
func isNormal(p *posterior.Parameter) bool {
	_, _, ok := p.Normal()
	return ok
}

// normalAt returns a normal density at the null's value.
func (p nullPoint) normalAt(mean, sd float64) float64 { return normalDensity(p.value, mean, sd) }

// timesPrior returns the density of a combination of one coefficient at the null's value. The coefficient's density is
// proportional to a normal density times its prior.
func (p nullPoint) timesPrior(own *posterior.Parameter, mean, sd float64) float64 {
	const steps, reach = 200, 8.0
	w := p.weights[0]
	value, mean, sd := (p.value-p.constant)/w, (mean-p.constant)/w, sd/math.Abs(w)
	low, high := own.Support()
	low, high = max(low, min(mean, value)-reach*sd), min(high, max(mean, value)+reach*sd)
	product := func(x float64) float64 {
		log, _ := own.Prior.LogDensity(x)
		return normalDensity(x, mean, sd) * math.Exp(log)
	}
	all, step := 0.0, (high-low)/steps
	for i := range steps {
		all += product(low+(float64(i)+0.5)*step) * step
	}
	if !(all > 0) || value < low || value > high {
		return 0
	}
	return product(value) / all / math.Abs(w)
}

// conditional returns, for a draw, the conditional mean of the tested combination minus its drawn value, and its conditional
// variance. It returns false if the effects' covariance has no inverse.
func (m *means) conditional(at func(column int) float64) (shift, variance float64, ok bool) {
	n := len(m.means)
	covariance, sums := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i := range n {
		covariance.SetSym(i, i, at(m.spreads[i])*at(m.spreads[i]))
		for j := range i {
			if m.correlations != nil {
				covariance.SetSym(i, j, at(m.correlations[[2]int{i, j}])*at(m.spreads[i])*at(m.spreads[j]))
			}
		}
		for _, column := range m.offsets[i] {
			sums.SetVec(i, sums.AtVec(i)+at(column))
		}
	}
	var root mat.Cholesky
	if !root.Factorize(covariance) {
		return 0, 0, false
	}
	var inverse mat.SymDense
	var pull mat.VecDense // Σ⁻¹ Σ_j u_j
	if root.InverseTo(&inverse) != nil || root.SolveVecTo(&pull, sums) != nil {
		return 0, 0, false
	}
	precision, slope, weights := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	for i, a := range m.means {
		if a.column < 0 {
			precision.SetSym(i, i, 1) // the weight and slope of this effect are 0
			continue
		}
		slope.SetVec(i, pull.AtVec(i)-(at(a.column)-a.centre)*a.precision)
		weights.SetVec(i, a.weight)
		for j, b := range m.means[:i+1] {
			if b.column >= 0 {
				precision.SetSym(i, j, float64(m.levels)*inverse.At(i, j))
			}
		}
		precision.SetSym(i, i, precision.At(i, i)+a.precision)
	}
	var solved mat.VecDense
	if !root.Factorize(precision) || root.SolveVecTo(&solved, weights) != nil {
		return 0, 0, false
	}
	return mat.Dot(&solved, slope), mat.Dot(&solved, weights), true
}

// meansIn returns the group terms whose means a linear combination tests. Each coefficient counts as the mean of only one group
// term, the one with the fewest levels. With two groupings, only one grouping's offsets can compensate a change of the mean; the
// offsets of the other are treated as known.
func (r *Record) meansIn(f linearForm, d *chains.Draws, priors map[string]posterior.Parameter) (all []means, err error) {
	weights, index := map[string]float64{}, indexOf(d)
	for i, name := range f.names {
		weights[name] = f.weights[i]
	}
	for i := range r.Params {
		p := &r.Params[i]
		if p.Formula == nil {
			continue
		}
		terms, err := r.meansOf(p, index)
		if err != nil {
			return nil, err
		}
		for k := range terms {
			taken := func(column int) bool { return fewerLevels(terms, k, column) }
			if terms[k].test(weights, priors, taken) {
				all = append(all, terms[k])
			}
		}
	}
	return all, nil
}

// test sets the weights and the priors of the means, given the weights of the tested coefficients. It reports whether any mean is tested.
// A mean for which taken returns true belongs to another term, and is held fixed. So is one without a normal prior, unless it is the only
// one tested.
func (m *means) test(weights map[string]float64, priors map[string]posterior.Parameter, taken func(column int) bool) (tested bool) {
	for e := range m.means {
		a := &m.means[e]
		if a.column < 0 {
			continue
		}
		own := priors[a.name]
		centre, sd, normal := own.Normal()
		a.weight = weights[a.name]
		isOnlyTested := a.weight != 0 && len(weights) == 1
		if taken(a.column) || !normal && !isOnlyTested {
			a.column = -1
			continue
		}
		if normal {
			a.centre, a.precision = centre, 1/(sd*sd)
		}
		tested = tested || a.weight != 0
	}
	return tested
}

// fewerLevels reports whether a coefficient is also the mean of another term that has fewer levels than term k, or as many levels
// and a lower index.
func fewerLevels(terms []means, k, column int) bool {
	for i := range terms {
		if terms[i].levels > terms[k].levels || terms[i].levels == terms[k].levels && i >= k {
			continue
		}
		for _, a := range terms[i].means {
			if a.column == column {
				return true
			}
		}
	}
	return false
}

// meansOf returns the group terms of a parameter, with the common coefficients that are their means.
func (r *Record) meansOf(p *ParamRecord, index map[string]int) (all []means, err error) {
	whole, err := formula.Parse(p.Formula.Text)
	if err != nil || len(whole.Groups) == 0 {
		return nil, err
	}
	row, err := r.anyRow()
	if err != nil {
		return nil, err
	}
	common, err := p.Formula.transform(whole, whole.Common, nil, row)
	if err != nil {
		return nil, err
	}
	coefficients, next := map[string]string{}, 0
	for _, t := range common.Common {
		for _, c := range t.Columns {
			if next < len(p.Formula.Coefficients) {
				coefficients[columnKey(t, c)] = p.Formula.Coefficients[next]
			}
			next++
		}
	}
	for i := range whole.Groups {
		m, err := p.Formula.meansOfTerm(whole, &whole.Groups[i], row, coefficients, index)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// meansOfTerm returns the means of one group term. coefficients has the common coefficients by [columnKey].
func (r *DesignRecord) meansOfTerm(whole *formula.Formula, g *formula.GroupTerm, row formula.Table, coefficients map[string]string, index map[string]int) (m means, err error) {
	built, err := r.transform(whole, g.Effects, nil, row)
	if err != nil {
		return m, err
	}
	column := func(name string) int {
		at, known := index[name]
		if !known && err == nil {
			err = fmt.Errorf("the draws have no %s", name)
		}
		return at
	}
	levels := r.Coding.Groups[g.Name()]
	m.levels = len(levels)
	var names []formula.Name
	for _, t := range built.Common {
		for _, c := range t.Columns {
			name := formula.Name{Base: g.Base(whole.Param, t.Term), Levels: c.Name.Levels}
			names, m.spreads = append(names, name), append(m.spreads, column(name.Sigma().String()))
			var offsets []int
			for _, level := range levels {
				offsets = append(offsets, column(name.At(level).String()))
			}
			own := mean{column: -1}
			if of, has := coefficients[columnKey(t, c)]; has {
				own = mean{column: column(of), name: of}
			}
			m.offsets, m.means = append(m.offsets, offsets), append(m.means, own)
		}
	}
	if g.Correlated && len(names) > 1 {
		m.correlations = map[[2]int]int{}
		for i := range names {
			for j := range i {
				m.correlations[[2]int{i, j}] = column(correlationName(names[j], names[i]))
			}
		}
	}
	return m, err
}

// anyRow returns a table of one row with some value for every column. The names of a design's columns do not depend on these values.
func (r *Record) anyRow() (t formula.Table, err error) {
	t.Rows = 1
	for i := range r.Columns {
		c := &r.Columns[i]
		value := textOf(float64(c.Mean))
		switch {
		case len(c.Labels) > 0:
			value = c.Labels[0]
		case len(c.Values) > 0:
			value = textOf(c.Values[0])
		}
		column, err := c.column(value)
		if err != nil {
			return t, err
		}
		t.Columns = append(t.Columns, column)
	}
	return t, nil
}
