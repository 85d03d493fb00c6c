package folder

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"likc/runtime/fit"
	"likc/runtime/num/chains"
	"likc/runtime/num/notation"
	"likc/runtime/sys/store"
)

// resultsFile is in the folder of a part of the subjects. It replaces the files that a complete fit has above the subjects' folders.
const resultsFile = "results.gob"

// part is the content of resultsFile: the results of a part of a fit's subjects.
type part struct {
	Fit     string // hash that identifies the fit
	Results []partResult
}

// partResult is a [fit.Result] without the fields that are stored in other files.
type partResult struct {
	Label, Folder string
	Err, Figures  string // error texts; "" for none
	Summary       *fit.Summary
	Mode          *fit.Mode
	Findings      chains.Diagnosis
}

// ErrStopped means that a part of a fit was interrupted.
var ErrStopped = errors.New("interrupted: nothing is written of a part that is not whole")

// PublishPart moves the folder with a part of the subjects to its place. [Folder.Join] makes the complete fit from all parts.
// Results of failed subjects are stored too.
func (f *Folder) PublishPart(all []*fit.Result) (dir string, err error) {
	p := part{Fit: f.fit()}
	for _, r := range all {
		if r.Interrupted() || errors.Is(r.Figures, context.Canceled) {
			return "", ErrStopped
		}
		if r.Unsaved != nil {
			return "", r.Name(r.Unsaved)
		}
		p.Results = append(p.Results, partResult{r.Label, r.Folder, text(r.Err), text(r.Figures), r.Summary, r.Mode, r.Findings})
	}
	if err := f.hidden.WriteFile(resultsFile, func(w io.Writer) error { return gob.NewEncoder(w).Encode(p) }); err != nil {
		return "", err
	}
	if err := f.replace(f.dir, f.target); err != nil {
		return "", err
	}
	return f.dir, os.RemoveAll(f.states.dir)
}

// fit returns a hash that identifies the fit. It does not depend on the processors.
func (f *Folder) fit() string {
	var key map[string]json.RawMessage
	if err := json.Unmarshal(f.Key, &key); err != nil {
		return ""
	}
	delete(key, "cpu")
	return store.SumJSON(key)
}

// text returns the text of an error, "" for none.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Join fills the folder with the subjects of all parts, whose folders PublishPart has moved to their places. It returns the
// results of all subjects in their order, for Publish. record describes how the complete fit was made; the processors are those
// of the parts.
func (f *Folder) Join(parts []string, subjects []fit.Subject, record *fit.Record) (all []*fit.Result, err error) {
	for _, dir := range parts {
		p, err := f.readPart(dir)
		if err != nil {
			return nil, err
		}
		for _, r := range p.Results {
			if len(all) == len(subjects) || subjects[len(all)].Label != r.Label {
				return nil, fmt.Errorf("%s: has subject %s, which is not the next one of the whole", dir, r.Label)
			}
			joined := r.result(subjects[len(all)], record)
			if err := f.copySubject(dir, joined); err != nil {
				return nil, err
			}
			all = append(all, joined)
		}
	}
	if len(all) != len(subjects) {
		return nil, fmt.Errorf("the parts have %s, and the data have %d", notation.Count(len(all), "subject"), len(subjects))
	}
	return all, nil
}

// readPart reads the results in a part's folder.
func (f *Folder) readPart(dir string) (p part, err error) {
	path := filepath.Join(dir, resultsFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return p, fmt.Errorf("%s: %w", path, store.Cause(err))
	}
	if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&p); err != nil {
		return p, fmt.Errorf("%s: %w", path, err)
	}
	if p.Fit != f.fit() {
		return p, fmt.Errorf("%s: is a part of another fit", dir)
	}
	return p, nil
}

// copySubject copies the files of a subject from a part's folder, except the summary. It writes a summary that describes how the
// complete fit was made.
func (f *Folder) copySubject(dir string, r *fit.Result) error {
	if !r.Kept() {
		return nil
	}
	if err := f.hidden.Copy(r.Folder, os.DirFS(filepath.Join(dir, r.Folder))); err != nil {
		return err
	}
	return f.writeJSON(filepath.Join(r.Folder, SummaryFile), r.JSON())
}

// result returns the result as a part of the complete fit.
func (p *partResult) result(of fit.Subject, whole *fit.Record) *fit.Result {
	r := &fit.Result{Subject: of, Summary: p.Summary, Mode: p.Mode, Findings: p.Findings}
	if p.Err != "" {
		r.Err = errors.New(p.Err)
	}
	if p.Figures != "" {
		r.Figures = errors.New(p.Figures)
	}
	if r.Summary != nil && r.Summary.Warnings == nil {
		r.Summary.Warnings = []string{} // gob does not distinguish an empty list from nil
	}
	r.PartOf(whole)
	return r
}
