// Package fit draws from the posterior of a model's parameters, for one or many subjects, or finds its mode.
//
//	model, Wishes ─NewSpec─▶ Spec
//	Spec, binder, subjects, Settings ─Run─▶ a Result for each subject: draws, their Summary, and the findings of their diagnosis
//
// A [Spec] states what is fitted, Settings how. With formulas, parameters depend on columns of the data and vary by group. Then a
// subject holds the trials of a whole study. The caller prepares the binder once, and it binds every subject. The same seed gives
// a subject the same draws, whether it is fitted alone or with other subjects, on any number of threads.
package fit

import (
	"context"
	"fmt"
	"slices"

	"likc/runtime/fit/formula"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/fit/nuts"
	"likc/runtime/model/catalog"
	"likc/runtime/model/trials"
)

// Subject holds the trials of one participant, or all trials of a file.
type Subject struct {
	Label   string      // "" for all trials of a file; it identifies the random streams
	Folder  string      // name of this subject's folder among several; "" for a single subject
	Columns [][]float64 // a slice for each trial column, in the model's order
	Choice  []float64   // +1, -1, another code, or [trials.Omitted]; nil for a model without choice if no trial is an omission
	Person  []int32     // for each trial, the participant who carries the states of a model; nil for one participant

	// Deadlines holds the latest time of a response for each trial, in seconds; nil for none. Go is set for a go/no-go task: it
	// is the only choice that has a response. It is 0 if all choices have one.
	Deadlines []float64
	Go        float64

	// Rows holds the trials' row numbers in their file, from 1, and Labels the responses as the file writes them, "" for none. Both are
	// nil for trials from no file; Labels is also nil for a model without choice.
	Rows   []int
	Labels *trials.Labels

	Supplied []trials.Supplied // columns of the data from which outcomes of simulated choices are computed

	Conditions []string // the condition of each trial, for figures; nil for none

	Table formula.Table // columns that formulas name, with a row for each trial; empty without formulas
}

// data returns the trials in the form that a study needs.
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

// nameTrial names a trial in an error: by its number within the subject, and by its row in the file if that differs.
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

// Times returns the response times of the trials, in seconds. For a model without response times they are all 1.
func (s *Subject) Times(m *catalog.Model) []float64 {
	if j := m.TimeColumn(); j >= 0 {
		return s.Columns[j]
	}
	return slices.Repeat([]float64{1}, s.Trials())
}

// Answers reports whether a simulated response would be recorded on a trial. It must come by the deadline, and its choice must be
// one that has a response.
func (s *Subject) Answers(trial int, rt, choice float64) bool {
	return choice != trials.Omitted && !(s.Deadlines != nil && rt > s.Deadlines[trial]) && !(s.Go != 0 && choice == -s.Go)
}

// Omit turns simulated trials without a recorded response into omissions: their response times become the deadlines. For a model
// without choice, it makes a Choice with 0 for each response. It returns the number of omissions.
func (s *Subject) Omit(m *catalog.Model) (omitted int) {
	if s.Choice == nil {
		s.Choice = make([]float64, s.Trials())
	}
	rt := s.Times(m)
	for i := range rt {
		if !s.Answers(i, rt[i], s.Choice[i]) {
			rt[i], s.Choice[i] = s.Deadlines[i], trials.Omitted
			omitted++
		}
	}
	return omitted
}

// Name adds the subject's label to an error.
func (s *Subject) Name(err error) error {
	if s.Label == "" || err == nil {
		return err
	}
	return fmt.Errorf("subject %s: %w", s.Label, err)
}

// Settings determine how subjects are fitted. Start from [nuts.DefaultSettings] for the sampler.
type Settings struct {
	Sampler   nuts.Settings // Run sets Threads, Stream and Progress
	Mode      bool          // whether to find the posterior mode instead of drawing
	PriorOnly bool          // whether to draw from the priors instead of the posterior
	LOO       bool          // whether to compute PSIS-LOO and WAIC, if the model is a density
	Limit     int           // the most gradients of all chains of a study; 0: no limit. A fit that needs more fails with [hierarchy.ErrLimit]
	Threads   int           // number of subjects, or of chains of a single subject, at the same time; 0: one for each processor

	Record *Record                      // how the fit was made, for the summaries: see [Spec.Record]; nil for none
	Keep   func(s *Subject) nuts.Keeper // returns where the states of a subject's chains are stored; nil if they are not

	// Save, if it is not nil, is called with each result that has draws or a mode, on the goroutine that fitted it. It may use
	// `threads` threads and may drop the draws. Its error becomes the result's Unsaved, and ends the run.
	Save func(ctx context.Context, r *Result, threads int) error

	Chain    func(nuts.Progress)   // reports the progress of a single subject's chain; nil for none
	Finished func(done, total int) // reports the number of finished subjects if there are several; nil for none
}

// Check returns an error for a subject that cannot be fitted: its data exclude all of a parameter's range or prior, or do not fit a
// formula. It also returns the study of the first subject, which is not bound.
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
