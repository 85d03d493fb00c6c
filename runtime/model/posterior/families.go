package posterior

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// arguments are the numbers of a prior, in the order of its family's args. Unused ones are 0.
type arguments [4]float64

// family is one row of the table of priors.
type family struct {
	name    string
	args    []string // names of the arguments, with their synonyms after a bar
	support func(a *arguments) (low, high float64)
	check   func(a *arguments) string                            // returns the fault of the arguments, or ""
	norm    func(a *arguments) float64                           // log of the normalising constant
	density func(x float64, a *arguments) (value, slope float64) // log density without its constant, and its derivative
	tails   func(x float64, a *arguments) (below, above float64) // P(X ≤ x) and P(X > x), each accurate even if it is tiny
	drawn   law                                                  // the law from which draws are made; empty for uniform
}

// families is the table of priors. The source of their densities and constants is Johnson, Kotz, Balakrishnan (1994, 1995), Continuous
// univariate distributions.
var families = []family{
	{"uniform", []string{"low|lower", "high|upper"}, from(0, 1), uniformWrong,
		func(a *arguments) float64 { return -math.Log(a[1] - a[0]) },
		func(x float64, a *arguments) (float64, float64) { return 0, 0 },
		func(x float64, a *arguments) (float64, float64) {
			width := a[1] - a[0]
			return min(max((x-a[0])/width, 0), 1), min(max((a[1]-x)/width, 0), 1)
		}, law{}},
	{"normal", []string{"mean|mu", "sd|sigma"}, everywhere, positive(1, "sd"),
		func(a *arguments) float64 { return -math.Log(a[1]) - math.Log(2*math.Pi)/2 },
		bell,
		func(x float64, a *arguments) (float64, float64) { return normalTails((x - a[0]) / a[1]) },
		normalLaw(shifted)},
	{"truncnormal", []string{"mean|mu", "sd|sigma", "low|lower", "high|upper"}, from(2, 3), truncnormalWrong,
		func(a *arguments) float64 {
			return -math.Log(a[1]) - math.Log(2*math.Pi)/2 - math.Log(normalMass((a[2]-a[0])/a[1], (a[3]-a[0])/a[1]))
		},
		bell,
		func(x float64, a *arguments) (float64, float64) {
			low, high := (a[2]-a[0])/a[1], (a[3]-a[0])/a[1]
			z, all := min(max((x-a[0])/a[1], low), high), normalMass(low, high)
			return normalMass(low, z) / all, normalMass(z, high) / all
		}, normalLaw(shifted)},
	{"lognormal", []string{"mu", "sigma"}, above0, positive(1, "sigma"),
		func(a *arguments) float64 { return -math.Log(a[1]) - math.Log(2*math.Pi)/2 },
		func(x float64, a *arguments) (float64, float64) {
			z := (math.Log(x) - a[0]) / a[1]
			return -math.Log(x) - z*z/2, -(1 + z/a[1]) / x
		},
		func(x float64, a *arguments) (float64, float64) { return normalTails((math.Log(x) - a[0]) / a[1]) },
		normalLaw(scale{
			func(y float64, a *arguments) float64 { return math.Exp(a[0] + float64(a[1]*y)) },
			func(x float64, a *arguments) float64 { return (math.Log(x) - a[0]) / a[1] }})},
	{"student_t", []string{"nu|df", "mu|mean", "sigma|scale"}, everywhere, positive(0, "nu", "", "sigma"),
		func(a *arguments) float64 {
			return logGamma((a[0]+1)/2) - logGamma(a[0]/2) - math.Log(a[0]*math.Pi)/2 - math.Log(a[2])
		},
		func(x float64, a *arguments) (float64, float64) {
			z := (x - a[1]) / a[2]
			return -(a[0] + 1) / 2 * math.Log1p(z*z/a[0]), -(a[0] + 1) * z / (a[2] * (a[0] + z*z))
		},
		func(x float64, a *arguments) (float64, float64) {
			t := distuv.StudentsT{Nu: a[0], Sigma: 1}
			z := (x - a[1]) / a[2]
			return t.CDF(z), t.CDF(-z)
		},
		studentLaw(func(a *arguments) (nu, centre, width float64) { return a[0], a[1], a[2] })},
	{"cauchy", []string{"location|mu", "scale|beta"}, everywhere, positive(1, "scale"),
		func(a *arguments) float64 { return -math.Log(math.Pi * a[1]) },
		func(x float64, a *arguments) (float64, float64) {
			z := (x - a[0]) / a[1]
			return -math.Log1p(z * z), -2 * z / (a[1] * (1 + z*z))
		},
		func(x float64, a *arguments) (float64, float64) {
			return math.Atan2(a[1], a[0]-x) / math.Pi, math.Atan2(a[1], x-a[0]) / math.Pi
		},
		studentLaw(func(a *arguments) (nu, centre, width float64) { return 1, a[0], a[1] })},
	{"halfnormal", []string{"sd|sigma"}, above0, positive(0, "sd"),
		func(a *arguments) float64 { return -math.Log(a[0]) + math.Log(2/math.Pi)/2 },
		func(x float64, a *arguments) (float64, float64) { z := x / a[0]; return -z * z / 2, -z / a[0] },
		func(x float64, a *arguments) (float64, float64) {
			z := x / a[0] / math.Sqrt2
			return math.Erf(z), math.Erfc(z)
		},
		normalLaw(scale{
			func(y float64, a *arguments) float64 { return a[0] * y },
			func(x float64, a *arguments) float64 { return x / a[0] }})},
	{"halfcauchy", []string{"scale|beta"}, above0, positive(0, "scale"),
		func(a *arguments) float64 { return math.Log(2 / (math.Pi * a[0])) },
		func(x float64, a *arguments) (float64, float64) {
			return -math.Log1p(x / a[0] * x / a[0]), -2 * x / (a[0]*a[0] + x*x)
		},
		func(x float64, a *arguments) (float64, float64) {
			return 2 / math.Pi * math.Atan2(x, a[0]), 2 / math.Pi * math.Atan2(a[0], x)
		},
		studentLaw(func(a *arguments) (nu, centre, width float64) { return 1, 0, a[0] })},
	{"gamma", []string{"shape|alpha", "rate|beta"}, above0, positive(0, "shape", "rate"),
		func(a *arguments) float64 { return a[0]*math.Log(a[1]) - logGamma(a[0]) },
		func(x float64, a *arguments) (float64, float64) {
			return (a[0]-1)*math.Log(x) - a[1]*x, (a[0]-1)/x - a[1]
		},
		func(x float64, a *arguments) (float64, float64) {
			return mathext.GammaIncReg(a[0], x*a[1]), mathext.GammaIncRegComp(a[0], x*a[1])
		},
		gammaLaw(func(a *arguments) float64 { return a[0] }, scale{
			func(y float64, a *arguments) float64 { return math.Exp(y) / a[1] },
			func(x float64, a *arguments) float64 { return math.Log(x * a[1]) }})},
	{"beta", []string{"alpha|a", "beta|b"}, func(*arguments) (float64, float64) { return 0, 1 }, positive(0, "alpha", "beta"),
		func(a *arguments) float64 { return logGamma(a[0]+a[1]) - logGamma(a[0]) - logGamma(a[1]) },
		func(x float64, a *arguments) (float64, float64) {
			return (a[0]-1)*math.Log(x) + (a[1]-1)*math.Log1p(-x), (a[0]-1)/x - (a[1]-1)/(1-x)
		},
		func(x float64, a *arguments) (float64, float64) {
			return mathext.RegIncBeta(a[0], a[1], x), mathext.RegIncBeta(a[1], a[0], 1-x)
		}, betaLaw},
	{"exponential", []string{"rate|lambda"}, above0, positive(0, "rate"),
		func(a *arguments) float64 { return math.Log(a[0]) },
		func(x float64, a *arguments) (float64, float64) { return -a[0] * x, -a[0] },
		func(x float64, a *arguments) (float64, float64) { return -math.Expm1(-a[0] * x), math.Exp(-a[0] * x) },
		gammaLaw(one, scale{
			func(y float64, a *arguments) float64 { return math.Exp(y) / a[0] },
			func(x float64, a *arguments) float64 { return math.Log(x * a[0]) }})},
	{"weibull", []string{"shape|alpha", "scale|beta"}, above0, positive(0, "shape", "scale"),
		func(a *arguments) float64 { return math.Log(a[0] / a[1]) },
		func(x float64, a *arguments) (float64, float64) {
			power := math.Pow(x/a[1], a[0])
			return (a[0]-1)*math.Log(x/a[1]) - power, (a[0] - 1 - a[0]*power) / x
		},
		func(x float64, a *arguments) (float64, float64) {
			power := math.Pow(x/a[1], a[0])
			return -math.Expm1(-power), math.Exp(-power)
		},
		gammaLaw(one, scale{
			func(y float64, a *arguments) float64 { return a[1] * math.Exp(y/a[0]) },
			func(x float64, a *arguments) float64 { return a[0] * math.Log(x/a[1]) }})},
}

func everywhere(*arguments) (low, high float64) { return math.Inf(-1), math.Inf(1) }

func above0(*arguments) (low, high float64) { return 0, math.Inf(1) }

// from returns the function for a support between two arguments, given by their indices.
func from(low, high int) func(a *arguments) (float64, float64) {
	return func(a *arguments) (float64, float64) { return a[low], a[high] }
}

// bell returns the log density of a normal law, whose first arguments are mean and sd, without its constant.
func bell(x float64, a *arguments) (value, slope float64) {
	z := (x - a[0]) / a[1]
	return -z * z / 2, -z / a[1]
}

// normalMass returns the mass of the standard normal distribution between two numbers. It is accurate in the tails too.
func normalMass(low, high float64) float64 {
	if low > 0 {
		low, high = -high, -low
	}
	return (math.Erfc(-high/math.Sqrt2) - math.Erfc(-low/math.Sqrt2)) / 2
}

// normalTails returns the masses of the standard normal law below and above a number.
func normalTails(z float64) (below, above float64) {
	return math.Erfc(-z/math.Sqrt2) / 2, math.Erfc(z/math.Sqrt2) / 2
}

// positive returns a check that arguments are above 0. names are the names of the arguments from index first on; "" stands for an
// argument that may be any number.
func positive(first int, names ...string) func(a *arguments) string {
	all, must := "", " must be positive"
	for _, name := range names {
		if name != "" && all != "" {
			all += " and "
		}
		all += name
	}
	return func(a *arguments) string {
		for i, name := range names {
			if x := a[first+i]; name != "" && !(x > 0 && !math.IsInf(x, 1)) {
				return all + must
			}
		}
		return ""
	}
}

func uniformWrong(a *arguments) string {
	if !(a[0] < a[1]) || math.IsInf(a[1]-a[0], 1) {
		return "low must be below high, and both be finite"
	}
	return ""
}

func truncnormalWrong(a *arguments) string {
	switch {
	case !(a[1] > 0 && !math.IsInf(a[1], 1)):
		return "sd must be positive"
	case !(a[2] < a[3]):
		return "low must be below high"
	case !(normalMass((a[2]-a[0])/a[1], (a[3]-a[0])/a[1]) > 1e-300):
		return "nothing of the normal law lies between low and high"
	}
	return ""
}

func logGamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}
