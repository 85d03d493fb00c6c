// Package study runs simulated studies. A study asks a question of fits whose truth is known:
//
//	Source ─▶ Case: true parameters, trials ─Fitter─▶ Fitted ─compare─▶ a row ─▶ the question's summary
//
// A question, such as recovery or calibration, consists of a source, a fitter, a row and a summary of the rows. [Run] does the rest: it fits
// cases in parallel, keeps the rows in a file, resumes after an interruption, and divides cases among machines. [Conclude] writes the summary.
package study

import (
	"context"

	"likc/runtime/fit"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/num/chains"
)

// Source makes the cases of a study, numbered from 0 to N()-1. It is safe for concurrent use.
type Source interface {
	N() int

	// Case makes a case, which depends on i alone. If the error is not nil, the case still says what is known, such as its truth.
	Case(ctx context.Context, i int) (Case, error)
}

// Case is one simulated subject, or a simulated experiment with many participants, whose true parameters are known.
type Case struct {
	Index int       // number among the cases of its source, which Run sets
	ID    int       // numbers the subject; numbers the random stream of a fit without Label
	Label string    // names the random stream of a fit; "" where ID does
	Names []string  // names of the parameters in Truth
	Truth []float64 // true values

	hierarchy.Data           // trials: columns, choices, and the table of conditions of an experiment
	Weight         []float64 // weight of each trial; nil: each counts once
	Omitted        int       // number of trials without response
}

// Fitter fits a case. It is safe for concurrent use.
type Fitter interface {
	Fit(ctx context.Context, c *Case) (*Fitted, error)
}

// Fitted is what a fit found. Which fields it sets depends on the fitter.
type Fitted struct {
	Problem   Problem       // the likelihood and parameters that were fitted
	Draws     *chains.Draws // nil for a mode
	Mode      []float64     // posterior mode; nil for draws
	Gradients int           // gradients that the fit computed
	Limited   bool          // whether the limit on gradients cut chains short; Draws has what they made
	Binding   float64       // seconds of the thread in which the problem was made
	Sampling  float64       // seconds of an experiment's chains

	Result  *fit.Result // the result of a fit as likc fit makes it; nil for other fits
	Several []*Fitted   // fits of several models, in their order

	Err error // why the case could not be made or fitted; nil for a fit that succeeded
}

// Run makes each case of the source, fits it, and compares the fit with the truth. It returns the rows in the order of the cases. compare is
// called for failed cases too: Fitted.Err says why they failed. The check says which rows are kept already, and where. After an error Run
// returns the rows that are done; only the context, the check's file and its part end a run early.
func Run[T any](ctx context.Context, check *Check, s Source, f Fitter, compare func(*Case, *Fitted) T) ([]T, error) {
	return Units(ctx, check, s.N(), Each(s, f, compare))
}

// Each returns the work of one case, for a check with units of several kinds.
func Each[T any](s Source, f Fitter, compare func(*Case, *Fitted) T) func(ctx context.Context, i int) (T, error) {
	return func(ctx context.Context, i int) (row T, err error) {
		c, err := s.Case(ctx, i)
		c.Index = i
		var fitted *Fitted
		if err == nil {
			fitted, err = f.Fit(ctx, &c)
		}
		if ctx.Err() != nil {
			return row, ctx.Err()
		}
		if fitted == nil {
			fitted = &Fitted{}
		}
		fitted.Err = err
		return compare(&c, fitted), nil
	}
}
