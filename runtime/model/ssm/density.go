package ssm

import "math"

// logDensity returns log p(rt, choice | theta) of the drift-diffusion model,
// for rt in seconds, choice +1 or -1 and theta = (v, a, z, t). It has no
// floor: it is finite wherever the logarithm is representable. Outside the
// support (rt ≤ t, a ≤ 0, z outside (0, 1), another choice) it is -Inf; with a
// NaN among the arguments it is NaN.
func logDensity(rt, choice float64, theta []float64) float64 {
	var grad [4]float64
	return logDensityGrad(rt, choice, theta, grad[:])
}

// logDensityGrad returns the same as logDensity, and writes the gradient in (v, a, z, t) to grad, which has length 4. Outside the
// support the gradient is zero.
func logDensityGrad(rt, choice float64, theta, grad []float64) float64 {
	clear(grad[:4])
	if outside := logOutside(theta, rt); outside != 0 {
		return outside
	}
	if choice != 1 && choice != -1 {
		return math.Inf(-1)
	}
	g := passageAt(choice, theta)
	p := g.logDensity(rt - theta[3])
	p.addGrad(choice, grad)
	return p.value
}

// logOutside returns 0 if theta admits a response at rt, otherwise the log density to report: -Inf outside the support, NaN if an
// argument is NaN.
func logOutside(theta []float64, rt float64) float64 {
	v, a, z, t := theta[0], theta[1], theta[2], theta[3]
	if math.IsNaN(v + a + z + t + rt) {
		if !math.IsNaN(v) && !math.IsNaN(a) && !math.IsNaN(z) && !math.IsNaN(t) && !math.IsNaN(rt) {
			return math.Inf(-1) // infinities of both signs give NaN
		}
		return math.NaN()
	}
	finite := !math.IsInf(v, 0) && !math.IsInf(a, 0) && !math.IsInf(t, 0) && !math.IsInf(rt, 0)
	if finite && rt > t && a > 0 && z > 0 && z < 1 {
		return 0
	}
	return math.Inf(-1)
}
