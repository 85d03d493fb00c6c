package fit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/trials"
)

// Simulate fills rt, in seconds, and choice with independent trials at the model's parameters theta. rt and choice have the same
// length, but choice is nil for a model without choice.
type Simulate func(ctx context.Context, rng *rand.Rand, theta, rt, choice []float64) error

// SimulateRows fills rt and choice with a simulated trial for each of some rows of the data, at the model's parameters theta.
// rt is NaN for a trial of a session without a response.
type SimulateRows func(ctx context.Context, rng *rand.Rand, theta []float64, rows []int, rt, choice []float64) error

// Rows returns a SimulateRows that ignores the rows: all trials have the same distribution.
func (s Simulate) Rows() SimulateRows {
	return func(ctx context.Context, rng *rand.Rand, theta []float64, _ []int, rt, choice []float64) error {
		return s(ctx, rng, theta, rt, choice)
	}
}

// RowsOfSession returns a function that simulates the responses to rows of a session. It does not change the other columns of
// the rows. m has a [catalog.Session].
func RowsOfSession(m *catalog.Model, columns [][]float64) SimulateRows {
	respond := m.Respond(columns)
	return func(ctx context.Context, rng *rand.Rand, theta []float64, rows []int, rt, choice []float64) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return respond(rng, theta, rows, rt, choice)
	}
}

// SimulateStudy fills rt, in seconds, and choice with a trial for each row of the data, in order. theta holds a slice for each of
// the model's parameters, with one number for all rows or a number for each row. rt is 1 for a model without response times.
// choice is [trials.Omitted] for trials without a recorded response.
type SimulateStudy func(ctx context.Context, rng *rand.Rand, theta [][]float64, rt, choice []float64) error

// Simulator simulates trials of a model. If trials depend only on parameters, use Trials. If they depend on columns of the data
// or on earlier trials, use OfStudy.
type Simulator struct {
	Trials Simulate // nil if trials depend on more than parameters

	model    *catalog.Model
	prepared *bound.Prepared
	sequence *catalog.Sequence // nil if trials depend only on parameters
}

// InOrder reports whether trials depend on columns of the data or on earlier trials.
func (s *Simulator) InOrder() bool { return s != nil && s.sequence != nil }

// OfStudy returns a function that simulates all rows of a subject's data. It fails if the model and the data do not determine
// the outcomes of simulated choices. The function is not safe for concurrent use.
func (s *Simulator) OfStudy(of *Subject) (SimulateStudy, error) {
	supplied, err := s.outcomes(of)
	if err != nil {
		return nil, err
	}
	respond, err := s.Respond(of)
	t := kernel.Trials{Person: of.Person, Choice: make([]float64, of.Trials())}
	for _, c := range of.Columns {
		t.Columns = append(t.Columns, slices.Clone(c))
	}
	time := s.model.TimeColumn()
	return func(ctx context.Context, rng *rand.Rand, theta [][]float64, rt, choice []float64) error {
		if err := s.sequence.Draw(ctx, rng, respond, theta, t, supplied); err != nil {
			return err
		}
		for i := range rt {
			if rt[i] = 1; time >= 0 {
				rt[i] = t.Columns[time][i]
			}
		}
		copy(choice, t.Choice)
		return nil
	}, err
}

// Check returns an error that names the first subject whose trials OfStudy cannot simulate, and the reason.
func (s *Simulator) Check(subjects []Subject) error {
	for i := range subjects {
		if _, err := s.outcomes(&subjects[i]); err != nil {
			return subjects[i].Name(err)
		}
	}
	return nil
}

// outcomes returns the columns of the data from which the outcomes of simulated choices are computed.
func (s *Simulator) outcomes(of *Subject) (all [][]float64, err error) {
	if names := s.sequence.Unexplained(); len(names) > 0 {
		return nil, fmt.Errorf("%s: it does not say what %s is after another choice: write trial %[2]s = …, as in reward = if(0 < %[3]s, ra, rb), or trial %[2]s = %[2]s where no choice changes it",
			s.model.Name, names[0], s.model.Choice)
	}
	for _, name := range s.sequence.Supplied() {
		at := slices.IndexFunc(of.Supplied, func(c trials.Supplied) bool { return c.Name == name })
		if at < 0 {
			return nil, fmt.Errorf("%s: the data have no column %s, from which outcomes of simulated choices are computed", s.model.Name, name)
		}
		column := of.Supplied[at].Values
		if i := slices.IndexFunc(column, math.IsNaN); i >= 0 {
			return nil, fmt.Errorf("%s: column %s, from which outcomes of simulated choices are computed, holds no number at %s", s.model.Name, name, of.nameTrial(i))
		}
		all = append(all, column)
	}
	return all, nil
}

// Respond returns a function that draws the response to a trial; a response after the deadline becomes an omission. Respond
// returns nil for a model of choices only.
func (s *Simulator) Respond(of *Subject) (catalog.Respond, error) {
	draw, err := responsesOf(s.sequence, s.prepared)
	if draw == nil || err != nil {
		return nil, err
	}
	rt, choice := []float64{0}, []float64{0}
	return func(ctx context.Context, rng *rand.Rand, trial int, theta []float64) (float64, float64, error) {
		err := draw(ctx, rng, theta, nil, rt, choice)
		if !of.Answers(trial, rt[0], choice[0]) {
			choice[0] = trials.Omitted
		}
		return rt[0], choice[0], err
	}, nil
}

// SimulatorOf returns the simulator of a model's trials. It uses the process that the model declares, with its default scheme.
// Without a process, and for a normalised expression, it draws from the model's density by quadrature. Wrappers of the model
// that b binds, such as lapses, change the trials. SimulatorOf fails for a model that has neither a process nor a density.
func SimulatorOf(m *catalog.Model, b *bound.Prepared) (*Simulator, error) {
	if of, ok := m.Sequence(); ok {
		return &Simulator{model: m, prepared: b, sequence: of}, nil
	}
	trials, err := simulateOf(m, b)
	if err != nil {
		return nil, err
	}
	return &Simulator{Trials: trials, model: m, prepared: b}, nil
}

// responsesOf returns a function that draws responses of a sequence's process, given the parameters of the process and of the
// model's wrappers. It returns nil if the sequence has no process.
func responsesOf(s *catalog.Sequence, b *bound.Prepared) (bound.Draw, error) {
	if b != nil {
		if wrapper, inside := b.Wrapped(); wrapper != nil {
			draw, err := responsesOf(s, inside)
			if draw == nil || err != nil {
				return nil, err
			}
			return wrapper.Draw(inside.Model, draw), nil
		}
	}
	p, ok := s.Process()
	if !ok {
		return nil, nil
	}
	scheme, _, err := p.Scheme("")
	respond := s.By(scheme)
	return func(ctx context.Context, rng *rand.Rand, theta []float64, _ []int, rt, choice []float64) (err error) {
		rt[0], choice[0], err = respond(ctx, rng, 0, theta)
		return err
	}, err
}

// simulateOf returns a function that simulates trials of a model whose trials depend only on parameters.
func simulateOf(m *catalog.Model, b *bound.Prepared) (Simulate, error) {
	if b != nil {
		if wrapper, inside := b.Wrapped(); wrapper != nil {
			of, err := simulateOf(inside.Model, inside)
			draw := wrapper.Draw(inside.Model, bound.Draw(of.Rows()))
			return func(ctx context.Context, rng *rand.Rand, theta, rt, choice []float64) error {
				return draw(ctx, rng, theta, nil, rt, choice)
			}, err
		}
	}
	if declared, ok := m.Simulator(); ok && !m.Normalise {
		scheme, _, err := declared.Process.Scheme("")
		return func(ctx context.Context, rng *rand.Rand, theta, rt, choice []float64) error {
			if choice == nil {
				choice = make([]float64, len(rt))
			}
			return declared.Process.SimulateDecided(ctx, rng, declared.At(theta), scheme, rt, choice)
		}, err
	}
	if _, ok := m.Session(); ok {
		return nil, fmt.Errorf("%s: predictions are of response times alone, and its trials have the columns %s", m.Name, strings.Join(m.Trials, ", "))
	}
	timed, err := b.Timed()
	if err != nil {
		return nil, fmt.Errorf("%s: has no simulator, and none can be made: %w", m.Name, err)
	}
	if masses, ok := b.Masses(); !ok || !masses.Normalised() {
		return nil, fmt.Errorf("%s: has no simulator and is no density: %s", m.Name, masses)
	}
	return func(ctx context.Context, rng *rand.Rand, theta, rt, choice []float64) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return timed.Simulate(rng, theta, rt, choice)
	}, nil
}
