// Package audit measures what limits a model's recovery: noise or the model itself. It computes the values to which estimates
// converge with unlimited trials, and the effect of a few fast guesses.
//
// For a model with log density f, the limit at true parameters θ is θ*(θ) = argmax over θ' of the mean of f(·; θ') over the true
// distribution of trials. We call it the population argmax. If its correlation with θ is as low as that of estimates from 1,000
// trials, the model limits recovery, and not the noise.
package audit

import (
	"math"
	"math/rand/v2"

	"likc/runtime/model/kernel"
	"likc/runtime/model/posterior"
	"likc/runtime/num/finite"
	"likc/search/study"
)

// Population is the distribution of a subject's trials as weighted points. The mean of f over it is the sum of weight times f.
type Population struct {
	RT, Choice, Weight []float64
}

// Model is a likelihood to audit.
type Model struct {
	Name   string
	Params []posterior.Parameter // with the ranges and in the order of the bank
	Onset  int                   // index of the parameter that all response times exceed; -1 for none

	// Bind returns the sum of weight times f over the population. The weights need not sum to 1.
	Bind func(p Population) (kernel.Sum, error)
}

// Limit is one subject's population argmax.
type Limit struct {
	Subject int             `json:"subject"`
	Truth   []finite.Number `json:"truth"`
	Argmax  []finite.Number `json:"argmax"`
	Gain    finite.Number   `json:"gain"` // mean of f at the argmax minus that at the truth
	Error   string          `json:"error,omitempty"`
}

// scale multiplies the weights of a population, so that the optimiser's tolerances suit the sum, as for this many trials.
const scale = 1000

// fitter returns a fitter of populations. It searches from the truth, the middle of the ranges and two random points, and uses
// the highest maximum that it finds.
func (m *Model) fitter() study.Fitter {
	return study.Modes{Starts: starts, Bind: func(c *study.Case) (study.Problem, error) {
		sum, err := m.Bind(Population{c.Columns[0], c.Choice, multiplied(scale, c.Weight)})
		return study.Problem{Sum: sum, Params: m.capped(c.Truth)}, err
	}}
}

// multiplied returns the weights multiplied by a factor.
func multiplied(factor float64, weights []float64) []float64 {
	all := make([]float64, len(weights))
	for i, w := range weights {
		all[i] = factor * w
	}
	return all
}

// limitOf returns the population argmax of a case.
func limitOf(c *study.Case, f *study.Fitted) Limit {
	out := Limit{Subject: c.ID, Truth: finite.Numbers(c.Truth), Gain: finite.Number(math.NaN())}
	if f.Err != nil {
		out.Error = f.Err.Error()
		for range c.Truth {
			out.Argmax = append(out.Argmax, out.Gain)
		}
		return out
	}
	sum := f.Problem.Sum
	out.Argmax, out.Gain = finite.Numbers(f.Mode), finite.Number((sum.LogLik(f.Mode)-sum.LogLik(c.Truth))/scale)
	return out
}

// capped lowers the upper end of the onset's range to the truth, because with a later onset some trials would be outside the
// support.
func (m *Model) capped(theta []float64) []posterior.Parameter {
	params := append([]posterior.Parameter(nil), m.Params...)
	if k := m.Onset; k >= 0 {
		params[k].Upper = max(min(params[k].Upper, theta[k]), params[k].Lower+1e-9)
	}
	return params
}

// starts returns points strictly within the ranges.
func starts(post *posterior.Posterior, c *study.Case) [][]float64 {
	rng, theta := rand.New(rand.NewPCG(1, uint64(c.ID))), c.Truth
	all := make([][]float64, 4)
	for k := range all {
		all[k] = make([]float64, len(theta))
		for j, x := range theta {
			low, high := post.Bounds(j)
			margin := 0.01 * (high - low)
			switch k {
			case 0:
				all[k][j] = min(max(x, low+margin), high-margin)
			case 1:
				all[k][j] = (low + high) / 2
			default:
				all[k][j] = low + margin + (high-low-2*margin)*rng.Float64()
			}
		}
	}
	return all
}
