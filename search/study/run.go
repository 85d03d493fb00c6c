// Package study runs simulated studies. A study asks a question about fits whose truth is known:
//
//	Source ─▶ Case: true parameters, trials ─Fitter─▶ Fitted ─compare─▶ a row ─▶ the question's summary
//
// A question, such as recovery or calibration, consists of a source, a fitter, a row and a summary of the rows. [Run] does the rest:
// it fits cases in parallel, stores the rows in a file, resumes after an interruption, and divides cases among machines. [Conclude]
// writes the summary.
package study

import (
	"context"

	"likc/runtime/fit"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/num/chains"
)

// Source makes the cases of a study, numbered from 0 to N()-1. It must be safe for concurrent use.
type Source interface {
	N() int

	// Case makes case i, which depends only on i. If the error is not nil, the case still has the fields that are known, such as
	// its true parameters.
	Case(ctx context.Context, i int) (Case, error)
}

// Case is one simulated subject, or a simulated experiment with many participants, whose true parameters are known.
type Case struct {
	Index int       // index among the cases of its source; Run sets it
	ID    int       // number of the subject; it also identifies the random stream of a fit if Label is ""
	Label string    // identifies the random stream of a fit; if it is "", the ID does
	Names []string  // names of the parameters in Truth
	Truth []float64 // true values

	hierarchy.Data           // trials: columns, choices, and for an experiment the table of conditions
	Weight         []float64 // weight of each trial; nil: all are 1
	Omitted        int       // number of trials without response
}

// Fitter fits a case. It must be safe for concurrent use.
type Fitter interface {
	Fit(ctx context.Context, c *Case) (*Fitted, error)
}

// Fitted is the result of a fit. Which fields are set depends on the fitter.
type Fitted struct {
	Problem   Problem       // the likelihood and parameters that were fitted
	Draws     *chains.Draws // nil if the fit found a mode
	Mode      []float64     // posterior mode; nil if the fit drew
	Gradients int           // number of gradients that the fit computed
	Limited   bool          // whether the limit on gradients cut chains short; Draws then has fewer draws
	Binding   float64       // processor time for making the problem, in seconds
	Sampling  float64       // time for drawing an experiment's chains, in seconds

	Result  *fit.Result // the result of a fit as in likc fit; nil for other fits
	Several []*Fitted   // fits of several models, in their order

	positions *scatter // positions with weights of which Draws are drawn; nil for draws of chains

	Refitted bool // whether weights on another likelihood's draws could not be trusted, so that NUTS drew afresh; see [Reweighed]

	Err error // why the case could not be made or fitted; nil for a fit that succeeded
}

// Run makes each case of the source, fits it, and compares the fit with the truth. It returns the rows in the order of the cases.
// compare is called for failed cases too: Fitted.Err says why they failed. The check stores the rows, and rows of an earlier run
// are not computed again. A run ends early only if the context ends, if the check's file cannot be used, or if the check is for a
// part of the cases. Then Run returns the finished rows with an error.
func Run[T any](ctx context.Context, check *Check, s Source, f Fitter, compare func(*Case, *Fitted) T) ([]T, error) {
	return Units(ctx, check, s.N(), Each(s, f, compare))
}

// Each returns a function that makes, fits and compares one case. It is for a check whose units are of several kinds.
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
