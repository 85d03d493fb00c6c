package ssm

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// These are models of one response, without a choice.

func init() {
	Register(&Model{
		Name:    "shifted_wald",
		Process: "dV = v dτ + dW from 0 until V = b; the response comes t later",
		Cites:   "Anders et al. (2016)",
		Notes:   "One response, no choice. The noise is 1, times are in seconds.",
		Params: []Param{
			{"v", 0.1, 8, "drift rate: mean evidence a second", Same, Positive},
			{"b", 0.1, 4, "distance to the boundary", Same, Positive}, nonDecision(0, 1)},
		Choices: oneResponse,
		Onset:   "t",
		Example: []float64{3, 1.2, 0.2},
		Sampler: func(theta []float64) Sampler {
			v, b, t := theta[0], theta[1], theta[2]
			return always(func(r *rand.Rand) float64 { return t + firstPassage(r, b, v) })
		},
	})
}

func init() {
	Register(&Model{
		Name:    "exwald",
		Process: "rt = W + tau X, W the first time that dV = v dτ + dW from 0 is at b, X exponential of mean 1",
		Cites:   "Schwarz (2001)",
		Notes:   "One response, no choice. The noise is 1, times are in seconds. The exponential time stands for all that is not the decision.",
		Modes:   true,
		Params: []Param{
			{"v", 0.1, 8, "drift rate: mean evidence a second", Same, Positive},
			{"b", 0.1, 4, "distance to the boundary", Same, Positive},
			{"tau", 0.01, 2, "mean of the exponential time, in seconds", Same, Positive}},
		Choices: oneResponse,
		Example: []float64{3, 1.2, 0.2},
		Sampler: func(theta []float64) Sampler {
			v, b, tau := theta[0], theta[1], theta[2]
			return always(func(r *rand.Rand) float64 { return firstPassage(r, b, v) + tau*r.ExpFloat64() })
		},
	})
}

func init() {
	Register(&Model{
		Name:    "shifted_lognormal",
		Process: "rt = t + exp(m + s N), N standard normal",
		Cites:   "Rouder et al. (2015)",
		Notes:   "One response, no choice. Times are in seconds.",
		Params: []Param{
			{"m", -3, 2, "mean of the log time after the shift", Same, Finite},
			{"s", 0.1, 2, "standard deviation of the log time after the shift", Same, Positive}, nonDecision(0, 1)},
		Choices: oneResponse,
		Onset:   "t",
		Example: []float64{-0.7, 0.5, 0.2},
		Sampler: func(theta []float64) Sampler {
			m, s, t := theta[0], theta[1], theta[2]
			return always(func(r *rand.Rand) float64 { return t + math.Exp(m+s*r.NormFloat64()) })
		},
	})
}

func init() {
	Register(&Model{
		Name:    "lognormal_mixture",
		Process: "rt = t + exp(m + d B + s N), B 1 with probability p and else 0, N standard normal",
		Cites:   "Yantis et al. (1991)",
		Notes:   "One response, no choice. Times are in seconds. Fast and slow trials differ by the factor exp(d) in their medians after the shift.",
		Params: []Param{
			{"p", 0.02, 0.98, "probability of a slow trial", Same, Unit},
			{"m", -3, 1, "mean of the log time of fast trials after the shift", Same, Finite},
			{"d", 0.5, 3, "by how much the mean of slow trials is above it", Same, Positive},
			{"s", 0.1, 1.5, "standard deviation of the log times of each kind", Same, Positive}, nonDecision(0, 1)},
		Choices: oneResponse,
		Onset:   "t",
		Example: []float64{0.3, -1.5, 1.5, 0.3, 0.2},
		Sampler: func(theta []float64) Sampler {
			p, m, d, s, t := theta[0], theta[1], theta[2], theta[3], theta[4]
			return always(func(r *rand.Rand) float64 {
				mean := m
				if r.Float64() < p {
					mean += d
				}
				return t + math.Exp(mean+s*r.NormFloat64())
			})
		},
	})
}

func init() {
	Register(&Model{
		Name:    "shifted_gamma",
		Process: "rt = t + s G, G gamma of shape k and scale 1",
		Cites:   "Luce (1986)",
		Notes:   "One response, no choice. Times are in seconds. With a whole k it is the time of k exponential stages of mean s.",
		Params: []Param{
			{"k", 1, 20, "shape", Same, Positive},
			{"s", 0.01, 0.5, "scale, in seconds: the mean after the shift is k s", Same, Positive}, nonDecision(0, 1)},
		Choices: oneResponse,
		Onset:   "t",
		Example: []float64{3, 0.1, 0.2},
		Sampler: func(theta []float64) Sampler {
			k, s, t := theta[0], theta[1], theta[2]
			return always(func(r *rand.Rand) float64 { return t + distuv.Gamma{Alpha: k, Beta: 1 / s, Src: r}.Rand() })
		},
	})
}

func init() {
	Register(&Model{
		Name:    "exgaussian",
		Process: "rt = mu + sigma N + tau X, N standard normal, X exponential of mean 1, given that rt > 0",
		Cites:   "Hohle (1965)",
		Notes:   "One response, no choice. Times are in seconds.",
		Params: []Param{
			{"mu", 0.1, 2, "mean of the normal part, in seconds", Same, Positive},
			{"sigma", 0.01, 0.5, "standard deviation of the normal part, in seconds", Same, Positive},
			{"tau", 0.01, 2, "mean of the exponential part, in seconds", Same, Positive}},
		Choices: oneResponse,
		Example: []float64{0.4, 0.05, 0.2},
		Sampler: func(theta []float64) Sampler {
			mu, sigma, tau := theta[0], theta[1], theta[2]
			return always(func(r *rand.Rand) float64 {
				for {
					if rt := mu + sigma*r.NormFloat64() + tau*r.ExpFloat64(); rt > 0 {
						return rt
					}
				}
			})
		},
	})
}

// oneResponse is the list of choices of a model without choice.
var oneResponse = []float64{1}

// always returns the sampler of a model with one response.
func always(draw func(r *rand.Rand) float64) Sampler {
	return func(r *rand.Rand) (rt, choice float64) { return draw(r), 1 }
}
