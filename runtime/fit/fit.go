// Package fit draws from the posterior of a model's parameters, for one subject or for each of many, or finds its mode.
//
//	model, Wishes ─NewSpec─▶ Spec
//	Spec, binder, subjects, Settings ─Run─▶ a Result each: draws, their Summary, what their diagnosis finds
//
// A [Spec] says what is fitted, Settings say how. The caller prepares the binder once, and it binds every subject. The same seed gives
// a subject the same draws, alone or among others, on any number of threads.
package fit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"likc/runtime/fit/loo"
	"likc/runtime/fit/nuts"
	"likc/runtime/model/bound"
	"likc/runtime/model/lapse"
	"likc/runtime/num/chains"
	"likc/runtime/sys/workers"
)

// Subject is the trials of one participant, or all trials of a file that tells of none.
type Subject struct {
	Label   string      // "" for all trials of a file; each label has random numbers of its own
	Folder  string      // the name of this subject's folder among those of many; "" for a subject alone
	Columns [][]float64 // a slice for each trial column, in the model's order
	Choice  []float64   // +1, -1 or [trials.Omitted]; nil for a model without choice, unless some are omissions

	// Deadlines are by when a response must have come, by trial, in seconds; nil for none. Go is the only choice that is to respond; 0
	// for every one.
	Deadlines []float64
	Go        float64

	// Rows are the trials' rows in their file, from 1, and Labels their responses as it writes them, "" for none. Both are nil for trials
	// from no file, Labels also for a model without choice.
	Rows   []int
	Labels []string

	Conditions []string // the condition of each trial, for figures; nil for none
}

// Row returns the row of a trial, counted from 0, in its file; trials from no file are counted from 1.
func (s *Subject) Row(trial int) int {
	if s.Rows == nil {
		return trial + 1
	}
	return s.Rows[trial]
}

// nameTrial names a trial in an error: by its number among those of the subject, and by its row in the file, where that is another.
func (s *Subject) nameTrial(trial int) string {
	if row := s.Row(trial); row != trial+1 {
		return fmt.Sprintf("trial %d (row %d of the file)", trial+1, row)
	}
	return fmt.Sprintf("trial %d", trial+1)
}

// Trials returns the number of trials.
func (s *Subject) Trials() int {
	if len(s.Columns) > 0 {
		return len(s.Columns[0])
	}
	return len(s.Choice)
}

// Answers reports whether a simulated response would be recorded on a trial: it comes by the deadline, and is not of the choice that is
// not to respond.
func (s *Subject) Answers(trial int, rt, choice float64) bool {
	return !(s.Deadlines != nil && rt > s.Deadlines[trial]) && !(s.Go != 0 && choice == -s.Go)
}

// Name names the subject in an error.
func (s *Subject) Name(err error) error {
	if s.Label == "" || err == nil {
		return err
	}
	return fmt.Errorf("subject %s: %w", s.Label, err)
}

// Settings say how subjects are fitted. Start from [nuts.DefaultSettings] for the sampler.
type Settings struct {
	Lapse     *lapse.Mixture // the model of the Spec, where it is one with lapses; nil else
	Sampler   nuts.Settings  // Run itself sets Threads, Stream and Progress
	Mode      bool           // find the posterior mode instead of drawing
	PriorOnly bool           // draw from the priors in place of the posterior
	LOO       bool           // compute PSIS-LOO and WAIC of the draws, where the model is a density
	Limit     int            // of the gradients of a study's chains together; 0: none. A fit that needs more fails with [hierarchy.ErrLimit]
	Threads   int            // subjects at a time, or chains at a time of one subject alone; 0: one a processor

	Record *Record                      // of how the fit comes about, for the summaries: see [Spec.Record]; nil for none
	Keep   func(s *Subject) nuts.Keeper // keeps the states of a subject's chains; nil for none

	// Save, if it is not nil, takes each result that is kept, on the goroutine that fitted it, and may use so many threads. It
	// may let go of the draws. Its error is the result's Unsaved, and ends the run.
	Save func(ctx context.Context, r *Result, threads int) error

	Chain    func(nuts.Progress)   // tells how a chain of one subject alone goes on; nil for none
	Finished func(done, total int) // tells how many of several subjects are done; nil for none
}

// Result is what came of one subject.
type Result struct {
	Subject
	Lapses   []float64        // by trial, the probability that it is a lapse; nil without lapses, or if Save let go of them
	Draws    *chains.Draws    // of the parameters; nil if there are none, or if Save let go of them
	Summary  *Summary         // nil if there are no draws
	Findings chains.Diagnosis // what is wrong with the draws, and what is not
	LOO      *loo.Result      // by trial; nil where Summary has none, or if Save let go of it
	Mode     *Mode            // nil unless Settings.Mode

	Hierarchy *Hierarchy // nil unless it is of a study

	Err     error // why all of it or a part is missing
	Unsaved error // of Save
	Figures error // why figures are missing that Save was to draw

	whole *Record // of the fit of all subjects
}

// Kept reports whether there is something to show.
func (r *Result) Kept() bool { return r.Summary != nil || r.Mode != nil }

// Whole reports whether nothing is missing.
func (r *Result) Whole() bool { return r.Err == nil && r.Kept() }

// Stopped reports whether the end of the context cut the fit short.
func (r *Result) Stopped() bool { return errors.Is(r.Err, context.Canceled) }

// Seconds returns how long the fit took.
func (r *Result) Seconds() float64 {
	switch {
	case r.Summary != nil:
		return r.Summary.Seconds
	case r.Mode != nil:
		return r.Mode.Seconds
	}
	return 0
}

// Check says which subject cannot be fitted: one whose data leave nothing of a parameter's range or prior.
func Check(spec *Spec, subjects []Subject) error {
	for i := range subjects {
		if _, err := spec.Parameters(subjects[i].Columns, subjects[i].Choice); err != nil {
			return subjects[i].Name(err)
		}
	}
	return nil
}

// Run fits the subjects, several at a time, and returns a result for each, in their order. It never fails as a whole: a
// subject's own result says what failed. When the context ends, subjects under way are dropped, but one subject alone keeps
// what was drawn until then.
func Run(ctx context.Context, spec *Spec, b *bound.Prepared, subjects []Subject, s Settings) []*Result {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	f := &fitter{spec: spec, binder: b, Settings: s, alone: len(subjects) == 1, each: 1}
	if f.alone {
		f.each = cmp.Or(s.Threads, runtime.GOMAXPROCS(0))
	}
	out := make([]*Result, len(subjects))
	var done atomic.Int64
	all := context.WithoutCancel(ctx) // a subject whose turn comes after the end says so itself
	workers.Do(all, len(subjects), s.Threads, func(_, i int) {
		out[i] = f.fit(ctx, subjects[i])
		if out[i].Unsaved != nil {
			stop()
		}
		if s.Finished != nil && !f.alone {
			s.Finished(int(done.Add(1)), len(subjects))
		}
	})
	return out
}
