package calibrate

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// These constants control the climb to the best parameters.
const (
	mostSteps  = 60
	longest    = 0.25 // longest step, as a share of a parameter's range
	mirrorFrom = 0.02 // as a share of a range: a maximum that is farther than this from the truth is compared with one on the other side of the truth
	closeness  = 1e-8 // largest gain of the next step, in nats, at which a point counts as a maximum
)

// climber finds the parameters at which the mean log density is highest.
type climber struct {
	f           *family
	space       *space
	width       []float64 // width of each range; the tilt's width is √12 divided by the standard deviation of the times
	strength    float64   // the strength of the pull
	here, there *jet
}

// pulled sets out to the mean log density at phi minus the pull towards theta.
func (c *climber) pulled(p *population, theta, phi []float64, out *jet) {
	c.f.mean(c.space, p, phi, out, nil)
	n := c.f.dim
	for j := range phi {
		k := c.pull(j)
		d := phi[j] - theta[j]
		out.value -= k * d * d / 2
		out.grad[j] -= k * d
		out.hess[j*n+j] -= k
	}
}

// pull returns the curvature of the pull along parameter j: the strength divided by the variance of a uniform distribution over the
// range.
func (c *climber) pull(j int) float64 { return 12 * c.strength / (c.width[j] * c.width[j]) }

// climb makes damped Newton steps from start. It returns the last point and its value. ok is false if that is no maximum.
func (c *climber) climb(p *population, theta, start []float64) (phi []float64, value float64, ok bool) {
	n := c.f.dim
	phi = append([]float64(nil), start...)
	next, step := make([]float64, n), make([]float64, n)
	c.pulled(p, theta, phi, c.here)
	damping := 0.0
	for range mostSteps {
		gain, solved := c.step(step, damping)
		if solved && gain < closeness && damping <= 1e-3 {
			return phi, c.here.value, true
		}
		allowed := solved
		for j := range step {
			next[j] = phi[j] + step[j]
			allowed = allowed && math.Abs(step[j]) <= longest*c.width[j]
		}
		if allowed {
			c.pulled(p, theta, next, c.there)
			allowed = c.there.value > c.here.value-1e-13
		}
		if !allowed {
			damping = max(8*damping, 1e-3)
			if damping > 1e12 {
				break
			}
			continue
		}
		copy(phi, next)
		c.here, c.there = c.there, c.here
		if damping /= 10; damping < 1e-6 {
			damping = 0
		}
	}
	return phi, c.here.value, false
}

// step solves (-H + damping·scale) step = gradient, and returns the gain that the quadratic approximation predicts.
func (c *climber) step(step []float64, damping float64) (gain float64, ok bool) {
	n := c.f.dim
	a := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			x := -c.here.hess[i*n+j]
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return 0, false
			}
			if i == j {
				x += damping * (math.Abs(x) + 1e-3/(c.width[i]*c.width[i]))
			}
			a.SetSym(i, j, x)
		}
	}
	var ch mat.Cholesky
	if !ch.Factorize(a) {
		return 0, false
	}
	g, s := mat.NewVecDense(n, c.here.grad), mat.NewVecDense(n, step)
	if ch.SolveVecTo(s, g) != nil {
		return 0, false
	}
	return mat.Dot(g, s) / 2, true
}
