// Package fit draws from the posterior of a model's parameters, for one subject or for each of many, or finds its mode.
//
//	model, Wishes ─NewSpec─▶ Spec
//	Spec, binder, subjects, Settings ─Run─▶ a Result each: draws, their Summary, what their diagnosis finds
//
// A [Spec] says what is fitted, Settings say how. Parameters may have formulas, by which they depend on columns of the data and vary by group:
// then a subject is the trials of a whole study. The caller prepares the binder once, and it binds every subject. The same seed gives
// a subject the same draws, alone or among others, on any number of threads.
package fit

import (
	"context"
	"fmt"

	"likc/runtime/fit/formula"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/fit/nuts"
	"likc/runtime/model/trials"
)

// Subject is the trials of one participant, or all trials of a file that tells of none.
type Subject struct {
	Label   string      // "" for all trials of a file; each label has random numbers of its own
	Folder  string      // the name of this subject's folder among those of many; "" for a subject alone
	Columns [][]float64 // a slice for each trial column, in the model's order
	Choice  []float64   // +1, -1 or [trials.Omitted]; nil for a model without choice, unless some are omissions
	Person  []int32     // who carries the states of a model, by trial; nil for one person

	// Deadlines are by when a response must have come, by trial, in seconds; nil for none. Go is the only choice that is to respond; 0
	// for every one.
	Deadlines []float64
	Go        float64

	// Rows are the trials' rows in their file, from 1, and Labels their responses as it writes them, "" for none. Both are nil for trials
	// from no file, Labels also for a model without choice.
	Rows   []int
	Labels []string

	Conditions []string // the condition of each trial, for figures; nil for none

	Table formula.Table // the columns that formulas name, a row a trial; empty where there are no formulas
}

// data are the trials as a study takes them.
func (s *Subject) data() hierarchy.Data {
	d := hierarchy.Data{Columns: s.Columns, Choice: s.Choice, Person: s.Person, Table: s.Table}
	d.Table.Rows = s.Trials()
	return d
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

// Omit makes omissions of the simulated trials that would have no recorded response: their response times become the deadlines. A model
// without choice gets choices, 0 for a response. It returns the number of omissions.
func (s *Subject) Omit() (omitted int) {
	if s.Choice == nil {
		s.Choice = make([]float64, s.Trials())
	}
	rt := s.Columns[0]
	for i := range rt {
		if !s.Answers(i, rt[i], s.Choice[i]) {
			rt[i], s.Choice[i] = s.Deadlines[i], trials.Omitted
			omitted++
		}
	}
	return omitted
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
	Sampler   nuts.Settings // Run itself sets Threads, Stream and Progress
	Mode      bool          // find the posterior mode instead of drawing
	PriorOnly bool          // draw from the priors in place of the posterior
	LOO       bool          // compute PSIS-LOO and WAIC of the draws, where the model is a density
	Limit     int           // most gradients of a study's chains together; 0: no limit. A fit that needs more fails with [hierarchy.ErrLimit]
	Threads   int           // subjects at a time, or chains at a time of one subject alone; 0: one a processor

	Record *Record                      // how the fit comes about, for the summaries: see [Spec.Record]; nil for none
	Keep   func(s *Subject) nuts.Keeper // keeps the states of a subject's chains; nil for none

	// Save, if it is not nil, takes each result that is kept, on the goroutine that fitted it, and may use so many threads. It
	// may let go of the draws. Its error is the result's Unsaved, and ends the run.
	Save func(ctx context.Context, r *Result, threads int) error

	Chain    func(nuts.Progress)   // tells how a chain of one subject alone goes on; nil for none
	Finished func(done, total int) // tells how many of several subjects are done; nil for none
}

// Check says which subject cannot be fitted: one whose data leave nothing of a parameter's range or prior, or do not suit a formula. It returns
// the study of the first one, which is not bound.
func Check(spec *Spec, subjects []Subject) (first *hierarchy.Study, err error) {
	for i := range subjects {
		study, err := spec.Unbound(&subjects[i])
		if err != nil {
			if len(subjects) > 1 {
				err = subjects[i].Name(err)
			}
			return nil, err
		}
		if i == 0 {
			first = study
		}
	}
	return first, nil
}
