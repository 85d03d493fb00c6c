package bound

import "slices"

// fewValues is the largest number of values of a column that counts as a set of conditions. Such a column separates blocks, which are
// groups of trials that share parameters. A column with more values is compiled into the likelihood.
const fewValues = 16

// wide is a parameter that depends on columns with many values. Within a block it is a predictor, made of its other columns, plus
// a predictor times the column for each column with many values.
type wide struct {
	narrow  Predictor // the predictor with only its other columns
	factors []factor  // the columns with many values
}

// factor is a column of many values, with the coefficients that it multiplies: a common one, and those of groups.
type factor struct {
	values []float64
	terms  []Term // terms of the coefficients, without the column
}

// asWide divides a parameter's columns. It returns nil if no column has many values. It also does if such a column is behind
// a link or an offset, because then the parameter is no linear combination of the columns.
func (p *Predictor) asWide() *wide {
	w := &wide{narrow: *p}
	w.narrow.Inside, w.narrow.Outside = nil, nil
	for side, terms := range [][]Term{p.Inside, p.Outside} {
		narrow := [...]*[]Term{&w.narrow.Inside, &w.narrow.Outside}[side]
		for _, t := range terms {
			if !manyValues(t.Values) {
				*narrow = append(*narrow, t)
				continue
			}
			if side == 0 && p.Inverse(0).Link != Identity {
				return nil
			}
			i := slices.IndexFunc(w.factors, func(s factor) bool { return slices.Equal(s.values, t.Values) })
			if i < 0 {
				i = len(w.factors)
				w.factors = append(w.factors, factor{values: t.Values})
			}
			w.factors[i].terms = append(w.factors[i].terms, Term{First: t.First, Level: t.Level})
		}
	}
	if len(w.factors) == 0 || manyValues(p.Offset) {
		return nil
	}
	return w
}

// manyValues reports whether there are more than fewValues different values.
func manyValues(values []float64) bool {
	seen := map[float64]bool{}
	for _, x := range values {
		if seen[x] = true; len(seen) > fewValues {
			return true
		}
	}
	return false
}

// cells numbers the trials such that equal numbers mean equal predictors.
func (w *wide) cells(n int) []int {
	at, _ := distinct(n, func(key []byte, trial int) []byte {
		key = w.narrow.key(key, trial, true)
		for _, s := range w.factors {
			key = append(appendKey(append(key, '|'), combine(s.terms, trial)), '|')
		}
		return key
	})
	return at
}

// inputs appends the predictors of a block of trials of one cell. It returns their indices, and the columns that multiply all of
// them except the first.
func (w *wide) inputs(to *Predictors, trials []int) (inputs []int, columns [][]float64) {
	inputs = []int{w.narrow.add(to, trials[0])}
	for _, s := range w.factors {
		columns = append(columns, at(s.values, trials))
		inputs = append(inputs, to.Add(combine(s.terms, trials[0]), Combination{}, 0, Inverse{Link: Identity}))
	}
	return inputs, columns
}
