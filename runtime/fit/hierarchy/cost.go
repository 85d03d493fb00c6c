package hierarchy

import (
	"time"

	"likc/compiler/ir"
	"likc/runtime/model/engine"
	"likc/runtime/num/statistic"
)

// Cost says what a gradient of a study's density costs.
type Cost struct {
	Trials       int     `json:"trials"`
	Blocks       int     `json:"blocks"`      // of trials that share parameters, but for linear combinations
	Rows         int     `json:"rows"`        // that are evaluated: trials, or one of equal ones; 0 where sums over trials were taken once
	RowByRow     bool    `json:"row_by_row"`  // each trial has parameters of its own
	Microseconds float64 `json:"gradient_us"` // on this machine, one thread; 0 where no gradient was found
	Constant     bool    `json:"constant"`    // the cost does not grow with the number of trials, but with that of blocks
}

// collapsed is a likelihood that evaluates fewer rows than it has trials.
type collapsed interface{ Evaluated() int }

// perTrial is a likelihood that may do work for each trial beside the sums over trials.
type perTrial interface{ EachTrial() bool }

// Cost returns what a gradient costs; b is the binder that the study was made with.
func (s *Study) Cost(b *engine.Binder) (Cost, error) {
	c := Cost{Trials: s.Trials()}
	constant, err := s.takenOnce(b)
	if err != nil {
		return c, err
	}
	for _, block := range s.blocks {
		c.Blocks += block.parts
		switch lik := block.lik.(type) {
		case *rowwise:
			c.RowByRow = true
			c.Rows += block.trials
		case collapsed:
			c.Rows += lik.Evaluated()
		default:
			each, is := lik.(perTrial)
			if !constant || is && each.EachTrial() {
				c.Rows += block.trials
			}
		}
	}
	c.Constant = c.Rows == 0
	c.Microseconds, err = s.time()
	return c, err
}

// takenOnce reports whether the likelihood of each block is made of sums over trials that do not depend on parameters, or each on one
// parameter, and so come from tables.
func (s *Study) takenOnce(b *engine.Binder) (bool, error) {
	tier, ok, err := b.Tier(s.counts)
	return ok && (tier == ir.Constant || tier == ir.Tabulated), err
}

// timed is for how long gradients are timed.
const timed = 100 * time.Millisecond

// time returns the median time of a gradient at the middle of the coordinates, in microseconds; 0 where there is none.
func (s *Study) time() (float64, error) {
	target, err := s.Target()
	if err != nil {
		return 0, err
	}
	q, grad := make([]float64, target.Dim()), make([]float64, target.Dim())
	var all []float64
	for begin := time.Now(); time.Since(begin) < timed || len(all) < 3; {
		start := time.Now()
		if _, err := target.LogDensityGrad(q, grad); err != nil {
			return 0, nil
		}
		all = append(all, float64(time.Since(start).Nanoseconds())/1e3)
	}
	return statistic.Median(all), nil
}

// Coefficients counts the coordinates of the posterior: those of the population, spreads and correlations included, and offsets of
// levels.
func (s *Study) Coefficients() (population, offsets int) {
	population = len(s.Population())
	return population, len(s.coords) - population
}
