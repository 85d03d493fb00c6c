package posterior

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// arguments are the numbers of a prior, in the order of its family's args. Unused ones are 0.
type arguments [4]float64

// family is one row of the table of priors.
type family struct {
	name    string
	args    []string // names of the arguments, with their synonyms after a bar
	support func(a *arguments) (low, high float64)
	check   func(a *arguments) string  // what is wrong with the arguments, or ""
	norm    func(a *arguments) float64 // log of the normalising constant
	density func(x float64, a *arguments) (value, slope float64)
	cdf     func(x float64, a *arguments) float64 // P(X ≤ x)
}

// density of a family is its log density but for the constant, and the derivative. References for the laws and their constants:
// Johnson, Kotz, Balakrishnan (1994, 1995), Continuous univariate distributions.
var families = []family{
	{"uniform", []string{"low|lower", "high|upper"}, from(0, 1), uniformWrong,
		func(a *arguments) float64 { return -math.Log(a[1] - a[0]) },
		func(x float64, a *arguments) (float64, float64) { return 0, 0 },
		func(x float64, a *arguments) float64 { return min(max((x-a[0])/(a[1]-a[0]), 0), 1) }},
	{"normal", []string{"mean|mu", "sd|sigma"}, everywhere, positive(1, "sd"),
		func(a *arguments) float64 { return -math.Log(a[1]) - math.Log(2*math.Pi)/2 },
		bell,
		func(x float64, a *arguments) float64 { return normalMass(math.Inf(-1), (x-a[0])/a[1]) }},
	{"truncnormal", []string{"mean|mu", "sd|sigma", "low|lower", "high|upper"}, from(2, 3), truncnormalWrong,
		func(a *arguments) float64 {
			return -math.Log(a[1]) - math.Log(2*math.Pi)/2 - math.Log(normalMass((a[2]-a[0])/a[1], (a[3]-a[0])/a[1]))
		},
		bell,
		func(x float64, a *arguments) float64 {
			low, high := (a[2]-a[0])/a[1], (a[3]-a[0])/a[1]
			return normalMass(low, min(max((x-a[0])/a[1], low), high)) / normalMass(low, high)
		}},
	{"lognormal", []string{"mu", "sigma"}, above0, positive(1, "sigma"),
		func(a *arguments) float64 { return -math.Log(a[1]) - math.Log(2*math.Pi)/2 },
		func(x float64, a *arguments) (float64, float64) {
			z := (math.Log(x) - a[0]) / a[1]
			return -math.Log(x) - z*z/2, -(1 + z/a[1]) / x
		},
		func(x float64, a *arguments) float64 { return normalMass(math.Inf(-1), (math.Log(x)-a[0])/a[1]) }},
	{"student_t", []string{"nu|df", "mu|mean", "sigma|scale"}, everywhere, positive(0, "nu", "", "sigma"),
		func(a *arguments) float64 {
			return logGamma((a[0]+1)/2) - logGamma(a[0]/2) - math.Log(a[0]*math.Pi)/2 - math.Log(a[2])
		},
		func(x float64, a *arguments) (float64, float64) {
			z := (x - a[1]) / a[2]
			return -(a[0] + 1) / 2 * math.Log1p(z*z/a[0]), -(a[0] + 1) * z / (a[2] * (a[0] + z*z))
		},
		func(x float64, a *arguments) float64 {
			return distuv.StudentsT{Nu: a[0], Mu: a[1], Sigma: a[2]}.CDF(x)
		}},
	{"cauchy", []string{"location|mu", "scale|beta"}, everywhere, positive(1, "scale"),
		func(a *arguments) float64 { return -math.Log(math.Pi * a[1]) },
		func(x float64, a *arguments) (float64, float64) {
			z := (x - a[0]) / a[1]
			return -math.Log1p(z * z), -2 * z / (a[1] * (1 + z*z))
		},
		func(x float64, a *arguments) float64 { return 0.5 + math.Atan((x-a[0])/a[1])/math.Pi }},
	{"halfnormal", []string{"sd|sigma"}, above0, positive(0, "sd"),
		func(a *arguments) float64 { return -math.Log(a[0]) + math.Log(2/math.Pi)/2 },
		func(x float64, a *arguments) (float64, float64) { z := x / a[0]; return -z * z / 2, -z / a[0] },
		func(x float64, a *arguments) float64 { return math.Erf(x / a[0] / math.Sqrt2) }},
	{"halfcauchy", []string{"scale|beta"}, above0, positive(0, "scale"),
		func(a *arguments) float64 { return math.Log(2 / (math.Pi * a[0])) },
		func(x float64, a *arguments) (float64, float64) {
			return -math.Log1p(x / a[0] * x / a[0]), -2 * x / (a[0]*a[0] + x*x)
		},
		func(x float64, a *arguments) float64 { return 2 / math.Pi * math.Atan(x/a[0]) }},
	{"gamma", []string{"shape|alpha", "rate|beta"}, above0, positive(0, "shape", "rate"),
		func(a *arguments) float64 { return a[0]*math.Log(a[1]) - logGamma(a[0]) },
		func(x float64, a *arguments) (float64, float64) {
			return (a[0]-1)*math.Log(x) - a[1]*x, (a[0]-1)/x - a[1]
		},
		func(x float64, a *arguments) float64 { return distuv.Gamma{Alpha: a[0], Beta: a[1]}.CDF(x) }},
	{"beta", []string{"alpha|a", "beta|b"}, func(*arguments) (float64, float64) { return 0, 1 }, positive(0, "alpha", "beta"),
		func(a *arguments) float64 { return logGamma(a[0]+a[1]) - logGamma(a[0]) - logGamma(a[1]) },
		func(x float64, a *arguments) (float64, float64) {
			return (a[0]-1)*math.Log(x) + (a[1]-1)*math.Log1p(-x), (a[0]-1)/x - (a[1]-1)/(1-x)
		},
		func(x float64, a *arguments) float64 { return distuv.Beta{Alpha: a[0], Beta: a[1]}.CDF(x) }},
	{"exponential", []string{"rate|lambda"}, above0, positive(0, "rate"),
		func(a *arguments) float64 { return math.Log(a[0]) },
		func(x float64, a *arguments) (float64, float64) { return -a[0] * x, -a[0] },
		func(x float64, a *arguments) float64 { return -math.Expm1(-a[0] * x) }},
	{"weibull", []string{"shape|alpha", "scale|beta"}, above0, positive(0, "shape", "scale"),
		func(a *arguments) float64 { return math.Log(a[0] / a[1]) },
		func(x float64, a *arguments) (float64, float64) {
			power := math.Pow(x/a[1], a[0])
			return (a[0]-1)*math.Log(x/a[1]) - power, (a[0] - 1 - a[0]*power) / x
		},
		func(x float64, a *arguments) float64 { return -math.Expm1(-math.Pow(x/a[1], a[0])) }},
}

func everywhere(*arguments) (low, high float64) { return math.Inf(-1), math.Inf(1) }

func above0(*arguments) (low, high float64) { return 0, math.Inf(1) }

// from is a support between two arguments.
func from(low, high int) func(a *arguments) (float64, float64) {
	return func(a *arguments) (float64, float64) { return a[low], a[high] }
}

// bell is the log density of a normal law, mean and sd first, but for its constant.
func bell(x float64, a *arguments) (value, slope float64) {
	z := (x - a[0]) / a[1]
	return -z * z / 2, -z / a[1]
}

// normalMass is the mass of the standard normal law between two numbers. Tails keep their digits.
func normalMass(low, high float64) float64 {
	if low > 0 {
		low, high = -high, -low
	}
	return (math.Erfc(-high/math.Sqrt2) - math.Erfc(-low/math.Sqrt2)) / 2
}

// positive checks that the named arguments, from the first-th on, are above 0; "" names one that may be any number.
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
