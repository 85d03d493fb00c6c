package folder

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"likc/runtime/fit"
	"likc/runtime/fit/figure"
	"likc/runtime/model/trials"
)

// trialSet holds observed or simulated trials.
type trialSet struct {
	rt, choice []float64
	rows       []int // for each trial, the row of the data that it represents; nil if parameters and deadlines are the same in all rows
	omitted    []int // rows of the data represented by trials without a response
}

// predict simulates trials for figures from the posterior of a result. With newLevels, participants and other levels are replaced
// by new ones.
func (f *Folder) predict(ctx context.Context, r *fit.Result, newLevels bool) (p trialSet, err error) {
	predictor := r.Predictor(f.Simulator, f.Seed)
	predictor.NewLevels = newLevels
	p.rt, p.choice, p.rows, err = predictor.Predict(ctx, r.Draws.Common())
	return recorded(&r.Subject, p), err
}

// predictTrials returns the predicted trials of a result, which are simulated at the first call.
type predictTrials = func() (trialSet, error)

// predictOnce returns a predictTrials function that simulates the trials of a result only once.
func (f *Folder) predictOnce(ctx context.Context, r *fit.Result) predictTrials {
	return sync.OnceValues(func() (trialSet, error) { return f.predict(ctx, r, false) })
}

// wantsFigures reports whether figures of a result are drawn.
func (f *Folder) wantsFigures(r *fit.Result) bool {
	return r.Draws != nil && !f.NoFigures && !r.Interrupted()
}

// checkPredictions stores in the summary how well predicted trials agree with the observed ones. It does so only if figures show
// both. If the simulation fails, the error is reported with the figure.
func (f *Folder) checkPredictions(ctx context.Context, r *fit.Result, predict predictTrials) {
	if !f.wantsFigures(r) || f.Simulator == nil || r.Summary.PriorOnly {
		return
	}
	p, err := predict()
	if err != nil {
		return
	}
	time := r.Times(f.Spec.Model)
	every := func(int) bool { return true }
	all, sets := []fit.Predicted{condition{"", f.observed(r, time, every), p}.compared()}, [][]int{rowsWhere(r, every)}
	for _, c := range f.conditionsOf(r, time, p) {
		all = append(all, c.compared())
		sets = append(sets, rowsWhere(r, func(i int) bool { return r.Conditions[i] == c.name }))
	}
	smooth, err := r.CheckShapes(ctx, f.Simulator, f.Seed, sets)
	if err != nil && ctx.Err() == nil {
		r.Summary.Warnings = append(r.Summary.Warnings, "the smooth test of predictions was not made: "+err.Error())
	}
	if smooth != nil {
		for i := range all {
			all[i].Smooth = smooth[i]
		}
	}
	r.Summary.PredictiveCheck = fit.CheckPredictions(all)
	c := r.Summary.PredictiveCheck
	if c == nil {
		return
	}
	f.nameChoices(r, c)
	if c.Misfit {
		r.Summary.Warnings = append(r.Summary.Warnings, "the model does not predict the data: "+c.String())
	}
}

// rowsWhere returns the rows of a result's data for which want is true.
func rowsWhere(r *fit.Result, want func(row int) bool) (rows []int) {
	for i := range r.Trials() {
		if want(i) {
			rows = append(rows, i)
		}
	}
	return rows
}

// nameChoices adds the data's own names of choices to a check.
func (f *Folder) nameChoices(r *fit.Result, c *fit.PredictiveCheck) {
	name := func(choice json.Number) string {
		code, err := choice.Float64()
		if err != nil {
			return "" // a model without choice, or trials without a response
		}
		return f.nameOf(r)(code)
	}
	if c.Worst != nil {
		c.Worst.Response = name(c.Worst.Choice)
	}
	if c.Smooth != nil && c.Smooth.Farthest != nil {
		c.Smooth.Farthest.Response = name(c.Smooth.Farthest.Choice)
	}
}

// nameOf returns the function that names a choice as the data do.
func (f *Folder) nameOf(r *fit.Result) figure.Naming {
	return func(choice float64) string { return r.NameOf(f.Spec.Model.Choice, choice) }
}

// predictions returns the figures that compare observed and predicted trials: for all trials, and by condition if there are
// conditions.
func (f *Folder) predictions(ctx context.Context, r *fit.Result, predict predictTrials) []plannedFigure {
	all := f.courses(ctx, r)
	if f.Spec.Model.TimeColumn() < 0 {
		return all
	}
	time := r.Times(f.Spec.Model)
	own := f.observed(r, time, func(int) bool { return true })
	times := func(name string, band bool, predict func() (trialSet, error)) func() (*figure.Figure, error) {
		return func() (*figure.Figure, error) {
			p, err := predict()
			if err != nil {
				return nil, err
			}
			return figure.SignedTimes(condition{name, own, p}.drawn(band), f.nameOf(r))
		}
	}
	band := !r.Summary.PriorOnly // parameters that the data leave open differ by more than chance
	all = append(all, plannedFigure{"predictive", times(predictiveName(r), band, predict)})
	if r.Study.Grouped() {
		newcomers := func() (trialSet, error) { return f.predict(ctx, r, true) }
		all = append(all, plannedFigure{"newcomers", times(predictiveName(r)+" of new participants", false, newcomers)})
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
				panels = append(panels, c.drawn(band))
			}
			return draw(panels)
		}
	}
	conditions := func(panels []figure.Condition) (*figure.Figure, error) { return figure.Conditions(panels, f.nameOf(r)) }
	return append(all, plannedFigure{"conditions", of(conditions)}, plannedFigure{"quantiles", of(figure.QuantileProbability)})
}

// condition holds the observed and predicted trials of one condition, or of all trials if it has no name.
type condition struct {
	name                string
	observed, predicted trialSet
}

// drawn returns the trials of a condition for figures, with a band or without one.
func (c condition) drawn(band bool) figure.Condition {
	return figure.Condition{Name: c.name, RT: c.observed.rt, Choice: c.observed.choice, PredictedRT: c.predicted.rt, PredictedChoice: c.predicted.choice, Band: band}
}

// compared returns the trials of a condition for [fit.CheckPredictions].
func (c condition) compared() fit.Predicted {
	return fit.Predicted{Condition: c.name, RT: c.observed.rt, Choice: c.observed.choice, PredictedRT: c.predicted.rt, PredictedChoice: c.predicted.choice,
		Omitted: len(c.observed.omitted), PredictedOmitted: len(c.predicted.omitted)}
}

// conditionsOf divides the trials by condition, in the order of the names. It returns nil for trials without conditions.
func (f *Folder) conditionsOf(r *fit.Result, time []float64, p trialSet) []condition {
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

// observed returns the observed trials for which want is true.
func (f *Folder) observed(r *fit.Result, time []float64, want func(trial int) bool) (o trialSet) {
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

// in returns the trials that belong to rows for which want is true. It returns all trials if parameters and deadlines are the
// same in all rows.
func (p trialSet) in(want func(row int) bool) (in trialSet) {
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

// add appends trial i of another set.
func (p *trialSet) add(from trialSet, i int) {
	p.rt = append(p.rt, from.rt[i])
	if from.choice != nil {
		p.choice = append(p.choice, from.choice[i])
	}
	if from.rows != nil {
		p.rows = append(p.rows, from.rows[i])
	}
}

// recorded separates simulated trials with a recorded response from those without one, by the deadlines of their rows.
func recorded(s *fit.Subject, p trialSet) (out trialSet) {
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

// predictiveName says whether trials are predicted from the prior or the posterior, for legends.
func predictiveName(r *fit.Result) string {
	if r.Summary.PriorOnly {
		return "prior predictive"
	}
	return "posterior predictive"
}
