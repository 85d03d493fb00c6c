package folder

import (
	"context"
	"slices"
	"sync"

	"likc/runtime/fit"
	"likc/runtime/fit/figure"
	"likc/runtime/model/trials"
)

// predicted are simulated trials, or observed ones.
type predicted struct {
	rt, choice []float64
	rows       []int // row of the data for which each trial stands; nil where parameters and deadlines are the same in all
	omitted    []int // rows of the data, for which trials without a response stand
}

// predict simulates the trials of figures from the posterior of a result; newLevels are participants, or other levels, that it did not have.
func (f *Folder) predict(ctx context.Context, r *fit.Result, newLevels bool) (p predicted, err error) {
	predictor := r.Predictor(f.Simulate, f.Seed)
	predictor.NewLevels = newLevels
	p.rt, p.choice, p.rows, err = predictor.Predict(ctx, r.Draws.Common())
	return recorded(&r.Subject, p), err
}

// predictTrials are the predicted trials of a result, simulated when they are first asked for.
type predictTrials = func() (predicted, error)

// predictOnce simulates the trials of a result once for all that is made of them.
func (f *Folder) predictOnce(ctx context.Context, r *fit.Result) predictTrials {
	return sync.OnceValues(func() (predicted, error) { return f.predict(ctx, r, false) })
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
	all := []fit.Predicted{condition{"", own, p}.compared()}
	for _, c := range f.conditionsOf(r, time, p) {
		all = append(all, c.compared())
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
	if r.Study.Grouped() {
		newcomers := func() (predicted, error) { return f.predict(ctx, r, true) }
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
			var panels []figure.Condition
			for _, c := range f.conditionsOf(r, time, p) {
				panels = append(panels, figure.Condition{Name: c.name, RT: c.own.rt, Choice: c.own.choice, PredictedRT: c.predicted.rt, PredictedChoice: c.predicted.choice})
			}
			return draw(panels)
		}
	}
	return append(all, page{"conditions", of(figure.Conditions)}, page{"quantiles", of(figure.QuantileProbability)})
}

// condition is observed trials of one condition, or of all where it has no name, beside predicted ones.
type condition struct {
	name           string
	own, predicted predicted
}

// compared are the trials of a condition as the check of predictions takes them.
func (c condition) compared() fit.Predicted {
	return fit.Predicted{Condition: c.name, RT: c.own.rt, Choice: c.own.choice, PredictedRT: c.predicted.rt, PredictedChoice: c.predicted.choice,
		Omitted: len(c.own.omitted), PredictedOmitted: len(c.predicted.omitted)}
}

// conditionsOf parts the trials by their conditions, in the order of the names. Trials without conditions have none.
func (f *Folder) conditionsOf(r *fit.Result, time []float64, p predicted) []condition {
	names := slices.Clone(r.Conditions)
	slices.Sort(names)
	var all []condition
	for _, name := range slices.Compact(names) {
		own := f.observed(r, time, func(i int) bool { return r.Conditions[i] == name })
		in := p.in(func(i int) bool { return r.Conditions[i] == name })
		all = append(all, condition{name, own, in})
	}
	return all
}

// observed are the trials that the caller wants.
func (f *Folder) observed(r *fit.Result, time []float64, want func(trial int) bool) (o predicted) {
	for i, t := range time {
		if !want(i) {
			continue
		}
		if r.Choice != nil && r.Choice[i] == trials.Omitted {
			o.omitted = append(o.omitted, i)
			continue
		}
		o.rt = append(o.rt, t)
		if f.Spec.Model.Choice != "" {
			o.choice = append(o.choice, r.Choice[i])
		}
	}
	return o
}

// in are the trials that stand for rows that the caller wants: all, where parameters and deadlines are the same in all rows.
func (p predicted) in(want func(row int) bool) (in predicted) {
	if p.rows == nil {
		return p
	}
	for i, row := range p.rows {
		if want(row) {
			in.add(p, i)
		}
	}
	for _, row := range p.omitted {
		if want(row) {
			in.omitted = append(in.omitted, row)
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

// recorded parts simulated trials into those whose responses would be recorded and those without a response. They have the deadlines of
// the rows for which they stand.
func recorded(s *fit.Subject, p predicted) (out predicted) {
	if p.rows == nil && deadlinesDiffer(s) {
		p.rows = make([]int, len(p.rt))
		fit.SpreadRows(p.rows, 0, s.Trials())
	}
	if p.rows != nil {
		out.rows = []int{}
	}
	for i, t := range p.rt {
		row, choice := 0, 0.0
		if p.rows != nil {
			row = p.rows[i]
		}
		if p.choice != nil {
			choice = p.choice[i]
		}
		if s.Answers(row, t, choice) {
			out.add(p, i)
		} else {
			out.omitted = append(out.omitted, row)
		}
	}
	return out
}

// deadlinesDiffer reports whether the trials of a subject have several deadlines.
func deadlinesDiffer(s *fit.Subject) bool {
	return slices.ContainsFunc(s.Deadlines, func(d float64) bool { return d != s.Deadlines[0] })
}

// predictiveName says from which draws trials are predicted.
func predictiveName(r *fit.Result) string {
	if r.Summary.PriorOnly {
		return "prior predictive"
	}
	return "posterior predictive"
}
