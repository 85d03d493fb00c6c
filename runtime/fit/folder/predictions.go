package folder

import (
	"context"
	"slices"
	"sync"

	"likc/runtime/chains"
	"likc/runtime/figure"
	"likc/runtime/fit"
	"likc/runtime/trials"
)

// predicted are simulated trials.
type predicted struct{ rt, choice []float64 }

// predictions are the figures of observed and predicted trials: of all, and of each condition if there are any.
func (f *Folder) predictions(ctx context.Context, r *fit.Result, d *chains.Draws) []page {
	time := r.Columns[f.Spec.Model.TimeColumn()]
	own, ownChoice, deadline := answered(time, r.Choice)
	predict := sync.OnceValues(func() (p predicted, err error) {
		p.rt, p.choice, err = f.predict(ctx, r, d)
		p.rt, p.choice = before(deadline, p.rt, p.choice)
		return p, err
	})
	all := []page{{"predictive", func() (*figure.Figure, error) {
		p, err := predict()
		if err != nil {
			return nil, err
		}
		return figure.SignedTimes(predictiveName(r), own, ownChoice, p.rt, p.choice)
	}}}
	if r.Conditions == nil {
		return all
	}
	of := func(draw func([]figure.Condition) (*figure.Figure, error)) func() (*figure.Figure, error) {
		return func() (*figure.Figure, error) {
			p, err := predict()
			if err != nil {
				return nil, err
			}
			return draw(conditionsOf(r, time, p))
		}
	}
	return append(all, page{"conditions", of(figure.Conditions)}, page{"quantiles", of(figure.QuantileProbability)})
}

// conditionsOf parts the trials by their conditions, in the order of the names. The parameters are the same in all conditions, and
// so are the predictions.
func conditionsOf(r *fit.Result, time []float64, p predicted) []figure.Condition {
	names := slices.Clone(r.Conditions)
	slices.Sort(names)
	var all []figure.Condition
	for _, name := range slices.Compact(names) {
		c := figure.Condition{Name: name, PredictedRT: p.rt, PredictedChoice: p.choice}
		for i, condition := range r.Conditions {
			if condition != name || r.Choice != nil && r.Choice[i] == trials.Omitted {
				continue
			}
			c.RT = append(c.RT, time[i])
			if r.Choice != nil {
				c.Choice = append(c.Choice, r.Choice[i])
			}
		}
		all = append(all, c)
	}
	return all
}

// predictiveName says from which draws trials are predicted.
func predictiveName(r *fit.Result) string {
	if r.Summary.PriorOnly {
		return "prior predictive"
	}
	return "posterior predictive"
}
