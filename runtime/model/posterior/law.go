package posterior

import "math"

// law says how values of a family are drawn: on a coordinate y in which the family's log density is concave. Four laws are enough for all
// families:
//
//	normal    -y²/2                                y = (x-mean)/sd, or of log x
//	student   -ν log cosh y                        y = asinh((x-centre)/(width √ν)); cauchy has ν = 1
//	gamma     k y - exp(y)                         y = log(rate x); exponential and weibull have k = 1, y = shape log(x/scale)
//	beta      -α log(1+exp(-y)) - β log(1+exp(y))  y = logit x
//
// Tangents lie above a concave function, so that [hat] draws exactly, however far in a tail the range lies.
type law struct {
	logDensity func(y float64, a *arguments) (value, slope float64) // returns the log density up to a constant, and its derivative
	mode       func(a *arguments) float64                           // returns the coordinate of the mode
	scale
}

// scale maps a coordinate to the parameter, and back.
type scale struct {
	place      func(y float64, a *arguments) float64 // returns the parameter at the coordinate y
	coordinate func(x float64, a *arguments) float64 // returns the coordinate of the parameter x
}

// shifted is the scale of a law with a mean and a standard deviation as its first two arguments. The conversion to float64 makes every
// processor round the product before the sum, so that all give the same result.
var shifted = scale{
	func(y float64, a *arguments) float64 { return a[0] + float64(a[1]*y) },
	func(x float64, a *arguments) float64 { return (x - a[0]) / a[1] },
}

func zero(*arguments) float64 { return 0 }

func one(*arguments) float64 { return 1 }

func normalLaw(s scale) law {
	return law{func(y float64, _ *arguments) (float64, float64) { return -y * y / 2, -y }, zero, s}
}

// studentLaw returns the law of a Student distribution; `of` returns its degrees of freedom, centre and width.
func studentLaw(of func(a *arguments) (nu, centre, width float64)) law {
	return law{
		func(y float64, a *arguments) (float64, float64) {
			nu, _, _ := of(a)
			return -nu * logCosh(y), -nu * math.Tanh(y)
		},
		zero,
		scale{
			func(y float64, a *arguments) float64 {
				nu, centre, width := of(a)
				return centre + float64(width*math.Sqrt(nu)*math.Sinh(y))
			},
			func(x float64, a *arguments) float64 {
				nu, centre, width := of(a)
				return math.Asinh((x - centre) / (width * math.Sqrt(nu)))
			},
		},
	}
}

// gammaLaw returns the law of the logarithm of a gamma variable with shape k, on a scale.
func gammaLaw(k func(a *arguments) float64, s scale) law {
	return law{
		func(y float64, a *arguments) (float64, float64) {
			e := math.Exp(y)
			return float64(k(a)*y) - e, k(a) - e
		},
		func(a *arguments) float64 { return math.Log(k(a)) },
		s,
	}
}

var betaLaw = law{
	func(y float64, a *arguments) (float64, float64) {
		value := float64(-a[0]*softPlus(-y)) - float64(a[1]*softPlus(y))
		return value, float64(a[0]/(1+math.Exp(y))) - float64(a[1]/(1+math.Exp(-y)))
	},
	func(a *arguments) float64 { return math.Log(a[0] / a[1]) },
	scale{
		func(y float64, _ *arguments) float64 { return 1 / (1 + math.Exp(-y)) },
		func(x float64, _ *arguments) float64 { return math.Log(x / (1 - x)) },
	},
}

// softPlus returns log(1+exp(y)).
func softPlus(y float64) float64 { return max(y, 0) + math.Log1p(math.Exp(-math.Abs(y))) }

func logCosh(y float64) float64 {
	if y = math.Abs(y); y < 1e-3 { // there the sum below would lose digits
		return y * y / 2
	}
	return y + math.Log1p(math.Exp(-2*y)) - math.Ln2
}
