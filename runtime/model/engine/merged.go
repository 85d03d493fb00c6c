package engine

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
	"sync"

	"likc/compiler/expr"
	"likc/runtime/model/kernel"
	"likc/runtime/model/trials"
)

// Trials without a response have no response time. So those with the same other columns, as after stop signals of the same delay, have the
// same log density, which is often a costly integral. Of n equal trials it is therefore evaluated a few times only: n is written as a sum of
// powers of two, and a trial that counts 1, 2, 4, … times is bound to a likelihood with this weight.

// silent returns the choice of trials without a response, if their log density does not depend on the response time; else ok is false.
func silent(m *expr.Model) (choice float64, ok bool) {
	rt := trials.ResponseTime(m.Trials)
	choice, ok = m.Missing[m.Choice]
	if _, missing := m.Missing[rt]; !ok || !missing {
		return 0, false
	}
	for _, g := range m.Groups() {
		if g.Choice != choice {
			continue
		}
		roots := []*expr.Expr{g.LogLik}
		for _, s := range g.Support {
			roots = append(roots, s.Left, s.Right)
		}
		return choice, !slices.Contains(expr.Symbols(roots...), rt)
	}
	return 0, false
}

// merging returns a binder that merges equal trials of the silent choice, or bind itself for a model without one.
func merging(m *expr.Model, bind bind) bind {
	choice, ok := silent(m)
	if !ok {
		return bind
	}
	rt := slices.Index(m.Trials, trials.ResponseTime(m.Trials))
	return func(columns [][]float64, choices []float64) (kernel.Sum, error) {
		whole, err := bind(columns, choices) // refuses what is no trial, by its number
		if err != nil {
			return nil, err
		}
		parts := mergedRows(columns, choices, rt, choice)
		if len(parts) == 1 {
			return whole, nil
		}
		sum := &weighted{}
		sum.spaces.New = func() any { g := make([]float64, len(m.Params)); return &g }
		for k, rows := range parts {
			if len(rows) == 0 {
				continue
			}
			own := make([][]float64, len(columns))
			for j, column := range columns {
				own[j] = at(column, rows)
			}
			lik, err := bind(own, at(choices, rows))
			if err != nil {
				return nil, err
			}
			sum.times, sum.parts = append(sum.times, math.Ldexp(1, k)), append(sum.parts, lik)
		}
		return sum, nil
	}
}

// mergedRows returns the rows that count 1, 2, 4, … times, in this order. Rows of other choices all count once. Rows of the choice are equal
// if all columns except rt are.
func mergedRows(columns [][]float64, choices []float64, rt int, choice float64) [][]int {
	parts := [][]int{nil}
	count, first := map[string]int{}, []int{}
	keys := make([]string, len(choices))
	for i, c := range choices {
		if c != choice {
			parts[0] = append(parts[0], i)
			continue
		}
		var key []byte
		for j, column := range columns {
			if j != rt {
				key = append(strconv.AppendUint(key, math.Float64bits(column[i]), 36), 0)
			}
		}
		keys[i] = string(key)
		if count[keys[i]]++; count[keys[i]] == 1 {
			first = append(first, i)
		}
	}
	for _, i := range first {
		n := uint(count[keys[i]])
		for k := range bits.Len(n) {
			if k == len(parts) {
				parts = append(parts, nil)
			}
			if n>>k&1 == 1 {
				parts[k] = append(parts[k], i)
			}
		}
	}
	return parts
}

// at returns the values at rows.
func at(values []float64, rows []int) []float64 {
	own := make([]float64, len(rows))
	for k, i := range rows {
		own[k] = values[i]
	}
	return own
}

// weighted is a sum of likelihoods, each of which counts several times.
type weighted struct {
	times  []float64
	parts  []kernel.Sum
	spaces sync.Pool // of *[]float64
}

// Dim is the number of parameters.
func (w *weighted) Dim() int { return w.parts[0].Dim() }

// LogLik returns the weighted sum.
func (w *weighted) LogLik(theta []float64) float64 {
	total := 0.0
	for k, part := range w.parts {
		total += w.times[k] * part.LogLik(theta)
	}
	return total
}

// LogLikGrad returns the weighted sum and sets grad to its gradient.
func (w *weighted) LogLikGrad(theta, grad []float64) float64 {
	own := w.spaces.Get().(*[]float64)
	defer w.spaces.Put(own)
	clear(grad)
	total := 0.0
	for k, part := range w.parts {
		total += w.times[k] * part.LogLikGrad(theta, *own)
		for j, g := range *own {
			grad[j] += w.times[k] * g
		}
	}
	if math.IsInf(total, -1) {
		clear(grad)
	}
	return total
}
