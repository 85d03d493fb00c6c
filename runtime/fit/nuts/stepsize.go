package nuts

import (
	"errors"
	"math"
)

// dualAveraging finds the log step size at which the mean acceptance statistic is delta. [hoffman2014], sec. 3.2.
type dualAveraging struct {
	delta float64
	mu    float64 // log step size towards which the iterates are drawn
	count float64
	error float64 // running mean of delta - statistic
	mean  float64 // weighted mean of the log step sizes
}

// restart drops all iterates. Later iterates are drawn towards ten times the step size eps, because long steps take little time
// to try.
func (d *dualAveraging) restart(eps float64) {
	*d = dualAveraging{delta: d.delta, mu: math.Log(10 * eps)}
}

// learn uses one acceptance statistic and returns the next step size to try.
func (d *dualAveraging) learn(statistic float64) float64 {
	const gamma, t0, kappa = 0.05, 10, 0.75
	d.count++
	eta := 1 / (d.count + t0)
	d.error += eta * (d.delta - min(statistic, 1) - d.error)
	log := d.mu - d.error*math.Sqrt(d.count)/gamma
	weight := math.Pow(d.count, -kappa)
	d.mean += weight * (log - d.mean)
	return math.Exp(log)
}

// settled returns the step size to use after the warm-up.
func (d *dualAveraging) settled() float64 { return math.Exp(d.mean) }

// These are errors of the search for a step size.
var (
	errStepTooLong  = errors.New("step size: it grew past 1e7: the density is improper (flat, or rising without end)")
	errStepTooShort = errors.New("step size: it shrank to 0: the density is not continuous at the initial values, or its gradient is wrong")
)

// searchStep doubles or halves the step size eps until the acceptance of one leapfrog step from the point crosses 0.8. Each try has
// a new momentum. [hoffman2014], algorithm 4, with Stan's 0.8 instead of 0.5.
func (t *tree) searchStep(at *point, eps float64) (float64, error) {
	factor := 0.0
	for {
		gain, err := t.tryStep(at, eps)
		if err != nil {
			return 0, err
		}
		short := gain > math.Log(0.8)
		switch {
		case factor == 0 && short:
			factor = 2
		case factor == 0:
			factor = 0.5
		case short != (factor == 2):
			return eps, nil
		}
		if eps *= factor; eps > 1e7 {
			return 0, errStepTooLong
		}
		if eps == 0 {
			return 0, errStepTooShort
		}
	}
}

// tryStep returns the log acceptance ratio of one leapfrog step with a random momentum.
func (t *tree) tryStep(at *point, eps float64) (gain float64, err error) {
	if t.stop.Load() {
		return 0, errStopped
	}
	for i := range t.momentum {
		t.momentum[i] = t.rng.NormFloat64()
	}
	s := &t.ends[0]
	s.moveTo(at, t.momentum, t.metric)
	start := kinetic(t.momentum) - at.lp
	energy, _, err := leapfrog(t.target, t.metric, s, eps)
	t.searched++
	if math.IsNaN(energy) {
		return math.Inf(-1), err
	}
	return start - energy, err
}
