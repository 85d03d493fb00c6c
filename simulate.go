package likc

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"likc/runtime/fit"
	"likc/runtime/model/ssm"
)

// mostTrials is the largest number of trials that Simulate and Recover make.
const mostTrials = 1 << 30

// Simulate makes n trials at parameters theta, in the order of [Model.Params]: the model's columns, as [Model.Bind] takes them. They come from
// the process that the model declares, else from its density. The same seed gives the same trials. A model with deadlines can be
// simulated only by [Fit.Predict], which knows the deadlines.
func (m *Model) Simulate(ctx context.Context, theta []float64, n int, seed uint64) (map[string][]float64, error) {
	defer runtime.KeepAlive(m)
	switch {
	case len(theta) != len(m.Params()):
		return nil, fmt.Errorf("likc: %s: %d parameters: want %d", m.catalog.Name, len(theta), len(m.Params()))
	case n < 1 || n > mostTrials:
		return nil, fmt.Errorf("likc: %s: %d trials: want 1 to %d", m.catalog.Name, n, mostTrials)
	case m.hasDeadlines:
		return nil, fmt.Errorf("likc: %s: it has deadlines: simulate the model without them", m.catalog.Name)
	}
	rng := ssm.NewRand(seed, 0)
	if _, session := m.catalog.Session(); session {
		columns, choice, err := m.catalog.DrawSession(rng, theta, n)
		if err != nil {
			return nil, fmt.Errorf("likc: %w", err)
		}
		return m.named(columns, choice), nil
	}
	simulator, err := m.simulator()
	if err == nil && simulator.InOrder() {
		err = fmt.Errorf("%s: its trials depend on columns or on one another: Fit.Predict simulates them", m.catalog.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("likc: %w", err)
	}
	rt, choice := make([]float64, n), m.choices(n)
	if err := simulator.Trials(ctx, rng, theta, rt, choice); err != nil {
		return nil, fmt.Errorf("likc: %w", err)
	}
	return m.named([][]float64{rt}, choice), nil
}

// simulator returns what simulates trials of the model.
func (m *Model) simulator() (*fit.Simulator, error) {
	binder, err := m.open()
	if err != nil {
		return nil, err
	}
	return fit.SimulatorOf(m.catalog, binder)
}

// choices returns a slice for the choices of n trials; nil for a model without choice.
func (m *Model) choices(n int) []float64 {
	if m.catalog.Choice == "" {
		return nil
	}
	return make([]float64, n)
}

// named returns columns by their names.
func (m *Model) named(columns [][]float64, choice []float64) map[string][]float64 {
	all, names := map[string][]float64{}, m.catalog.DataColumns()
	for j, c := range columns {
		all[names[j]] = c
	}
	if m.catalog.Choice != "" {
		all[m.catalog.Choice] = choice
	}
	return all
}

// Predict simulates the data of the fit again, once for each of the given number of draws, evenly spaced over all chains. Each simulation
// has a trial for each trial of the data. Columns that the model computes from choices, such as rewards, are left out. Column rt is NaN
// where no response comes by the trial's deadline, or the choice is one that does not respond. The same seed gives the same trials.
func (f *Fit) Predict(ctx context.Context, draws int, seed uint64) ([]map[string][]float64, error) {
	defer runtime.KeepAlive(f)
	m, trials := f.data.model, &f.data.trials
	if total := len(f.draws.Chains) * f.draws.Len(); draws < 1 || draws > total {
		return nil, fmt.Errorf("likc: fit of %s: %d draws: want 1 to %d", m.catalog.Name, draws, total)
	}
	var simulator *fit.Simulator // stays nil for a model of sessions, whose trials the catalog simulates
	if _, session := m.catalog.Session(); !session {
		var err error
		if simulator, err = m.simulator(); err != nil {
			return nil, fmt.Errorf("likc: %w", err)
		}
	}
	var outcomes []string // columns that depend on choices; the data have them for the observed choices, not for the simulated ones
	if s, ok := m.catalog.Sequence(); ok {
		outcomes = s.Outcomes()
	}
	var all []map[string][]float64
	keep := func(_ int, rt, choice []float64) error {
		rt, choice = slices.Clone(rt), slices.Clone(choice)
		for i := range rt {
			answer := 0.0
			if choice != nil {
				answer = choice[i]
			}
			if !trials.Answers(i, rt[i], answer) {
				rt[i] = math.NaN()
			}
		}
		columns := slices.Clone(trials.Columns) // except response times, columns are those of the data
		if j := m.catalog.TimeColumn(); j >= 0 {
			columns[j] = rt
		}
		named := m.named(columns, choice)
		for _, outcome := range outcomes {
			delete(named, outcome)
		}
		all = append(all, named)
		return nil
	}
	if err := f.result.Predictor(simulator, seed).Each(ctx, f.draws, draws, keep); err != nil {
		return nil, fmt.Errorf("likc: %w", err)
	}
	return all, nil
}
