package hierarchy

import (
	"time"

	"likc/runtime/num/statistic"
)

// Cost describes the cost of a gradient of a study's density.
type Cost struct {
	Trials       int     `json:"trials"`
	Blocks       int     `json:"blocks"`      // number of blocks of trials that share parameters
	Rows         int     `json:"rows"`        // number of rows that are evaluated: distinct trials; 0 if sums over trials were computed once
	RowByRow     bool    `json:"row_by_row"`  // whether each trial has its own parameters
	Microseconds float64 `json:"gradient_us"` // duration of one gradient on this machine with one thread; 0 if it could not be measured
	Constant     bool    `json:"constant"`    // whether the cost depends on the number of blocks but not on the number of trials
}

// Cost returns the cost of a gradient.
func (s *Study) Cost() (Cost, error) {
	x, err := s.bound.Explain()
	c := Cost{Trials: s.Trials(), Blocks: x.Blocks, Rows: x.Rows, RowByRow: x.RowByRow, Constant: x.Rows == 0}
	if err == nil {
		c.Microseconds, err = s.time()
	}
	return c, err
}

// timed is the time spent on measuring gradients.
const timed = 100 * time.Millisecond

// time returns the median time of a gradient at the middle of the coordinates, in microseconds; 0 if there is none.
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

// Coefficients returns how many coordinates the posterior has: coefficients, spreads and correlations of the population, and
// offsets of levels.
func (s *Study) Coefficients() (population, offsets int) {
	population = len(s.Population())
	return population, len(s.coords) - population
}
