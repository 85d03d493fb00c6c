package evidence

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"likc/compiler/expr"
	"likc/runtime/model/ssm"
)

// Simulator draws trials of a process that a model declares. If the drift of an accumulator is linear in its own evidence, and
// depends on no other, the evidence is a Brownian motion in a clock. It is then drawn without error at successive nodes of
// time. Between two nodes it is a Brownian bridge, which crosses the nearly straight boundaries with a known probability and at
// a time of known distribution. All other evidence is simulated by Heun's method in small steps.
type Simulator struct {
	model   *expr.Model
	density *Density  // nil if evidence is simulated by Heun's method
	symbols []string  // parameters, then trial columns, then time, then evidence
	walkers []*walker // the accumulators for Heun's method
	onset   law       // the distribution of the non-decision time
}

// walker is an accumulator whose evidence is simulated by Heun's method.
type walker struct {
	start   law
	drift   *expr.Tape
	bounds  *tape // computes σ², the upper boundary, the lower one and the reflecting one
	lower   bool  // whether there is a lower boundary
	reflect bool  // whether there is a reflecting boundary
}

// NewSimulator returns a simulator of a model's process.
func NewSimulator(m *expr.Model) (*Simulator, error) {
	s := &Simulator{model: m}
	if !slices.ContainsFunc(m.Evidence.Accumulators, func(a expr.Accumulator) bool { return a.Reflect != nil }) {
		if d, err := newDensity(m, false); err == nil {
			s.density, s.symbols, s.onset = d, d.symbols, d.onset
			return s, nil
		}
	}
	for _, name := range append(m.ParamNames(), m.Trials...) {
		s.symbols = append(s.symbols, name)
	}
	s.symbols = append(s.symbols, expr.Tau)
	s.onset = newLaw(m.Evidence.Onset, s.symbols, nil)
	all := s.symbols
	for _, a := range m.Evidence.Accumulators {
		all = append(all, a.Evidence)
	}
	for _, a := range m.Evidence.Accumulators {
		w := &walker{start: newLaw(a.Start, s.symbols, nil), drift: expr.NewTape(all, a.Drift), lower: a.Lower != nil, reflect: a.Reflect != nil}
		w.bounds = newTape(s.symbols, []*expr.Expr{expr.New(expr.Square, a.Noise), a.Upper, orZero(a.Lower), orZero(a.Reflect)})
		s.walkers = append(s.walkers, w)
	}
	return s, nil
}

// orZero returns 0 in place of a nil expression.
func orZero(e *expr.Expr) *expr.Expr {
	if e == nil {
		return expr.Num(0)
	}
	return e
}

// Sampler returns a sampler of trials. values holds the parameters, then the trial columns on which the process depends. Steps
// are at most step seconds long. If no boundary is reached within most seconds after the onset, the trial gets the choice of
// the nearest boundary. The sampler is not safe for concurrent use.
func (s *Simulator) Sampler(values []float64, step, most float64) (ssm.Sampler, error) {
	mem := &arena{}
	var t tapeMemory
	onset, _ := s.onset.at(&t, mem, 0, values)
	if s.onset.kind == expr.UniformLaw && onset[1] < onset[0] || s.onset.kind == expr.NormalLaw && !(onset[1] >= 0) {
		return nil, fmt.Errorf("model %s: the onset has no distribution at %v", s.model.Name, onset)
	}
	var run func(r *rand.Rand) (tau float64, choice int)
	var err error
	if s.density != nil {
		if run, err = s.density.paths(values, step, most); err != nil {
			err = fmt.Errorf("model %s: %w", s.model.Name, err)
		}
	} else {
		run, err = s.heun(values, step, most)
	}
	if err != nil {
		return nil, err
	}
	return s.onset.trials(onset, run, s.model.Codes()), nil
}
