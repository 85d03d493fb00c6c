package lapse

import (
	"fmt"
	"strconv"

	"likc/runtime/model/bound"
	"likc/runtime/model/kernel"
	"likc/runtime/model/posterior"
)

// Probability is what is known about the probability of a lapse before data are seen: a fixed value, or a prior.
type Probability struct {
	Fixed bool
	Value float64         // the value of a fixed probability
	Prior posterior.Prior // the prior of an estimated probability
}

// ParseProbability parses a text such as 0.05 or beta(1,20).
func ParseProbability(text string) (p Probability, err error) {
	const want = "want a probability between 0 and 1, or a prior such as beta(1,20)"
	if p.Value, err = strconv.ParseFloat(text, 64); err == nil {
		if p.Fixed = p.Value > 0 && p.Value < 1; !p.Fixed {
			return p, fmt.Errorf("lapse %s: %s", text, want)
		}
		return p, nil
	}
	if p.Prior, err = posterior.ParsePrior(text); err != nil {
		return p, fmt.Errorf("lapse %s: %s: %w", text, want, err)
	}
	return p, nil
}

// Bind binds trials with a response time and a choice to a model with lapses. It returns the log-likelihood and the parameters to
// sample, which do not include a fixed probability.
func (p Probability) Bind(x *bound.Prepared, rt, choice []float64) (kernel.Sum, []posterior.Parameter, error) {
	t := kernel.Responses(rt, choice)
	params, err := x.Model.Parameters(map[string]posterior.Prior{Param: p.Prior}, t.Columns, choice)
	if err != nil {
		return nil, nil, err
	}
	d := bound.Numbers(len(params))
	if last := len(params) - 1; p.Fixed {
		params = params[:last]
		d.Coefficients, d.Params[last] = last, bound.Predictor{Offset: []float64{p.Value}}
	}
	lik, err := x.Bind(t, d)
	return lik, params, err
}
