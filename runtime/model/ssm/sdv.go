package ssm

import (
	"math"
	"math/rand/v2"

	"likc/runtime/model/kernel"
)

// init registers ddm_sdv, the drift-diffusion model with a drift that varies from trial to trial. The drift v enters the log
// density as
//
//	log f = -(2vd + v²τ)/2 + h(τ)
//
// with d the distance to the crossed lower boundary. So the mean of f over a drift N(v, sv²) is, with D = 1 + sv²τ
// [ratcliff1978],
//
//	log f = ((d sv)² - 2vd - v²τ)/(2D) - log(D)/2 + h(τ).
func init() {
	Register(&Model{
		Name:    "ddm_sdv",
		Process: "dV = u dτ + dW between -a and +a, with a drift u of each trial that is N(v, sv²)",
		Cites:   "Ratcliff (1978)",
		Notes:   twoBoundaries + " sv is the standard deviation of the drift between trials, as in HDDM, rtdists and Stan.",
		Params: []Param{drift(-3, 3), boundary(0.3, 2.5), start(0.1, 0.9), nonDecision(0, 2),
			{"sv", 0, 2.5, "standard deviation of the drift between trials", Same, NonNegative}},
		Choices:  []float64{1, -1},
		Onset:    "t",
		Example:  []float64{1, 1.2, 0.45, 0.3, 0.8},
		Evidence: "start a*(2*z - 1)  drift v  upper a",
		DriftSD:  "sv",
		Sampler: func(theta []float64) Sampler {
			at := make([]float64, 4)
			return func(r *rand.Rand) (rt, choice float64) {
				copy(at, theta)
				at[0] += theta[4] * r.NormFloat64()
				return newWalk(at).draw(r)
			}
		},
		Density: &Density{Log: varyingDrift, Rows: func(rt, choice []float64) (kernel.Rows, error) {
			if _, err := bindExact(rt, choice); err != nil {
				return nil, err
			}
			return kernel.EachAlone(5, len(rt), func(i int, theta, grad []float64) float64 {
				return varyingDrift(rt[i], choice[i], theta, grad)
			}), nil
		}},
	})
}

// varyingDrift returns the log density at theta = (v, a, z, t, sv). If grad is not nil, it overwrites grad with the gradient.
func varyingDrift(rt, choice float64, theta, grad []float64) float64 {
	var unused [5]float64
	if grad == nil {
		grad = unused[:]
	}
	clear(grad[:5])
	sv := theta[4]
	switch outside := logOutside(theta[:4], rt); {
	case outside != 0 || math.IsNaN(sv):
		return outside + 0*sv
	case choice != 1 && choice != -1 || math.IsInf(sv, 0):
		return math.Inf(-1)
	}
	g := passageAt(choice, theta)
	v, tau, distance := g.drift, rt-theta[3], g.width*g.near
	g.drift = 0
	p := g.logDensity(tau)
	square, spread := sv*sv, 1+sv*sv*tau
	n := square*distance*distance - 2*v*distance - v*v*tau
	byDistance := (distance*square - v) / spread
	p.value += n/(2*spread) - math.Log(spread)/2
	p.drift = -(distance + v*tau) / spread
	p.width += byDistance * g.near
	p.near += byDistance * g.width
	p.time -= (v*v + square*(1+n/spread)) / (2 * spread)
	p.addGrad(choice, grad)
	grad[4] = sv / spread * (distance*distance - tau*(1+n/spread))
	return p.value
}
