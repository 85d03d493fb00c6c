package bank

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"likc/runtime/model/ssm"
	"likc/runtime/sys/workers"
)

// Latest is the largest response time of a bank, in seconds (the paper,
// "Training data hygiene").
const Latest = 20

// grid is the step to which parameters and response times are rounded.
const grid = 1.0 / (1 << 30)

// Make simulates the subjects on several threads; the number of threads does not change the bank. It stops when ctx is done.
func Make(ctx context.Context, s Settings, threads int) (*Bank, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	model, err := s.Process()
	if err != nil {
		return nil, err
	}
	b, err := s.make(ctx, threads, func(ctx context.Context, r *rand.Rand, id, _ int) (Subject, error) {
		return simulate(ctx, r, model, s, id)
	})
	if err == nil && b.Counts.Kept == 0 {
		return nil, fmt.Errorf("role %s, seed %d: no trial is left of %d simulated", s.Role, s.Seed, b.Counts.Dropped)
	}
	return b, err
}

// make simulates the subjects. The function simulate gets a subject's random numbers, its number in the group, and its index in
// the bank.
func (s Settings) make(ctx context.Context, threads int, simulate func(ctx context.Context, r *rand.Rand, id, i int) (Subject, error)) (*Bank, error) {
	role, err := RoleNamed(s.Role)
	if err != nil {
		return nil, err
	}
	b := &Bank{Settings: s, Subjects: make([]Subject, s.Subjects)}
	if err := workers.Try(ctx, s.Subjects, max(1, threads), func(ctx context.Context, i int) (err error) {
		id := role.id(i)
		b.Subjects[i], err = simulate(ctx, ssm.NewRand(mix(s.Seed), role.stream(id)), id, i)
		return err
	}); err != nil {
		return nil, err
	}
	b.Counts = count(b.Subjects)
	return b, nil
}

// simulate draws one subject. Parameters are drawn first, so that they do not depend on the scheme and the number of trials.
func simulate(ctx context.Context, r *rand.Rand, m *ssm.Model, s Settings, id int) (Subject, error) {
	subject := Subject{ID: id, Theta: draw(r, s.Params)}
	rt, choice := make([]float64, s.Simulated), make([]float64, s.Simulated)
	if err := m.SimulateContext(ctx, r, subject.Theta, s.How(), rt, choice); err != nil {
		return Subject{}, err
	}
	subject.addTrials(m, rt, choice, s)
	return subject, nil
}

// addTrials stores those of the simulated trials that the settings ask for. If only trials of the upper boundary are stored, and
// there are too few of them, the subject becomes its reflection.
func (s *Subject) addTrials(m *ssm.Model, rt, choice []float64, settings Settings) {
	all := len(rt)
	rt, choice = clean(rt, choice)
	s.Dropped = all - len(rt)
	if settings.UpperOnly && reflects(choice, settings.Trials) {
		s.Reflected = true
		m.Reflect(s.Theta, s.Theta)
		for i := range choice {
			choice[i] = -choice[i]
		}
	}
	s.storeFirst(rt, choice, settings)
}

// draw returns parameters that are uniform over their ranges, rounded to the grid.
func draw(r *rand.Rand, ranges []Range) []float64 {
	theta := make([]float64, len(ranges))
	for i, p := range ranges {
		x := p.Lower + float64((p.Upper-p.Lower)*r.Float64()) // the conversion rounds the product before the sum, so that all processors give the same result
		theta[i] = math.Ceil(x/grid) * grid
		if theta[i] > p.Upper {
			theta[i] = math.Floor(x/grid) * grid
		}
	}
	return theta
}

// clean drops the trials that are not finite with 0 < rt < 20 s, and rounds times up to the grid, so that rt stays above t. It
// changes the given slices.
func clean(rt, choice []float64) ([]float64, []float64) {
	n := 0
	for i, x := range rt {
		x = math.Ceil(x/grid) * grid
		if x > 0 && x < Latest {
			rt[n], choice[n] = x, choice[i]
			n++
		}
	}
	return rt[:n], choice[:n]
}

// reflects reports whether fewer trials than wanted end at the upper boundary, and more at the lower one.
func reflects(choice []float64, wanted int) bool {
	upper := 0
	for _, c := range choice {
		if c > 0 {
			upper++
		}
	}
	return upper < wanted && len(choice)-upper > upper
}

// storeFirst stores the first trials, as many as the settings ask for.
func (s *Subject) storeFirst(rt, choice []float64, settings Settings) {
	for i := range rt {
		if len(s.RT) == settings.Trials {
			return
		}
		if settings.UpperOnly && choice[i] < 0 {
			continue
		}
		s.RT, s.Choice = append(s.RT, rt[i]), append(s.Choice, choice[i])
	}
}
