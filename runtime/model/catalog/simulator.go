package catalog

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"likc/compiler/expr"
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
	p, err := ssm.Lookup(m.Simulator.Name)
	if err != nil {
		return nil, fmt.Errorf("simulator: %w", err)
	}
	given := map[string]*expr.Expr{}
	for _, a := range m.Simulator.Params {
		if p.Index(a.Param) < 0 {
			return nil, fmt.Errorf("simulator %s: has no parameter %s", p.Name, a.Param)
		}
		given[a.Param] = a.Value
	}
	var values []*expr.Expr
	var missing, names []string
	same := true
	for _, param := range p.Params {
		value := given[param.Name]
		if value == nil {
			missing = append(missing, param.Name)
			continue
		}
		values, names = append(values, value), append(names, param.Name)
		same = same && value.Op == expr.Sym && value.Name == param.Name
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("simulator %s: no value for %s", p.Name, strings.Join(missing, ", "))
	}
	if same && slices.Equal(names, m.ParamNames()) {
		return &Simulator{Process: p}, nil
	}
	return &Simulator{Process: p, params: m.ParamNames(), values: values}, nil
}

// At returns the process's parameters for the model's parameters theta.
func (s *Simulator) At(theta []float64) []float64 {
	if s.values == nil {
		return theta
	}
	at, _ := expr.NewTape(s.params, s.values...).Eval(nil, theta)
	return at
}

// From returns the simulator as it draws trials where no context is at hand, as [ssm.Model.From] does.
func (s *Simulator) From(ctx context.Context) *Simulator {
	out := *s
	out.Process = s.Process.From(ctx)
	return &out
}

// Simulate fills rt and choice, of equal lengths, with independent trials of the model at theta, as [ssm.Model.SimulateDecided] does.
func (s *Simulator) Simulate(r *rand.Rand, theta []float64, scheme ssm.Scheme, rt, choice []float64) error {
	return s.Process.SimulateDecided(context.Background(), r, s.At(theta), scheme, rt, choice)
}

// HasModes reports whether posteriors of the model's process can have several modes.
func (m *Model) HasModes() bool {
	s, ok := m.Simulator()
	return ok && s.Process.Modes
}
