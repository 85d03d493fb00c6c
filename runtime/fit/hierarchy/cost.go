package hierarchy

import (
	"time"

	"likc/runtime/num/statistic"
)

// Cost says what a gradient of a study's density costs.
type Cost struct {
	Trials       int     `json:"trials"`
	Blocks       int     `json:"blocks"`      // number of blocks of trials that share parameters, but for linear combinations
	Rows         int     `json:"rows"`        // number of rows that are evaluated: trials, or one of equal ones; 0 where sums over trials were taken once
	RowByRow     bool    `json:"row_by_row"`  // each trial has parameters of its own
	Microseconds float64 `json:"gradient_us"` // on this machine, one thread; 0 where no gradient was found
	Constant     bool    `json:"constant"`    // the cost does not grow with the number of trials, but with that of blocks
}

// Cost returns what a gradient costs.
func (s *Study) Cost() (Cost, error) {
	x, err := s.bound.Explain()
	c := Cost{Trials: s.Trials(), Blocks: x.Blocks, Rows: x.Rows, RowByRow: x.RowByRow, Constant: x.Rows == 0}
	if err == nil {
		c.Microseconds, err = s.time()
	}
	return c, err
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
