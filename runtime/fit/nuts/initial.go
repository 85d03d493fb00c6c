package nuts

import (
	"fmt"
	"math"
)

// If a chain finds no start in triesPerBox tries on (-Init, Init), it tries boxes of twice the width each, with `boxes` boxes in
// total.
const (
	triesPerBox = 100
	boxes       = 3
)

// initialise searches for a position where density and gradient are finite. It draws uniformly on (-Init, Init) a hundred times,
// as in [stan], and then a hundred times on each of two wider boxes. If the user gives a position, it only tries that one.
func (c *chain) initialise() error {
	var last error
	tries := triesPerBox * boxes
	if c.settings.Inits != nil || c.settings.Init == 0 {
		tries = 1
	}
	for try := range tries {
		if c.tree.stop.Load() {
			return errStopped
		}
		if err := c.proposeInitialPoint(c.settings.Init * float64(int(1)<<(try/triesPerBox))); err != nil {
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
	widest := c.settings.Init * float64(int(1)<<(boxes-1))
	return fmt.Errorf("initial values: %d tries in (-%g, %g) and beyond, up to (-%g, %g), found no place with a finite density and gradient (last: %w)",
		triesPerBox, c.settings.Init, c.settings.Init, widest, widest, last)
}

// proposeInitialPoint writes a candidate for the initial position: uniform on (-radius, radius) in each coordinate, unless the user gives one.
func (c *chain) proposeInitialPoint(radius float64) error {
	if c.settings.Inits != nil {
		given := c.settings.Inits[c.id-1]
		if len(given) != len(c.at.q) {
			return fmt.Errorf("initial values: %d for %d dimensions", len(given), len(c.at.q))
		}
		copy(c.at.q, given)
		return nil
	}
	for i := range c.at.q {
		c.at.q[i] = radius * (2*c.rng.Float64() - 1)
	}
	return nil
}

// finite returns an error if the log density or the gradient is not finite.
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
