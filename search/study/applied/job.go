package applied

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"likc/runtime/fit/hierarchy"
	"likc/runtime/fit/nuts"
	"likc/runtime/model/bound"
	"likc/runtime/sys/store"
	"likc/runtime/sys/units"
	"likc/search/study"
)

// Job is the study with all its candidates.
type Job struct {
	Settings   Settings
	Data       hierarchy.Data
	Sum        string // SHA-256 of the data file
	Candidates []Candidate
	Threads    int                // chains of one fit that run at the same time; 0: one for each processor. Results do not depend on it
	Progress   func(done, of int) // nil: progress is not reported

	Output string     // the file of the fits; "" for none
	Part   units.Part // the part of the candidates that this machine fits; the zero value is all
	// Elsewhere runs the fits that are not in the file yet on other machines, and returns the files of all parts. It is nil if
	// this machine runs them.
	Elsewhere units.Elsewhere
}

// Header is the first line of the file: everything on which the fits depend.
type Header struct {
	Applied    int      `json:"applied"` // version of the format
	Settings   Settings `json:"settings"`
	Sampler    string   `json:"sampler"` // hash of the sampler's other settings
	Data       string   `json:"data"`    // SHA-256 of the data's file
	Trials     int      `json:"trials"`
	Candidates string   `json:"candidates"` // hash of the candidates
}

const formatVersion = 1

// sampler returns the settings of the sampler.
func (s *Settings) sampler() nuts.Settings {
	n := s.Sampler
	n.NumChains, n.NumWarmup, n.NumSamples, n.Seed = s.Chains, s.Warmup, s.Draws, s.Seed
	return n
}

// Header returns the first line of the job's file.
func (j *Job) Header() Header {
	n := j.Settings.sampler()
	h := Header{Applied: formatVersion, Settings: j.Settings, Data: j.Sum, Trials: j.Data.Table.Rows}
	h.Sampler = store.SumJSON([]any{n.Delta, n.MaxDepth, n.Metric, n.StepSize, n.InitBuffer, n.TermBuffer, n.Window})[:12]
	var all [][]string
	for i := range j.Candidates {
		f := newFit(&j.Candidates[i])
		all = append(all, []string{f.Model, string(f.Kind), f.Expr, j.Candidates[i].Model.Origin.Sum})
	}
	h.Candidates = store.SumJSON(all)
	return h
}

// Check returns an error for formulas that do not fit the data.
func (j *Job) Check() error {
	m := j.Candidates[0].Model
	spec, err := j.Settings.Spec(m)
	if err != nil {
		return err
	}
	b, err := bound.Open(m, bound.Ready)
	if err != nil {
		return err
	}
	defer b.Close()
	of := j.trials()
	_, err = spec.Study(b, &of)
	return err
}

// Run does the fits that the file does not have yet, one after the other. It returns all fits in the order of the candidates, or,
// for a part, those of the part. If the context ends, it returns the context's error; finished fits are in the file.
func (j *Job) Run(ctx context.Context) ([]Fit, error) {
	w := study.Where{Threads: 1, Part: j.Part, Elsewhere: j.Elsewhere} // one fit at a time: its chains run in parallel, and its time is measured
	if j.Progress != nil {
		w.Progress = func(_, _ string, done, total int) { j.Progress(done, total) }
	}
	all, err := study.Run(ctx, study.NewFile(w, j.Output, j.Header()), j, j, j.compare)
	if errors.Is(err, study.ErrPart) {
		err = nil
	}
	return all, err
}

// perPart is the number of fits in a part on a cluster: a minute or two of work.
const perPart = 16

// CountParts returns the number of parts into which a job is divided; candidates is the number of its candidates.
func CountParts(candidates int) int { return (candidates + perPart - 1) / perPart }

// Read reads a file of fits. Errors name file and line.
func Read(path string) (h Header, all []Fit, err error) {
	text, err := store.ReadChecked(path)
	if err != nil {
		return h, nil, err
	}
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	if err := json.Unmarshal(first, &h); err != nil || h.Applied != formatVersion {
		return h, nil, fmt.Errorf("%s: does not begin with the settings of fits: want what likc apply writes", path)
	}
	line := 1
	for text := range bytes.Lines(rest) {
		line++
		var f Fit
		if err := json.Unmarshal(text, &f); err != nil {
			return h, nil, fmt.Errorf("%s:%d: not a fit: %w", path, line, err)
		}
		all = append(all, f)
	}
	return h, all, nil
}
