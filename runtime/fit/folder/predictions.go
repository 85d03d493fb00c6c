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
type predicted struct {
	rt, choice []float64
	rows       []int // of the data, for which each stands; nil where parameters are the same in all
}

// predict simulates the trials of figures from the posterior of a result.
func (f *Folder) predict(ctx context.Context, r *fit.Result, d *chains.Draws) (p predicted, err error) {
	if r.Hierarchy == nil {
		p.rt, p.choice, err = f.predictor(r).Predict(ctx, d, r.Label)
	} else {
		p.rt, p.choice, p.rows, err = f.studyPredictor(r, false).Predict(ctx, r.Draws.Common())
	}
	return recorded(&r.Subject, p), err
}

// newcomers simulates trials of levels that a study did not have, such as participants.
func (f *Folder) newcomers(ctx context.Context, r *fit.Result) (p predicted, err error) {
	p.rt, p.choice, p.rows, err = f.studyPredictor(r, true).Predict(ctx, r.Draws.Common())
	return recorded(&r.Subject, p), err
}

// predictTrials are the predicted trials of a result, simulated when they are first asked for.
type predictTrials = func() (predicted, error)

// predictOnce simulates the trials of a result once for all that is made of them.
func (f *Folder) predictOnce(ctx context.Context, r *fit.Result) predictTrials {
	return sync.OnceValues(func() (predicted, error) { return f.predict(ctx, r, shown(r)) })
}

// draws reports whether figures of a result are drawn.
func (f *Folder) draws(r *fit.Result) bool { return r.Draws != nil && !f.NoFigures && !r.Stopped() }

// checkPredictions compares predicted trials with the observed ones, for the summary, where figures show both. What goes wrong with a
// simulation is said when its figure is drawn.
func (f *Folder) checkPredictions(r *fit.Result, predict predictTrials) {
	if !f.draws(r) || f.Simulate == nil || r.Summary.PriorOnly {
		return
	}
	p, err := predict()
	if err != nil {
		return
	}
	time := r.Columns[f.Spec.Model.TimeColumn()]
	own := f.observed(r, time, func(int) bool { return true })
	all := []fit.Predicted{{RT: own.rt, Choice: own.choice, PredictedRT: p.rt, PredictedChoice: p.choice}}
	if r.Conditions != nil {
		for _, c := range f.conditionsOf(r, time, p) {
			all = append(all, fit.Predicted{Condition: c.Name, RT: c.RT, Choice: c.Choice, PredictedRT: c.PredictedRT, PredictedChoice: c.PredictedChoice})
		}
	}
	r.Summary.PredictiveCheck = fit.CheckPredictions(all)
	if c := r.Summary.PredictiveCheck; c != nil && c.Misfit {
		r.Summary.Warnings = append(r.Summary.Warnings, "the model does not predict the data: "+c.String())
	}
}

// predictions are the figures of observed and predicted trials: of all, and of each condition if there are any.
func (f *Folder) predictions(ctx context.Context, r *fit.Result, predict predictTrials) []page {
	time := r.Columns[f.Spec.Model.TimeColumn()]
	own := f.observed(r, time, func(int) bool { return true })
	times := func(name string, predict func() (predicted, error)) func() (*figure.Figure, error) {
		return func() (*figure.Figure, error) {
			p, err := predict()
			if err != nil {
				return nil, err
			}
			return figure.SignedTimes(name, own.rt, own.choice, p.rt, p.choice)
		}
	}
	all := []page{{"predictive", times(predictiveName(r), predict)}}
	if r.Hierarchy != nil && r.Hierarchy.Study.Grouped() {
		newcomers := func() (predicted, error) { return f.newcomers(ctx, r) }
		all = append(all, page{"newcomers", times(predictiveName(r)+" of new levels", newcomers)})
	}
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

// conditionsOf parts the trials by their conditions, in the order of the names.
func (f *Folder) conditionsOf(r *fit.Result, time []float64, p predicted) []figure.Condition {
	names := slices.Clone(r.Conditions)
	slices.Sort(names)
	var all []figure.Condition
	for _, name := range slices.Compact(names) {
		own := f.observed(r, time, func(i int) bool { return r.Conditions[i] == name })
		in := p.in(func(i int) bool { return r.Conditions[i] == name })
		all = append(all, figure.Condition{Name: name, RT: own.rt, Choice: own.choice, PredictedRT: in.rt, PredictedChoice: in.choice})
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

// in are the trials that stand for rows that the caller wants: all, where parameters are the same in all rows.
func (p predicted) in(want func(row int) bool) (in predicted) {
	if p.rows == nil {
		return p
	}
	for i, row := range p.rows {
		if want(row) {
			in.add(p, i)
		}
	}
	return in
}

// add adds a trial of another list.
func (p *predicted) add(from predicted, i int) {
	p.rt = append(p.rt, from.rt[i])
	if from.choice != nil {
		p.choice = append(p.choice, from.choice[i])
	}
	if from.rows != nil {
		p.rows = append(p.rows, from.rows[i])
	}
}

// recorded are the simulated trials whose responses would be recorded. They have the deadlines of the rows for which they stand, else
// those of the subject's trials in turn.
func recorded(s *fit.Subject, p predicted) (out predicted) {
	for i, t := range p.rt {
		row, choice := i%s.Trials(), 0.0
		if p.rows != nil {
			row = p.rows[i]
		}
		if p.choice != nil {
			choice = p.choice[i]
		}
		if s.Answers(row, t, choice) {
			out.add(p, i)
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
