package ssm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// Scheme says how trials are simulated; the zero value is the exact sampler.
type Scheme struct {
	Step    float64 // dt of the Euler-Maruyama scheme in seconds; 0 means exact
	MaxTime float64 // largest decision time of the Euler-Maruyama scheme in seconds
}

// ExactScheme has no time step and no bias; only ddm has it.
func ExactScheme() Scheme { return Scheme{} }

// EulerScheme is ssm-simulators' default: steps of 1 ms, at most 20 s. Its
// decision times are biased upwards; see the scheme's notes in euler.go and
// TestEulerBias.
func EulerScheme() Scheme { return Scheme{Step: 0.001, MaxTime: 20} }

// SchemeNamed returns the scheme called "exact" or "euler".
func SchemeNamed(name string) (Scheme, error) {
	switch name {
	case "exact":
		return ExactScheme(), nil
	case "euler":
		return EulerScheme(), nil
	}
	return Scheme{}, fmt.Errorf("scheme %q: unknown; there are exact, euler", name)
}

// NewRand returns the generator from which Simulate is reproducible: PCG,
// seeded by the run's seed and the number of the unit of work.
func NewRand(seed, stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }

// Simulate fills rt (seconds) and choice (+1 or -1), of equal lengths, with
// independent trials of the model at theta. It fails where a response time is
// not a positive number that floating point holds.
func (m *Model) Simulate(r *rand.Rand, theta []float64, scheme Scheme, rt, choice []float64) error {
	if len(rt) != len(choice) {
		return fmt.Errorf("simulate %s: %d response times but %d choices", m.Name, len(rt), len(choice))
	}
	if err := m.Check(theta); err != nil {
		return fmt.Errorf("simulate: %w", err)
	}
	draw, err := m.sampler(theta, scheme)
	if err != nil {
		return err
	}
	for i := range rt {
		rt[i], choice[i] = draw(r)
		if !(rt[i] > 0 && rt[i] <= math.MaxFloat64) {
			return fmt.Errorf("simulate %s: %s gives a response time of %v; want parameters of ordinary size", m.Name, m.describe(theta), rt[i])
		}
	}
	return nil
}

// describe writes theta as v=1,a=1.2,...
func (m *Model) describe(theta []float64) string {
	pairs := make([]string, len(theta))
	for i, p := range m.Params {
		pairs[i] = fmt.Sprintf("%s=%v", p.Name, theta[i])
	}
	return strings.Join(pairs, ",")
}

func (m *Model) sampler(theta []float64, scheme Scheme) (func(*rand.Rand) (float64, float64), error) {
	if scheme.Step == 0 {
		if !m.exact {
			return nil, fmt.Errorf("simulate %s: no exact sampler; use the euler scheme", m.Name)
		}
		return newWalk(theta).draw, nil
	}
	if !(scheme.Step > 0 && scheme.MaxTime > 0) {
		return nil, fmt.Errorf("simulate %s: step %v and largest time %v are not both positive", m.Name, scheme.Step, scheme.MaxTime)
	}
	e := &euler{
		bound: m.bound(theta), drift: m.drift(theta),
		start: theta[m.Index("a")] * (2*theta[m.Index("z")] - 1), t: theta[m.Index("t")],
		step: scheme.Step, most: scheme.MaxTime,
	}
	return e.draw, nil
}
