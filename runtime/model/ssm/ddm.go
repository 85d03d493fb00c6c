package ssm

import "likc/runtime/model/kernel"

// DDM is the drift-diffusion model. Its parameters have the ranges of the paper, where they are called Θ. It is the default of every
// command that needs a process.
var DDM = &Model{
	Name:    "ddm",
	Process: "dV = v dτ + dW between -a and +a",
	Cites:   "Ratcliff (1978)",
	Notes:   twoBoundaries + " A trial at the lower boundary is scored at (−v, a, 1 − z, t).",
	Params:  []Param{drift(-3, 3), boundary(0.3, 2.5), start(0.1, 0.9), nonDecision(0, 2)},
	Choices: []float64{1, -1},
	Onset:   "t",
	Example: []float64{1, 1.2, 0.45, 0.3},
	// The first preset is that of HSSM 0.4.0 for its exact ddm, as HSSM prints it: src/hssm/prior.py and src/hssm/defaults.py.
	// The second preset is that of brms's family wiener. There bs, whose prior is gamma(1,1), is 2a. The non-decision time ndt is uniform
	// up to the fastest trial.
	Priors: []Preset{
		{Name: "hssm", Priors: []string{"normal(0,2)", "halfnormal(2)", "uniform(0,1)", "halfnormal(2)"},
			Intercepts: []string{"normal(2,3)", "gamma(mean=1.5,sd=0.75)", "beta(10,10)", "gamma(mean=0.2,sd=0.2)"}, Program: "HSSM 0.4.0", Lapse: "0.05", Window: "0,20"},
		{Name: "brms", Priors: []string{"student_t(3,0,2.5)", "gamma(1,2)", "beta(1,1)", "uniform"}},
	},
	Diffusion: func(theta []float64) Diffusion {
		v, a, z, t := theta[0], theta[1], theta[2], theta[3]
		return Diffusion{Onset: t, Start: a * (2*z - 1), Bound: constant(a), Drift: steady(v)}
	},
	Sampler: func(theta []float64) Sampler { return newWalk(theta).draw },
	Density: &Density{
		Log: func(rt, choice float64, theta, grad []float64) float64 {
			if grad == nil {
				return logDensity(rt, choice, theta)
			}
			return logDensityGrad(rt, choice, theta, grad)
		},
		Rows:   NewRows,
		CDF:    cdf,
		Bind:   bindExact,
		Linear: "v",
		BindLinear: func(rt, choice []float64, values *kernel.Combinations) (kernel.Sum, error) {
			r, err := NewRegression(rt, choice, values)
			if err != nil {
				return nil, err
			}
			return r, nil
		},
	},
}

// bindExact is NewExact, but returns a nil interface, not a nil pointer in an interface, if there is an error.
func bindExact(rt, choice []float64) (kernel.Sum, error) {
	e, err := NewExact(rt, choice)
	if err != nil {
		return nil, err
	}
	return e, nil
}

// The functions drift, boundary, start and nonDecision return parameters that several models with two boundaries have.

// twoBoundaries is the remark on parameters that these models share.
const twoBoundaries = "a is HALF the distance between the boundaries (Stan, brms and rtdists use the whole), z is relative to it, the noise is 1, " +
	"times are in seconds."

func drift(lower, upper float64) Param {
	return Param{"v", lower, upper, "drift: mean evidence per second, towards the upper boundary when positive", Negate, Finite}
}

func boundary(lower, upper float64) Param {
	return Param{"a", lower, upper, "boundary: half the separation, at the start of the trial", Same, Positive}
}

func start(lower, upper float64) Param {
	return Param{"z", lower, upper, "start point: relative, 0 at the lower boundary and 1 at the upper", Complement, Unit}
}

func nonDecision(lower, upper float64) Param {
	return Param{"t", lower, upper, "non-decision time in seconds", Same, Finite}
}

// constant returns a boundary that does not move.
func constant(x float64) func(float64) float64 { return func(float64) float64 { return x } }

// steady returns a drift that depends neither on time nor on the evidence.
func steady(drift float64) func(tau, y float64) float64 {
	return func(float64, float64) float64 { return drift }
}
