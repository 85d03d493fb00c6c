package bound

import (
	"math"
	"math/bits"
	"slices"
	"strconv"

	"likc/compiler/expr"
	"likc/runtime/model/kernel"
	"likc/runtime/model/trials"
)

// Trials without a response have no response time. So those whose other columns are equal, such as trials with a stop signal of the
// same delay, have the same log density. It is often a costly integral. If there are n equal trials, it is evaluated only a few
// times: n is written as a sum of powers of two. For each power, one of the trials is bound to a piece, a part of the
// log-likelihood, that counts so many times.

// silence identifies the trials without a response: those with a choice whose log density does not depend on the response time,
// column rt.
type silence struct {
	choice float64 // the code of a missing response
	rt     int     // index of the column of response times
}

// silenceOf returns how trials without a response are identified; nil for a model that has none.
func silenceOf(m *expr.Model) *silence {
	rt := trials.ResponseTime(m.Trials)
	choice, ok := m.Missing[m.Choice]
	if _, missing := m.Missing[rt]; !ok || !missing {
		return nil
	}
	for _, g := range m.Groups() {
		if g.Choice != choice {
			continue
		}
		roots := []*expr.Expr{g.LogLik}
		for _, s := range g.Support {
			roots = append(roots, s.Left, s.Right)
		}
		if slices.Contains(expr.Symbols(roots...), rt) {
			return nil
		}
		return &silence{choice, slices.Index(m.Trials, rt)}
	}
	return nil
}

// parts returns the trials that count 1, 2, 4, … times, in this order. Trials with other choices all count once. Trials without a
// response are equal if all columns except the response time are, including the columns in more.
func (s *silence) parts(t kernel.Trials, more [][][]float64) [][]int {
	columns := slices.Clone(t.Columns)
	columns[s.rt] = nil
	for _, own := range more {
		columns = append(columns, own...)
	}
	parts := [][]int{nil}
	count, first := map[string]int{}, []int{}
	keys := make([]string, len(t.Choice))
	for i, c := range t.Choice {
		if c != s.choice {
			parts[0] = append(parts[0], i)
			continue
		}
		var key []byte
		for _, column := range columns {
			if column != nil {
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
