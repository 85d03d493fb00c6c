package nuts

import (
	"fmt"
	"math"
)

// initialise finds a position where density and gradient are finite: uniform on (-Init, Init), a hundred tries; or the
// user's, one try. [stan].
func (c *chain) initialise() error {
	var last error
	tries := 100
	if c.settings.Inits != nil || c.settings.Init == 0 {
		tries = 1
	}
	for range tries {
		if c.tree.stop.Load() {
			return errStopped
		}
		if err := c.place(); err != nil {
			return err
		}
		lp, err := c.target.LogDensityGrad(c.at.q, c.at.grad)
		if err != nil && !recoverable(err) {
			return fmt.Errorf("initial values: %w", err)
		}
		c.gradients++
		c.out.WarmupGradients = c.gradients
		if last = finite(lp, c.at.grad, err); last == nil {
			c.at.lp = lp
			return nil
		}
	}
	if tries == 1 {
		return fmt.Errorf("initial values %v: %w", c.at.q, last)
	}
	return fmt.Errorf("initial values: %d tries in (-%g, %g) found no place with a finite density and gradient (last: %w)",
		tries, c.settings.Init, c.settings.Init, last)
}

// place writes a candidate for the initial position.
func (c *chain) place() error {
	if c.settings.Inits != nil {
		given := c.settings.Inits[c.id-1]
		if len(given) != len(c.at.q) {
			return fmt.Errorf("initial values: %d for %d dimensions", len(given), len(c.at.q))
		}
		copy(c.at.q, given)
		return nil
	}
	for i := range c.at.q {
		c.at.q[i] = c.settings.Init * (2*c.rng.Float64() - 1)
	}
	return nil
}

// finite says what is not.
func finite(lp float64, grad []float64, err error) error {
	if err != nil {
		return err
	}
	if math.IsNaN(lp) || math.IsInf(lp, 0) {
		return fmt.Errorf("log density is %v", lp)
	}
	for i, g := range grad {
		if math.IsNaN(g) || math.IsInf(g, 0) {
			return fmt.Errorf("gradient of coordinate %d is %v", i+1, g)
		}
	}
	return nil
}
