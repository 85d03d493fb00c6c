package catalog

import (
	"likc/compiler/expr"
	"likc/runtime/model/process"
	"likc/runtime/model/ssm"
)

// Names of the trial columns of a process.
const (
	ResponseTime = ssm.ResponseTime
	Choice       = ssm.Choice
)

// Header returns the named process as a model without a log density. An expression of a search front, which is the list of a search's
// best expressions, becomes a likelihood by this header. See [HeaderOf].
func Header(process string) (*expr.Model, error) {
	p, err := ssm.Lookup(process)
	if err != nil {
		return nil, err
	}
	return HeaderOf(p), nil
}

// Headers returns the header for a line of a front. text defines the process; "" means the built-in process with the given name.
// With a text, the header declares no simulator, because the process has no built-in name.
func Headers(name, text string) (*expr.Model, error) {
	p, err := process.Of(name, text)
	if err != nil {
		return nil, err
	}
	m := HeaderOf(p)
	if text != "" {
		m.Simulator = nil
	}
	return m, nil
}

// choicesOf returns the number of a process's choices if they are numbered; 0 for the choices 1 and -1 of two boundaries.
func choicesOf(p *ssm.Model) int {
	if p.Numbered() {
		return len(p.Choices)
	}
	return 0
}

// HeaderOf returns a process as a model in the language, without a log density. It has the process's trials and choice, parameters
// and ranges, onset < rt, the reflection at the lower boundary, and the process as the simulator.
func HeaderOf(p *ssm.Model) *expr.Model {
	m := &expr.Model{Name: p.Name, Trials: []string{ResponseTime}, Positive: []string{ResponseTime}, Choices: choicesOf(p),
		Simulator: &expr.SimulatorUse{Name: p.Name}}
	if p.HasChoice() {
		m.Choice = Choice
	}
	if p.Onset != "" {
		m.Support = []expr.Support{{Left: expr.Var(p.Onset), Right: expr.Var(ResponseTime)}}
	}
	if on := p.Onsets; on != (ssm.Uniform{}) {
		earliest := expr.New(expr.Sub, expr.Var(on.Middle), expr.New(expr.Div, expr.Var(on.Width), expr.Num(2)))
		m.Support = []expr.Support{{Left: earliest, Right: expr.Var(ResponseTime)}}
	}
	for _, param := range p.Params {
		m.Params = append(m.Params, expr.Param{Name: param.Name, Lower: param.Lower, Upper: param.Upper})
		x := expr.Var(param.Name)
		m.Simulator.Params = append(m.Simulator.Params, expr.Assign{Param: param.Name, Value: x})
		switch param.Mirror {
		case ssm.Negate:
			m.Lower = append(m.Lower, expr.Assign{Param: param.Name, Value: expr.New(expr.Neg, x)})
		case ssm.Complement:
			m.Lower = append(m.Lower, expr.Assign{Param: param.Name, Value: expr.New(expr.Sub, expr.Num(1), x)})
		}
	}
	return m
}
