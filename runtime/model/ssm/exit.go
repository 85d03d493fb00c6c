package ssm

import (
	"math"
	"math/rand/v2"

	"likc/runtime/num/vec"
)

// exit draws the time at which a Brownian motion of unit noise and drift ±mu leaves the interval (-1, 1), if it begins at 0. The time is
// independent of the side, and its distribution is J*(1, mu) of [devroye2009] and [polson2013]. Their rejection sampler is exact. It
// proposes from an inverse Gaussian below exitSwitch and from an exponential above it, and accepts by an alternating series.
type exit struct {
	mu    float64 // absolute value of the drift
	rate  float64 // rate of the exponential
	right float64 // probability of proposing from the exponential
}

// exitSwitch is where the two proposals meet; 0.64 maximises acceptance
// (above 0.9992 for every mu, [polson2013], prop. 2).
const exitSwitch = 0.64

// newExit returns the sampler for the drift ±mu.
func newExit(mu float64) exit {
	root := math.Sqrt(exitSwitch)
	rate := math.Pi*math.Pi/8 + mu*mu/2
	right := math.Pi / 2 / rate * math.Exp(mu-rate*exitSwitch)
	left := 2 * (math.Exp(vec.LogNormCDFAt((mu*exitSwitch-1)/root)) +
		math.Exp(2*mu+vec.LogNormCDFAt(-(mu*exitSwitch+1)/root)))
	return exit{mu: mu, rate: rate, right: right / (right + left)}
}

// draw returns one exit time.
func (e *exit) draw(r *rand.Rand) float64 {
	for {
		var x, decay float64
		if r.Float64() < e.right {
			x = exitSwitch + r.ExpFloat64()/e.rate
			decay = math.Pi * math.Pi / 2 * x
		} else {
			x = e.early(r)
			decay = 2 / x
		}
		if accept(r.Float64(), decay) {
			return x
		}
	}
}

// accept decides uniform ≤ Σ_n (-1)^n (2n+1) exp(-n(n+1) decay) from partial
// sums, which bound the series alternately from below and above. On both sides
// of exitSwitch the second term is below 0.0058, so most draws need no further term.
func accept(uniform, decay float64) bool {
	if uniform < 0.994 {
		return true
	}
	sum := 1.0
	for n, sign := 1.0, -1.0; ; n, sign = n+1, -sign {
		sum += sign * (2*n + 1) * math.Exp(-n*(n+1)*decay)
		if sign < 0 && uniform <= sum {
			return true
		}
		if sign > 0 && uniform > sum {
			return false
		}
	}
}

// early draws from the inverse Gaussian with mean 1/mu and shape 1, truncated
// to (0, exitSwitch).
func (e *exit) early(r *rand.Rand) float64 {
	if e.mu*exitSwitch > 1 {
		for {
			if x := inverseGaussian(r, 1/e.mu); x < exitSwitch {
				return x
			}
		}
	}
	for {
		x := earlyLevy(r)
		u, loss := r.Float64(), e.mu*e.mu*x/2
		if u <= 1-loss || u <= math.Exp(-loss) { // the first condition usually saves the exponential
			return x
		}
	}
}

// earlyLevy draws 1/N² for a standard normal N with 1/N² < exitSwitch, by
// Devroye's exponential rejection of the normal's tail, [polson2013], alg. 3.
func earlyLevy(r *rand.Rand) float64 {
	for {
		x := r.ExpFloat64()
		if x*x <= 2/exitSwitch*r.ExpFloat64() {
			scaled := 1 + exitSwitch*x
			return exitSwitch / (scaled * scaled)
		}
	}
}

// inverseGaussian draws from the inverse Gaussian of the given mean and shape
// 1, [michael1976].
func inverseGaussian(r *rand.Rand, mean float64) float64 {
	normal := r.NormFloat64()
	y := normal * normal * mean
	x := mean * 2 / (2 + y + math.Sqrt(4*y+y*y)) // the smaller root, without cancellation
	if r.Float64()*(mean+x) <= mean {
		return x
	}
	return mean * mean / x
}
