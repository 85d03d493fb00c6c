package compiler

import (
	"fmt"
	"math"
	"slices"

	"likc/compiler/diff"
	"likc/compiler/expr"
)

// Tree evaluates the likelihood of a model as it was written, trial by trial, without any rewriting. Other engines are tested
// against it. Its gradient is the derivative of the unsimplified expression.
type Tree struct {
	*TreeBinder
	rows    [][]float64 // for each trial, the values of its columns
	group   []int       // for each trial, the index of its group
	support []func(trial, theta []float64) bool
}

// TreeBinder makes the Tree of a model for any number of datasets. It differentiates the model once. It is safe for concurrent
// use.
type TreeBinder struct {
	model  *expr.Model
	groups []expr.Group
	tapes  []treeTape // the tapes of each group
}

// treeTape evaluates one group's log density, without and with its gradient.
type treeTape struct{ density, both *expr.Tape }

// NewTreeBinder returns the TreeBinder of a model.
func NewTreeBinder(m *expr.Model) *TreeBinder {
	b := &TreeBinder{model: m, groups: m.Groups()}
	for _, g := range b.groups {
		roots := append([]*expr.Expr{g.LogLik}, diff.Gradient(g.LogLik, m.ParamNames())...)
		b.tapes = append(b.tapes, treeTape{expr.NewTape(symbols(m), g.LogLik), expr.NewTape(symbols(m), roots...)})
	}
	return b
}

// BindTree does what Bind does, for one dataset.
func BindTree(m *expr.Model, columns [][]float64, choice []float64) (*Tree, error) {
	return NewTreeBinder(m).Bind(columns, choice)
}

// Bind returns the Tree of a dataset. columns are in the model's order; choice is nil for a model without choice.
func (b *TreeBinder) Bind(columns [][]float64, choice []float64) (*Tree, error) {
	m, t := b.model, &Tree{TreeBinder: b, support: b.supportTests()}
	if len(columns) != len(m.Trials) || (choice == nil) != (m.Choice == "") {
		return nil, fmt.Errorf("bind %s: %d columns for %d trial columns", m.Name, len(columns), len(m.Trials))
	}
	for i := range columns[0] {
		row := make([]float64, len(columns))
		for j, c := range columns {
			row[j] = c[i]
		}
		t.rows = append(t.rows, row)
		group := 0
		if choice != nil {
			group = slices.IndexFunc(b.groups, func(g expr.Group) bool { return g.Choice == choice[i] })
		}
		if group < 0 {
			return nil, fmt.Errorf("bind %s: trial %d: choice %v: want one of %v", m.Name, i+1, choice[i], m.Codes())
		}
		t.group = append(t.group, group)
	}
	return t, nil
}

// N returns the number of trials.
func (t *Tree) N() int { return len(t.rows) }

// Dim returns the number of parameters.
func (t *Tree) Dim() int { return len(t.model.Params) }

// LogLik returns the summed log-likelihood.
func (t *Tree) LogLik(theta []float64) float64 {
	return t.LogLikGrad(theta, make([]float64, t.Dim()))
}

// LogLikGrad returns the summed log-likelihood, and sets grad to its gradient, or to zeros if the sum is -Inf.
func (t *Tree) LogLikGrad(theta, grad []float64) float64 {
	sums, _ := t.sums(theta)
	copy(grad, sums[1:])
	if math.IsInf(sums[0], -1) {
		clear(grad)
	}
	return sums[0]
}

// Terms returns sums of absolute values over the trials: of the log density, then of each derivative. Differences between
// engines are judged relative to these.
func (t *Tree) Terms(theta []float64) []float64 {
	_, terms := t.sums(theta)
	return terms
}

// Trial returns the log density of trial i; -Inf outside the support.
func (t *Tree) Trial(i int, theta []float64) float64 {
	if !t.inside(i, theta) {
		return math.Inf(-1)
	}
	var memory [1]float64
	var room [valuesRoom]float64
	v, _ := t.tapes[t.group[i]].density.Eval(memory[:0], t.values(room[:0], i, theta))
	return v[0]
}

// valuesRoom is a number of symbols that most models do not exceed, so that their evaluation allocates nothing.
const valuesRoom = 32

// values appends to dst the values of all symbols at trial i. It must not append to a row itself, because goroutines share the
// rows.
func (t *Tree) values(dst []float64, i int, theta []float64) []float64 {
	return append(append(dst, t.rows[i]...), theta...)
}

// inside reports whether the support conditions hold at trial i.
func (t *Tree) inside(i int, theta []float64) bool { return t.support[t.group[i]](t.rows[i], theta) }

// eval returns the log density of trial i and its gradient, or nil outside the support.
func (t *Tree) eval(dst []float64, i int, theta []float64) []float64 {
	if !t.inside(i, theta) {
		return nil
	}
	var room [valuesRoom]float64
	v, _ := t.tapes[t.group[i]].both.Eval(dst, t.values(room[:0], i, theta))
	return v
}

// sums returns the sums over trials of the log density and its derivatives, and of their absolute values. It uses compensated
// summation
// [neumaier1974].
func (t *Tree) sums(theta []float64) (sums, terms []float64) {
	n := 1 + t.Dim()
	sums, terms = make([]float64, n), make([]float64, n)
	fix := make([]float64, n)
	var v []float64
	for i := range t.rows {
		if v = t.eval(v[:0], i, theta); v == nil {
			clear(sums)
			sums[0] = math.Inf(-1)
			return sums, terms
		}
		for j, x := range v {
			s := sums[j] + x
			if math.Abs(sums[j]) >= math.Abs(x) {
				fix[j] += (sums[j] - s) + x
			} else {
				fix[j] += (x - s) + sums[j]
			}
			sums[j] = s
			terms[j] += math.Abs(x)
		}
	}
	for j := range sums {
		if !math.IsNaN(fix[j]) {
			sums[j] += fix[j]
		}
	}
	return sums, terms
}

// Scale returns the scale of rounding errors: the sum of the absolute intermediate values of value and gradient, over all
// trials.
func (t *Tree) Scale(theta []float64) float64 {
	scale := 0.0
	for i := range t.rows {
		var room [valuesRoom]float64
		_, s := t.tapes[t.group[i]].both.Eval(nil, t.values(room[:0], i, theta))
		scale += s
	}
	return scale
}
