package fit

import (
	"context"
	"fmt"
	"math/rand/v2"

	"likc/runtime/catalog"
	"likc/runtime/engine"
)

// Simulate fills rt, in seconds, and choice, of one length, with independent trials at the model's parameters theta. choice is nil
// for a model without choice.
type Simulate func(ctx context.Context, rng *rand.Rand, theta, rt, choice []float64) error

// SimulatorOf returns what simulates a model's trials: the process that the model declares, with its default scheme. Without one
// it is the model's own density, by quadrature. It fails for a model that has neither: what is no density predicts nothing.
func SimulatorOf(m *catalog.Model, b *engine.Binder) (Simulate, error) {
	if declared, ok := m.Simulator(); ok {
		scheme, _, err := declared.Process.Scheme("")
		return func(ctx context.Context, rng *rand.Rand, theta, rt, choice []float64) error {
			if choice == nil {
				choice = make([]float64, len(rt))
			}
			return declared.Process.SimulateContext(ctx, rng, declared.At(theta), scheme, rt, choice)
		}, err
	}
	timed, err := b.Timed(m)
	if err != nil {
		return nil, fmt.Errorf("%s: has no simulator, and none can be made: %w", m.Name, err)
	}
	if masses, ok := b.Masses(m); !ok || !masses.Normalised() {
		return nil, fmt.Errorf("%s: has no simulator and is no density: %s", m.Name, masses)
	}
	return func(ctx context.Context, rng *rand.Rand, theta, rt, choice []float64) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return timed.Simulate(rng, theta, rt, choice)
	}, nil
}
