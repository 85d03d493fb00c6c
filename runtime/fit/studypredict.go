package fit

import (
	"context"
	"fmt"
	"math/rand/v2"

	"likc/runtime/chains"
	"likc/runtime/hierarchy"
	"likc/runtime/nuts"
	"likc/runtime/ssm"
)

// StudyPredictor simulates the trials of a study again, each with the parameters of its row of the data.
type StudyPredictor struct {
	Study     *hierarchy.Study
	Simulate  Simulate
	Seed      uint64
	NewLevels bool // in place of each level of a grouping, such as a participant, one that the study did not have
}

// Each calls use with simulated trials of one draw after the other, of so many draws, evenly spaced over all chains: one trial for
// each row of the data, in their order. use must not keep the slices. choice is nil for a model without choice.
func (p *StudyPredictor) Each(ctx context.Context, d *chains.Draws, draws int, use func(draw int, rt, choice []float64) error) error {
	s := p.start()
	all := s.rows.Groups()
	return s.each(ctx, d, draws, func(k int) error {
		for _, rows := range all {
			if err := s.simulate(ctx, rows); err != nil {
				return err
			}
		}
		return use(k, s.rt, s.choice)
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
			if err := s.simulate(ctx, members); err != nil {
				return err
			}
			for _, row := range members {
				rt, rows = append(rt, s.rt[row]), append(rows, row)
				if s.choice != nil {
					choice = append(choice, s.choice[row])
				}
			}
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
	rt, choice []float64 // by row of the data
	own, side  []float64 // of rows that share their parameters
}

func (p *StudyPredictor) start() *studySimulation {
	stream := "predictive trials of a study"
	if p.NewLevels {
		stream += " with new levels"
	}
	n, m := p.Study.Trials(), p.Study.Model()
	s := &studySimulation{StudyPredictor: p, rng: ssm.NewRand(p.Seed, nuts.StreamOf(stream)), rows: p.Study.Rows(),
		theta: make([]float64, len(m.Params)), rt: make([]float64, n), own: make([]float64, n)}
	if m.Choice != "" {
		s.choice, s.side = make([]float64, n), make([]float64, n)
	}
	return s
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

// simulate simulates trials of rows that share their parameters.
func (s *studySimulation) simulate(ctx context.Context, rows []int) error {
	if len(rows) == 0 {
		return nil
	}
	s.rows.Theta(rows[0], s.theta)
	rt, choice := s.own[:len(rows)], []float64(nil)
	if s.choice != nil {
		choice = s.side[:len(rows)]
	}
	if err := s.Simulate(ctx, s.rng, s.theta, rt, choice); err != nil {
		return fmt.Errorf("predicted trials: %w", err)
	}
	for i, row := range rows {
		s.rt[row] = rt[i]
		if choice != nil {
			s.choice[row] = choice[i]
		}
	}
	return nil
}
