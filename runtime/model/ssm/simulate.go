package ssm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Scheme says how trials are simulated; the zero value is the exact sampler.
type Scheme struct {
	Bridge  bool    // whether boundary crossings within a time step are found, by Brownian bridges; if not, and Step > 0, the scheme is that of Euler and Maruyama
	Step    float64 // dt in seconds; 0 means exact
	MaxTime float64 // largest decision time in seconds, for a scheme with a time step
	Outside bool    // whether a program outside likc draws trials; no other field is set then
}

// ExactScheme returns the scheme without time step and bias, for models that have a sampler.
func ExactScheme() Scheme { return Scheme{} }

// EulerScheme returns ssm-simulators' default: steps of 1 ms, at most 20 s. Its decision times are biased upwards; see the scheme's
// notes in euler.go and TestEulerBias.
func EulerScheme() Scheme { return Scheme{Step: 0.001, MaxTime: 20} }

// BridgeScheme returns the default for models without an exact sampler: steps of at most 10 ms, at most 20 s. See bridge.go;
// TestBridgeError measures its error.
func BridgeScheme() Scheme { return Scheme{Bridge: true, Step: 0.01, MaxTime: 20} }

// OutsideScheme returns the scheme in which a program outside likc draws trials.
func OutsideScheme() Scheme { return Scheme{Outside: true} }

// The names of the schemes.
const (
	exactName  = "exact"
	bridgeName = "bridge"
	eulerName  = "euler"
	// OutsideName is the name of [OutsideScheme], in which a program outside likc draws trials.
	OutsideName = "exec"
)

// SchemeNames returns the names of the schemes that likc itself has.
func SchemeNames() []string { return []string{exactName, bridgeName, eulerName} }

// SchemeNamed returns the scheme called "exact", "bridge", "euler" or "exec".
func SchemeNamed(name string) (Scheme, error) {
	switch name {
	case exactName:
		return ExactScheme(), nil
	case bridgeName:
		return BridgeScheme(), nil
	case eulerName:
		return EulerScheme(), nil
	case OutsideName:
		return OutsideScheme(), nil
	}
	return Scheme{}, fmt.Errorf("scheme %q: unknown; there are %s", name, strings.Join(SchemeNames(), ", "))
}

// SchemeNames returns the names of the schemes that can simulate the model,
// the default one first: without a time step where that is possible.
func (m *Model) SchemeNames() []string {
	var names []string
	if m.Sampler != nil {
		names = append(names, exactName)
	}
	switch {
	case m.Diffusion != nil, m.Flight != nil:
		names = append(names, bridgeName, eulerName)
	case m.Accumulators != nil, m.Steps != nil:
		names = append(names, bridgeName)
	case m.Outside:
		names = append(names, OutsideName)
	}
	return names
}

// Scheme returns the scheme of that name, or for "" the model's default scheme, and its name. It fails for a scheme that cannot
// simulate the model.
func (m *Model) Scheme(name string) (s Scheme, known string, err error) {
	if name == "" {
		name = m.SchemeNames()[0]
	}
	if s, err = SchemeNamed(name); err == nil && !slices.Contains(m.SchemeNames(), name) {
		err = fmt.Errorf("scheme %s: cannot simulate %s, which has %s", name, m.Name, strings.Join(m.SchemeNames(), ", "))
	}
	return s, name, err
}

// NewRand returns the generator from which Simulate is reproducible: PCG,
// seeded by the run's seed and the number of the unit of work.
func NewRand(seed, stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }

// Simulate fills rt (seconds) and choice (+1 or -1), of equal lengths, with
// independent trials of the model at theta. It returns an error if a response time is not positive and finite. If a program outside
// likc draws the model's trials, m must be a result of [Model.From].
func (m *Model) Simulate(r *rand.Rand, theta []float64, scheme Scheme, rt, choice []float64) error {
	if len(rt) != len(choice) {
		return fmt.Errorf("simulate %s: %d response times but %d choices", m.Name, len(rt), len(choice))
	}
	if m.Outside {
		return m.ask(context.Background(), r, theta, nil, rt, choice)
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

// SimulateContext does what [Model.Simulate] does, and draws the same trials. It stops soon after ctx is done, and then returns ctx's
// error. If a program draws the model's trials, ctx is passed to it.
func (m *Model) SimulateContext(ctx context.Context, r *rand.Rand, theta []float64, scheme Scheme, rt, choice []float64) error {
	if m.Outside {
		return m.ask(ctx, r, theta, nil, rt, choice)
	}
	const block = 64 // Euler steps may be short
	for from := 0; from < len(rt); from += block {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := min(from+block, len(rt))
		if err := m.Simulate(r, theta, scheme, rt[from:to], choice[from:to]); err != nil {
			return err
		}
	}
	return nil
}

// mostRedraws is the largest number of times that a trial that takes too long is drawn again.
const mostRedraws = 50

// SimulateDecided does what [Model.SimulateContext] does, for trials on which neural likelihoods are trained: under a scheme with a
// largest decision time, a trial whose rt is not below that time is drawn again, at most mostRedraws times; then it is kept as it is.
func (m *Model) SimulateDecided(ctx context.Context, r *rand.Rand, theta []float64, scheme Scheme, rt, choice []float64) error {
	if err := m.SimulateContext(ctx, r, theta, scheme, rt, choice); err != nil || scheme.Step == 0 {
		return err
	}
	for i := range rt {
		for n := 0; rt[i] >= scheme.MaxTime && n < mostRedraws; n++ {
			if err := m.SimulateContext(ctx, r, theta, scheme, rt[i:i+1], choice[i:i+1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Remembering returns the model with a memory of the last samplers that it made, for callers that ask for one trial at a time, at few
// different parameters. The trials are the same. The result is not safe for concurrent use.
func (m *Model) Remembering() *Model {
	if m.Steps == nil {
		return m
	}
	type made struct {
		theta   []float64
		scheme  Scheme
		sampler Sampler
	}
	var memory [16]made
	out, next := *m, 0
	out.Steps = func(theta []float64, scheme Scheme) (Sampler, error) {
		for i := range memory {
			if known := &memory[i]; known.sampler != nil && known.scheme == scheme && slices.Equal(known.theta, theta) {
				return known.sampler, nil
			}
		}
		sampler, err := m.Steps(theta, scheme)
		if err == nil {
			memory[next] = made{slices.Clone(theta), scheme, sampler}
			next = (next + 1) % len(memory)
		}
		return sampler, err
	}
	return &out
}

func (m *Model) sampler(theta []float64, scheme Scheme) (Sampler, error) {
	if scheme.Step == 0 {
		if m.Sampler == nil {
			return nil, fmt.Errorf("simulate %s: no exact sampler; use the bridge or the euler scheme", m.Name)
		}
		return m.Sampler(theta), nil
	}
	if !(scheme.Step > 0 && scheme.MaxTime > 0) {
		return nil, fmt.Errorf("simulate %s: step %v and largest time %v are not both positive", m.Name, scheme.Step, scheme.MaxTime)
	}
	if scheme.Bridge && m.Steps != nil {
		draw, err := m.Steps(theta, scheme)
		if err != nil {
			return nil, fmt.Errorf("simulate: %w", err)
		}
		return draw, nil
	}
	if scheme.Bridge && m.Accumulators != nil {
		return m.Accumulators(theta).accumulation(scheme).draw, nil
	}
	if m.Flight != nil {
		return m.Flight(theta).sampler(scheme), nil
	}
	if m.Diffusion == nil {
		return nil, fmt.Errorf("simulate %s: no diffusion to walk along; use the exact scheme", m.Name)
	}
	if scheme.Bridge {
		w := &bridge{Diffusion: m.Diffusion(theta), step: scheme.Step, most: scheme.MaxTime}
		return w.draw, nil
	}
	e := &euler{Diffusion: m.Diffusion(theta), step: scheme.Step, most: scheme.MaxTime}
	return e.draw, nil
}
