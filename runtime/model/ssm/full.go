package ssm

import (
	"errors"
	"math"
	"math/rand/v2"
)

// init registers full_ddm, the drift-diffusion model in which drift, start and non-decision time vary from trial to trial
// [ratcliff1998]. It is ddm_sdv, the model in which only the drift varies, averaged over uniform starts and non-decision times.
func init() {
	Register(&Model{
		Name:    "full_ddm",
		Process: "dV = u dτ + dW between -a and +a; of each trial, u is N(v, sv²), the start uniform on z ± sz/2 and the non-decision time on t ± st/2",
		Cites:   "Ratcliff & Rouder (1998)",
		Notes: twoBoundaries + " sv is a standard deviation; sz and st are FULL widths, sz relative to the separation, as in HSSM and HDDM. " +
			"t is the middle of the non-decision time; rtdists, EMC2 and Stan have its beginning, t - st/2.",
		// Same: the reflection between the boundaries does not change the parameter
		Params: []Param{drift(-3, 3), boundary(0.3, 2.5), start(0.3, 0.7), nonDecision(0.15, 2),
			{"sv", 0, 2.5, "standard deviation of the drift between trials", Same, NonNegative},
			{"sz", 0, 0.5, "full width of the relative start point between trials, which is uniform around z", Same, NonNegative},
			{"st", 0, 0.3, "full width of the non-decision time between trials in seconds, which is uniform around t", Same, NonNegative}},
		Choices: []float64{1, -1},
		Onsets:  Uniform{"t", "st"},
		Weak:    []string{"sv", "sz", "st"}, // a few hundred trials hardly determine them
		Inside: func(theta []float64) error {
			if z, sz := theta[2], theta[5]; !startsInside(z, sz) {
				return errors.New("starts z ± sz/2 reach beyond the boundaries: want sz below 2z and 2(1 - z)")
			}
			return nil
		},
		Example:  []float64{1, 1.2, 0.45, 0.3, 0.8, 0.2, 0.15},
		Evidence: "start uniform(a*(2*z - sz - 1), a*(2*z + sz - 1))  drift v  upper a",
		DriftSD:  "sv",
		Sampler: func(theta []float64) Sampler {
			at := make([]float64, 4)
			return func(r *rand.Rand) (rt, choice float64) {
				copy(at, theta)
				at[0] += theta[4] * r.NormFloat64()
				at[2] += theta[5] * (r.Float64() - 0.5)
				at[3] += theta[6] * (r.Float64() - 0.5)
				return newWalk(at).draw(r)
			}
		},
		Density: &Density{Log: fullDensity, Rows: newFullRows},
	})
}

// startsInside reports whether starts on z ± sz/2 lie between the boundaries.
func startsInside(z, sz float64) bool { return sz < 2*min(z, 1-z) }

// fullOutside returns 0 if full_ddm has a density at rt, otherwise -Inf, or NaN if a parameter or rt is NaN.
func fullOutside(theta []float64, rt float64) float64 {
	z, t, sv, sz, st := theta[2], theta[3], theta[4], theta[5], theta[6]
	if math.IsNaN(sv + sz + st) {
		return math.NaN()
	}
	earliest := [4]float64{theta[0], theta[1], z, t - st/2} // the parameters at the earliest onset
	if outside := logOutside(earliest[:], rt); outside != 0 {
		return outside
	}
	if math.IsInf(sv, 0) || math.IsInf(st, 0) || !(sz >= 0 && st >= 0 && startsInside(z, sz)) {
		return math.Inf(-1)
	}
	return 0
}

// fullDensity returns the log density at theta = (v, a, z, t, sv, sz, st). If grad is not nil, it overwrites grad with the gradient.
func fullDensity(rt, choice float64, theta, grad []float64) float64 {
	if grad != nil {
		clear(grad[:7])
	}
	if outside := fullOutside(theta, rt); outside != 0 || math.IsNaN(choice) {
		return outside + 0*choice // NaN if the choice is NaN
	}
	if choice != 1 && choice != -1 {
		return math.Inf(-1)
	}
	r := fullRuns.Get().(*fullRun)
	defer fullRuns.Put(r)
	r.one[0] = rt
	r.begin(choice, theta, r.one[:])
	value, slopes := r.trial(rt)
	if grad != nil {
		copy(grad, slopes[:])
	}
	return value
}
