package catalog

import (
	"math"
	"sync"

	"likc/compiler/binding"
	"likc/compiler/expr"
)

// OnsetAt returns the time at which the model's support begins at theta; see [Model.Onset].
func (m *Model) OnsetAt(theta []float64) float64 { return m.Onset()(theta) }

// Onset returns a function of the parameters: the time at which the model's support begins. It is the largest f among the conditions
// f < rt, where f depends only on parameters and rt is the only trial column; 0 if there is none. With several choices it is the
// earliest of their onsets. Lapses may come before it. The function is safe for concurrent use and allocates nothing.
func (m *Model) Onset() func(theta []float64) float64 {
	bare := m
	if m.Lapse != nil {
		bare = m.withoutLapses()
	}
	var groups [][]*expr.Tape
	for _, g := range bare.conditions() {
		var tapes []*expr.Tape
		for _, c := range g.Support {
			if c.Right.Op == expr.Sym && m.IsTrial(c.Right.Name) && !m.dependsOnTrial(c.Left) {
				tapes = append(tapes, expr.NewTape(m.ParamNames(), c.Left))
			}
		}
		groups = append(groups, tapes)
	}
	spaces := sync.Pool{New: func() any { return m.newOnsetSpace() }}
	return func(theta []float64) float64 {
		s := spaces.Get().(*onsetSpace)
		defer spaces.Put(s)
		if s.trace != nil {
			s.function.At(s.trace, theta, s.bound)
			theta = s.bound[:s.function.Dim()]
		}
		onset := math.Inf(1)
		for _, tapes := range groups {
			begin := 0.0
			for _, tape := range tapes {
				s.out, _ = tape.Eval(s.out[:0], theta)
				begin = max(begin, s.out[0])
			}
			onset = min(onset, begin)
		}
		return onset
	}
}

// onsetSpace is the working memory of an onset: the values of the model's binding function, which corrects the parameters of a
// calibrated model, and a number. The function is nil for other models.
type onsetSpace struct {
	function   *binding.Map
	trace      *binding.Trace
	bound, out []float64
}

func (m *Model) newOnsetSpace() *onsetSpace {
	s := &onsetSpace{out: make([]float64, 0, 1)}
	if m.Binding != nil {
		s.function = binding.Of(m.Model)
		s.trace, s.bound = s.function.NewTrace(), make([]float64, s.function.Out())
	}
	return s
}

// dependsOnTrial reports whether an expression contains a symbol that is no parameter, such as a trial column.
func (m *Model) dependsOnTrial(e *expr.Expr) bool {
	for _, s := range expr.Symbols(e) {
		if !m.IsParam(s) {
			return true
		}
	}
	return false
}
