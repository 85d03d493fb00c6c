package fit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
)

// Simulate fills rt, in seconds, and choice, of one length, with independent trials at the model's parameters theta. choice is nil
// for a model without choice.
type Simulate func(ctx context.Context, rng *rand.Rand, theta, rt, choice []float64) error

// SimulateRows fills rt and choice with a trial for each of some rows of the data, at the model's parameters theta. rt is NaN for a trial of a session
// that has no response.
type SimulateRows func(ctx context.Context, rng *rand.Rand, theta []float64, rows []int, rt, choice []float64) error

// Rows simulates all rows alike.
func (s Simulate) Rows() SimulateRows {
	return func(ctx context.Context, rng *rand.Rand, theta []float64, _ []int, rt, choice []float64) error {
		return s(ctx, rng, theta, rt, choice)
	}
}

// RowsOfSession returns what simulates the responses to rows of a session, whose other columns stay as they are. m has a [catalog.Session].
func RowsOfSession(m *catalog.Model, columns [][]float64) SimulateRows {
	respond := m.Respond(columns)
	return func(ctx context.Context, rng *rand.Rand, theta []float64, rows []int, rt, choice []float64) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return respond(rng, theta, rows, rt, choice)
	}
}

// SimulatorOf returns what simulates a model's trials: the process that the model declares, with its default scheme. Without one, and for
// a normalised expression, it is the model's own density, by quadrature. The wrappers of the model that b binds change what is drawn, as lapses do. It
// fails for a model that has neither a process nor a density.
func SimulatorOf(m *catalog.Model, b *bound.Prepared) (Simulate, error) {
	if b != nil {
		if wrapper, inside := b.Wrapped(); wrapper != nil {
			of, err := SimulatorOf(inside.Model, inside)
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
