package ssm

import "math"

// straight is a diffusion between two straight boundaries ±b(τ), b = a - sτ, seen from the boundary of one choice, +1 or -1.
// Divide the evidence by b, and measure time as u = τ/(a b). A process without drift then becomes a Brownian motion with a
// drift towards the boundaries, and a factor in closed form removes that drift [anderson1960]. Let g be the density at u of a
// first passage between ±1 without drift, and y = 2z - 1. The log density at τ is
//
//	log f = log g(u) - (3 log b + log a)/2 + s(b - a y²)/2 + v(choice b - a y) - v²τ/2.
//
// After the collapse, from τ = a/s on where s > 0, there is no density. Where s < 0 the boundaries open, and may never be reached.
type straight struct {
	passage               // passage between ±1, without drift, reflected as in [passageAt]
	v, a, y, t, s float64 // the drift, the boundary at τ = 0, the relative start 2z - 1, the non-decision time, and tan theta
	choice, logA  float64 // the code of the choice, +1 or -1, and log a
}

// straightAt returns the process at the parameter vector theta, which holds (v, a, z, t, angle of collapse).
func straightAt(choice float64, theta []float64) straight {
	unit := [4]float64{0, 1, theta[2], 0}
	return straight{
		passage: passageAt(choice, unit[:]),
		v:       theta[0], a: theta[1], y: 2*theta[2] - 1, t: theta[3], s: math.Tan(theta[4]),
		choice: choice, logA: math.Log(theta[1]),
	}
}

// angleOutside returns 0 if angle has a density at rt, otherwise the log density to report, as logOutside does.
func angleOutside(theta []float64, rt float64) float64 {
	if math.IsNaN(theta[4]) {
		return math.NaN()
	}
	if outside := logOutside(theta[:4], rt); outside != 0 {
		return outside
	}
	if Acute.Has(theta[4]) && theta[1] > (rt-theta[3])*math.Tan(theta[4]) {
		return 0
	}
	return math.Inf(-1)
}

// angleDensity returns the log density at the parameter vector theta, which holds (v, a, z, t, angle of collapse). If grad is not nil,
// it overwrites grad with the gradient.
func angleDensity(rt, choice float64, theta, grad []float64) float64 {
	var unused [5]float64
	if grad == nil {
		grad = unused[:]
	}
	clear(grad[:5])
	if outside := angleOutside(theta, rt); outside != 0 || math.IsNaN(choice) {
		return outside + 0*choice
	}
	if choice != 1 && choice != -1 {
		return math.Inf(-1)
	}
	d := straightAt(choice, theta)
	tau := rt - d.t
	b := d.a - tau*d.s
	p := d.logDensity(tau / d.a / b)
	value := d.transform(tau, b, math.Log(b), &p, grad)
	if math.IsInf(value, 0) || math.IsNaN(value) { // an intermediate number overflowed
		clear(grad[:5])
		return math.Inf(-1)
	}
	return value
}

// transform returns the log density at a decision time tau at which the boundaries are at ±b, and overwrites grad with the gradient.
// `at` holds the log density of the passage between ±1, and its derivatives, at the scaled time u = τ/(a b).
func (d *straight) transform(tau, b, logB float64, at *partials, grad []float64) float64 {
	v, a, y, s, overA, overB := d.v, d.a, d.y, d.s, 1/d.a, 1/b
	byClock := at.time * overA * overB
	reached := d.choice*b - a*y // the evidence that was accumulated
	byBound := d.choice*v - byClock*tau*overB - 1.5*overB + s/2
	grad[0] = reached - v*tau
	grad[1] = byBound - byClock*tau*overA - 0.5*overA - s*y*y/2 - v*y
	grad[2] = -d.choice*at.near - 2*a*(s*y+v)
	grad[3] = byBound*s - byClock + v*v/2
	grad[4] = (1 + s*s) * ((b-a*y*y)/2 - byBound*tau)
	return at.value - (3*logB+d.logA)/2 + s*(b-a*y*y)/2 + v*reached - v*v*tau/2
}
