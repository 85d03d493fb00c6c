package ssm

import (
	"math"

	"likc/runtime/num/vec"
)

// cdf returns P(RT ≤ rt, choice | theta) of the drift-diffusion model. As rt grows, it tends to the probability of the choice, not to 1.
// Its absolute error is below 1e-13 inside the model's ranges. It is 0 for rt ≤ t and NaN outside the parameters' domain.
func cdf(rt, choice float64, theta []float64) float64 {
	if !(theta[1] > 0 && theta[2] > 0 && theta[2] < 1) || math.IsNaN(theta[0]+rt-theta[3]) {
		return math.NaN()
	}
	tau := rt - theta[3]
	if tau <= 0 {
		return 0
	}
	g := passageAt(choice, theta)
	if math.IsInf(tau, 1) {
		return g.probability()
	}
	if tau/g.width/g.width < cdfSwitchTime {
		return g.cdfImages(tau)
	}
	return g.probability() - g.tailWaves(tau)
}

// cdfSwitchTime is the scaled time τ/(2a)² at which cdf changes from the series for small times to that for large times. Their terms are
// called images and waves. At cdfSwitchTime, the terms after imagePairs pairs of images are below exp(-80), and those after cdfWaves
// waves below exp(-150).
const (
	cdfSwitchTime = 0.5
	imagePairs    = 5
	cdfWaves      = 10
)

// probability returns the probability that the lower boundary is ever crossed before the upper one, the classical ruin
// probability.
func (g *passage) probability() float64 {
	x := 2 * g.drift * g.width
	switch {
	case x > 0:
		return math.Exp(-x*g.near) * math.Expm1(-x*g.far) / math.Expm1(-x)
	case x < 0:
		return math.Expm1(x*g.far) / math.Expm1(x)
	}
	return g.far
}

// cdfImages integrates the small-time series: every image is an inverse
// Gaussian, [blurton2012], eq. 6.
func (g *passage) cdfImages(tau float64) float64 {
	total := g.imageMass(tau, g.near)
	for k := 1.0; k <= imagePairs; k++ {
		total += g.imageMass(tau, 2*k+g.near) - g.imageMass(tau, 2*k-g.near)
	}
	return max(0, total)
}

// imageMass integrates one image over decision times up to τ. It returns exp(-v d) ∫₀^τ y (2πs³)^(-1/2) exp(-y²/2s - v²s/2) ds, with
// y = width·position and the distance d to the crossed boundary. It adds exponents before it computes an exponential, so that nothing
// overflows.
func (g *passage) imageMass(tau, position float64) float64 {
	v, y := math.Abs(g.drift), g.width*position
	tilt := -g.drift * g.width * g.near
	root := math.Sqrt(tau)
	return math.Exp(tilt-v*y+vec.LogNormCDFAt((v*tau-y)/root)) +
		math.Exp(tilt+v*y+vec.LogNormCDFAt(-(v*tau+y)/root))
}

// tailWaves integrates the large-time series from tau to infinity,
// [blurton2012], eq. 4.
func (g *passage) tailWaves(tau float64) float64 {
	u := tau / g.width / g.width
	drift2 := g.drift * g.drift * g.width * g.width
	total := 0.0
	for k := 1.0; k <= cdfWaves; k++ {
		rate := k * k * math.Pi * math.Pi
		exponent := -g.drift*g.width*g.near - drift2*u/2 - rate*u/2
		total += k * math.Sin(k*math.Pi*g.near) * math.Exp(exponent) / (drift2 + rate)
	}
	return 2 * math.Pi * total
}
