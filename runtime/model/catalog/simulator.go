package catalog

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"likc/compiler/expr"
	"likc/runtime/model/process"
	"likc/runtime/model/ssm"
)

// Simulator simulates trials of a model with a process whose parameters are functions of the model's. It is safe for concurrent use.
type Simulator struct {
	Process *ssm.Model
	params  []string     // the model's parameters
	values  []*expr.Expr // the process's parameters as functions of the model's; nil if they are the same
}

// newSimulator returns the simulator that a model declares.
func newSimulator(m *expr.Model) (*Simulator, error) {
	p, values, err := process.Declared(m)
	if err != nil {
		return nil, err
	}
	same := len(values) == len(m.Params)
	for j, value := range values {
		same = same && value.Op == expr.Sym && value.Name == p.Params[j].Name && value.Name == m.Params[j].Name
	}
	if same {
		return &Simulator{Process: p}, nil
	}
	return &Simulator{Process: p, params: m.ParamNames(), values: values}, nil
}

// OwnProcess returns the process that draws the model's trials as a function of the model's own parameters. It returns an error for
// a model that has no simulator, or whose trials have other columns than response times and choices.
func (m *Model) OwnProcess() (*ssm.Model, error) {
	s, ok := m.Simulator()
	switch {
	case !ok:
		return nil, fmt.Errorf("%s: does not say what process draws its trials", m.Name)
	case s.values == nil:
		return s.Process, nil
	case s.Process.Text != "":
		return nil, fmt.Errorf("%s: its trials are drawn by %s, which its own file defines, at other parameters than its own; name %[2]s", m.Name, s.Process.Name)
	}
	header := &expr.Model{Name: m.Name, Trials: m.Trials, Positive: []string{m.Trials[0]}, Choice: m.Choice, Choices: m.Choices, Params: m.Params,
		Simulator: &expr.SimulatorUse{Name: s.Process.Name}}
	for j, value := range s.values {
		header.Simulator.Params = append(header.Simulator.Params, expr.Assign{Param: s.Process.Params[j].Name, Value: value})
	}
	return process.OfModel(header)
}

// OfBank reports whether a bank, a stored set of simulated trials, of the named process suits the model: whether its trials were
// simulated at the model's own parameters. Names are compared, with that of [Model.OwnProcess].
func (m *Model) OfBank(process string) bool {
	return m.Of(process) || m.simulator != nil && m.simulator.values != nil && m.wrapped == nil && m.Name == process
}

// At returns the process's parameters for the model's parameters theta.
func (s *Simulator) At(theta []float64) []float64 {
	if s.values == nil {
		return theta
	}
	at, _ := expr.NewTape(s.params, s.values...).Eval(nil, theta)
	return at
}

// From returns the simulator bound to ctx, for callers without a context. See [ssm.Model.From].
func (s *Simulator) From(ctx context.Context) *Simulator {
	out := *s
	out.Process = s.Process.From(ctx)
	return &out
}

// Simulate fills rt and choice, of equal lengths, with independent trials of the model at theta, as [ssm.Model.SimulateDecided] does.
func (s *Simulator) Simulate(r *rand.Rand, theta []float64, scheme ssm.Scheme, rt, choice []float64) error {
	return s.Process.SimulateDecided(context.Background(), r, s.At(theta), scheme, rt, choice)
}

// HasModes reports whether posteriors can have several modes: those of the model's process, of a density that it calls, or of a formula of whose
// process nothing is known.
func (m *Model) HasModes() bool {
	if s, ok := m.Simulator(); ok && s.Process.Modes || !ok && m.Normalise && m.session == nil {
		return true
	}
	return slices.ContainsFunc(m.callees, (*Model).HasModes)
}
