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

// predicted are simulated trials, or observed ones.
type predicted struct{ rt, choice []float64 }

// predictions are the figures of observed and predicted trials: of all, and of each condition if there are any.
func (f *Folder) predictions(ctx context.Context, r *fit.Result, d *chains.Draws) []page {
	time := r.Columns[f.Spec.Model.TimeColumn()]
	own := f.observed(r, time, func(int) bool { return true })
	predict := sync.OnceValues(func() (p predicted, err error) {
		p.rt, p.choice, err = f.predict(ctx, r, d)
		return recorded(&r.Subject, p), err
	})
	all := []page{{"predictive", func() (*figure.Figure, error) {
		p, err := predict()
		if err != nil {
			return nil, err
		}
		return figure.SignedTimes(predictiveName(r), own.rt, own.choice, p.rt, p.choice)
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
			return draw(f.conditionsOf(r, time, p))
		}
	}
	return append(all, page{"conditions", of(figure.Conditions)}, page{"quantiles", of(figure.QuantileProbability)})
}

// conditionsOf parts the trials by their conditions, in the order of the names. The parameters are the same in all conditions, and
// so are the predictions.
func (f *Folder) conditionsOf(r *fit.Result, time []float64, p predicted) []figure.Condition {
	names := slices.Clone(r.Conditions)
	slices.Sort(names)
	var all []figure.Condition
	for _, name := range slices.Compact(names) {
		own := f.observed(r, time, func(i int) bool { return r.Conditions[i] == name })
		all = append(all, figure.Condition{Name: name, RT: own.rt, Choice: own.choice, PredictedRT: p.rt, PredictedChoice: p.choice})
	}
	return all
}

// observed are the trials with a response that the caller wants.
func (f *Folder) observed(r *fit.Result, time []float64, want func(trial int) bool) (o predicted) {
	for i, t := range time {
		if !want(i) || r.Choice != nil && r.Choice[i] == trials.Omitted {
			continue
		}
		o.rt = append(o.rt, t)
		if f.Spec.Model.Choice != "" {
			o.choice = append(o.choice, r.Choice[i])
		}
	}
	return o
}

// recorded are the simulated trials whose responses would be recorded. They have the deadlines of the subject's trials in turn.
func recorded(s *fit.Subject, p predicted) (out predicted) {
	for i, t := range p.rt {
		choice := 0.0
		if p.choice != nil {
			choice = p.choice[i]
		}
		if !s.Answers(i%s.Trials(), t, choice) {
			continue
		}
		out.rt = append(out.rt, t)
		if p.choice != nil {
			out.choice = append(out.choice, choice)
		}
	}
	return out
}

// predictiveName says from which draws trials are predicted.
func predictiveName(r *fit.Result) string {
	if r.Summary.PriorOnly {
		return "prior predictive"
	}
	return "posterior predictive"
}
