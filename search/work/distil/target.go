package distil

import (
	"fmt"
	"math"

	"likc/compiler/expr"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/search/find/divergence"
	"likc/search/teach/gate"
)

// target is the density that formulas are to be near.
type target struct {
	divergence.Density
	kind   string // exact or teacher
	header *expr.Model
}

// What a target is.
const (
	exactTarget   = "exact"
	teacherTarget = "teacher"
)

// targetOf finds the density of a model: the exact one, that of an expression which is a density itself, or that of a teacher which has passed
// its gate.
func targetOf(m *catalog.Model) (*target, error) {
	t := &target{kind: exactTarget, header: headerOf(m)}
	if len(m.Trials) != 1 {
		return nil, fmt.Errorf("%s has %d trial columns: only models whose one column is the response time can be distilled", m.Name, len(m.Trials))
	}
	if teacher, ok := m.Teacher(); ok {
		if _, err := gate.Admitted(m.Name, teacher); err != nil {
			return nil, err
		}
		t.kind = teacherTarget
	}
	if d, ok := m.Density(); ok {
		t.Density = d.(kernel.Drawn)
		return t, nil
	}
	if e, ok := m.Expression(); ok {
		if m.Origin.Kind != catalog.Closed {
			return nil, fmt.Errorf("%s is a formula already: name the process that it stands for", m.Name)
		}
		t.Density = newWritten(e)
		return t, nil
	}
	return nil, m.Usable()
}

// headerOf is the model without its log density: what a formula in its place declares.
func headerOf(m *catalog.Model) *expr.Model {
	h := *m.Model
	h.LogLik, h.Lets, h.Normalise, h.Integrals, h.Looped, h.Lapse, h.Binding = nil, nil, false, false, nil, nil, nil
	return &h
}

// written is the density of an expression.
type written struct {
	choices []float64
	tapes   []*expr.Tape // by choice: the log density, then both sides of each condition
}

func newWritten(m *expr.Model) *written {
	w := &written{}
	symbols := append(m.ParamNames(), m.Trials...)
	for _, g := range m.Groups() {
		roots := []*expr.Expr{g.LogLik}
		for _, c := range g.Support {
			roots = append(roots, c.Left, c.Right)
		}
		w.choices, w.tapes = append(w.choices, g.Choice), append(w.tapes, expr.NewTape(symbols, roots...))
	}
	return w
}

// LogDensity is as [divergence.Density] says.
func (w *written) LogDensity(dst []float64, theta [][]float64, rt, choice []float64) {
	var values, out []float64
	for i := range dst {
		values = append(append(values[:0], theta[i]...), rt[i])
		out, _ = w.tape(choice[i]).Eval(out[:0], values)
		dst[i] = out[0]
		for c := 1; c < len(out); c += 2 {
			if !(out[c] < out[c+1]) {
				dst[i] = math.Inf(-1)
			}
		}
	}
}

// tape is that of a choice, or the one of a model without.
func (w *written) tape(choice float64) *expr.Tape {
	for k, c := range w.choices {
		if c == choice {
			return w.tapes[k]
		}
	}
	return w.tapes[0]
}
