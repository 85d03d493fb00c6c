package fit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"likc/runtime/fit/hierarchy"
	"likc/runtime/model/ssm"
	"likc/runtime/num/chains"
	"likc/runtime/num/stream"
)

// StudyPredictor simulates the trials of a study again, each with the parameters of its row of the data.
type StudyPredictor struct {
	Study     *hierarchy.Study
	Simulate  SimulateRows
	Seed      uint64
	NewLevels bool // in place of each level of a grouping, such as a participant, one that the study did not have
}

// Each calls use with simulated trials of one draw after the other, of so many draws, evenly spaced over all chains: one trial for
// each row of the data, in their order. use must not keep the slices. choice is nil for a model without choice.
func (p *StudyPredictor) Each(ctx context.Context, d *chains.Draws, draws int, use func(draw int, rt, choice []float64) error) error {
	s := p.start()
	all, n := s.rows.Groups(), p.Study.Trials()
	rt, choice := make([]float64, n), []float64(nil)
	if s.chooses {
		choice = make([]float64, n)
	}
	return s.each(ctx, d, draws, func(k int) error {
		for _, rows := range all {
			ownRT, ownChoice, err := s.simulate(ctx, rows)
			if err != nil {
				return err
			}
			for i, row := range rows {
				if rt[row] = ownRT[i]; choice != nil {
					choice[row] = ownChoice[i]
				}
			}
		}
		return use(k, rt, choice)
	})
}

// Predict simulates the trials of a figure. rows are the rows of the data that they stand for, drawn at random.
func (p *StudyPredictor) Predict(ctx context.Context, d *chains.Draws) (rt, choice []float64, rows []int, err error) {
	s := p.start()
	group := make([]int, p.Study.Trials())
	all := s.rows.Groups()
	for g, members := range all {
		for _, row := range members {
			group[row] = g
		}
	}
	err = s.each(ctx, d, predictiveDraws, func(int) error {
		some := make([][]int, len(all))
		for range predictiveTrials {
			row := s.rng.IntN(len(group))
			some[group[row]] = append(some[group[row]], row)
		}
		for _, members := range some {
			if len(members) == 0 {
				continue
			}
			ownRT, ownChoice, err := s.simulate(ctx, members)
			if err != nil {
				return err
			}
			rt, choice, rows = append(rt, ownRT...), append(choice, ownChoice...), append(rows, members...)
		}
		return nil
	})
	return rt, choice, rows, err
}

// studySimulation is a StudyPredictor at work.
type studySimulation struct {
	*StudyPredictor
	rng        *rand.Rand
	rows       *hierarchy.Rows
	theta      []float64
	chooses    bool      // whether the model has choices
	rt, choice []float64 // of rows that share their parameters
}

func (p *StudyPredictor) start() *studySimulation {
	name := "predictive trials of a study"
	if p.NewLevels {
		name += " with new levels"
	}
	m := p.Study.Model()
	return &studySimulation{StudyPredictor: p, rng: ssm.NewRand(p.Seed, stream.Of(name)), rows: p.Study.Rows(), theta: make([]float64, len(m.Params)),
		chooses: m.Choice != ""}
}

// each takes one draw after the other.
func (s *studySimulation) each(ctx context.Context, d *chains.Draws, draws int, do func(k int) error) error {
	total := len(d.Chains) * d.Len()
	for k := range draws {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		at := k * total / draws
		if s.NewLevels {
			s.rows.DrawNew(s.rng, d, at/d.Len(), at%d.Len())
		} else {
			s.rows.Draw(d, at/d.Len(), at%d.Len())
		}
		if err := do(k); err != nil {
			return err
		}
	}
	return nil
}

// simulate simulates a trial for each of some rows that share their parameters. The slices are valid until the next call.
func (s *studySimulation) simulate(ctx context.Context, rows []int) (rt, choice []float64, err error) {
	s.rows.Theta(rows[0], s.theta)
	s.rt = slices.Grow(s.rt[:0], len(rows))[:len(rows)]
	if s.chooses {
		s.choice = slices.Grow(s.choice[:0], len(rows))[:len(rows)]
	}
	if err := s.Simulate(ctx, s.rng, s.theta, rows, s.rt, s.choice); err != nil {
		return nil, nil, fmt.Errorf("predicted trials: %w", err)
	}
	return s.rt, s.choice, nil
}
