package study

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"likc/runtime/model/catalog"
	"likc/runtime/sys/store"
	"likc/runtime/sys/units"
)

// Where determines on which machines and threads the units of a check run, and where results are stored. Results do not depend on
// it.
type Where struct {
	Folder   string                                     `flag:"output,o" value:"DIR" help:"DIR for MODEL.json, MODEL.svg and MODEL.jsonl, from which an interrupted run continues"`
	Threads  int                                        `flag:"threads" in:"[0,4096]" help:"units of work at a time; 0: one a processor. Results do not depend on it"`
	Progress func(model, units string, done, total int) // called when a unit is done; nil for none. units is a word for them, such as subjects or simulations

	Part      units.Part      // the units that this machine runs and stores; then the check has no result. The zero value means all units
	Elsewhere units.Elsewhere // runs the units that are not stored yet on other machines, and returns the folders of all parts; nil if this machine runs them
}

// Check is the storage of a study. MODEL.jsonl has the finished units, from which an interrupted run continues. MODEL.json is the
// result, and MODEL.svg its figure.
type Check struct {
	Where
	name, units string // the base name of the files, and a word for the units in messages
	header      any
	path        string // the file of the units; "" for none
}

// header is the first line of MODEL.jsonl: everything on which units depend.
type header struct {
	Check string `json:"check"`
	source
	Models   []source `json:"models,omitempty"` // for a check of several models
	Bank     any      `json:"bank,omitempty"`
	Settings any      `json:"settings"`
}

// source identifies a model.
type source struct {
	Model  string `json:"model"`
	SHA256 string `json:"sha256,omitempty"` // SHA-256 of the model's text, or of a teacher's weights
}

func sourceOf(m *catalog.Model) source { return source{m.Name, m.Origin.SHA256()} }

// NewCheck returns a check with the given name for a model and a bank; bank may be nil. settings is everything else on which its
// units depend; it is written as JSON. units is a word for the units in messages, such as "subjects".
func NewCheck(w Where, name, units string, m *catalog.Model, bank, settings any) *Check {
	return newCheck(w, units, header{Check: name, source: sourceOf(m), Bank: bank, Settings: settings})
}

// NewCheckOfSeveral returns a check of several models together. The names of its files are the check's name.
func NewCheckOfSeveral(w Where, name, units string, models []*catalog.Model, settings any) *Check {
	h := header{Check: name, source: source{Model: name}, Settings: settings}
	for _, m := range models {
		h.Models = append(h.Models, sourceOf(m))
	}
	return newCheck(w, units, h)
}

func newCheck(w Where, units string, h header) *Check {
	c := &Check{Where: w, name: h.Model, units: units, header: h}
	if w.Folder != "" {
		c.path = c.file(".jsonl")
	}
	if w.Elsewhere != nil {
		c.Elsewhere = w.InFolders(h.Model + ".jsonl")
	}
	return c
}

// NewFile returns a check that is stored in one file, "" for none. The file's first line is the header. Where.Elsewhere must
// return the files of all parts.
func NewFile(w Where, path string, header any) *Check {
	return &Check{Where: w, path: path, header: header}
}

// InMemory returns a check that stores nothing.
func InMemory(threads int) *Check { return &Check{Where: Where{Threads: threads}} }

// file returns the path of one of the check's files.
func (c *Check) file(ending string) string { return filepath.Join(c.Folder, c.name+ending) }

// ErrPart means that this run finished only its part of the units, so there is no result.
var ErrPart = errors.New("a part of the units is done")

// Units runs the units from 0 to n-1 that the check's file does not have yet, and returns all of them. For a part, it runs only the
// part's units and returns ErrPart.
func Units[T any](ctx context.Context, c *Check, n int, work func(ctx context.Context, unit int) (T, error)) (all []T, err error) {
	job := units.Job{Path: c.path, Header: c.header, N: n, Part: c.Part, Elsewhere: c.Elsewhere, Settings: units.Settings{Threads: c.Threads}}
	if c.Progress != nil {
		job.Progress = func(done, total int) { c.Progress(c.name, c.units, done, total) }
	}
	all, err = units.Do(ctx, job, work)
	from, to := c.Part.Share(n)
	switch {
	case err == nil && c.Part != (units.Part{}):
		return all, ErrPart
	case err != nil && ctx.Err() != nil && c.units != "" && c.Elsewhere == nil: // work done elsewhere reports its own progress
		return all, Interrupted(c.name, c.units, len(all), to-from, c.path)
	}
	return all, err
}

// InFolders returns a function that gives the paths of a file in the folders of all parts.
func (w *Where) InFolders(file string) units.Elsewhere {
	return func() (files []string, err error) {
		folders, err := w.Elsewhere()
		for _, dir := range folders {
			files = append(files, filepath.Join(dir, file))
		}
		return files, err
	}
}

// Interrupted returns the error of an interrupted run. It says how many units are stored in a file, "" for none, and how to
// continue.
func Interrupted(model, units string, done, total int, file string) error {
	if file == "" {
		return fmt.Errorf("interrupted: %s: %d of %d %s were done, and nothing is kept without -o DIR", model, done, total, units)
	}
	return fmt.Errorf("interrupted: %s: %d of %d %s are kept in %s; run the same command again to go on", model, done, total, units, file)
}

// Drawing is a figure. Studies know no more of it, so that a program that draws nothing is linked without fonts.
type Drawing interface{ WriteSVG(w io.Writer) error }

// Conclude summarises the rows of a run, and writes the summary and its figure. If the run ended with err, it returns that.
func Conclude[T, S any](c *Check, rows []T, err error, summarise func([]T) (S, error), draw func(*S) (Drawing, error)) (out S, _ error) {
	if err != nil {
		return out, err
	}
	if out, err = summarise(rows); err != nil {
		return out, err
	}
	return out, c.Write(out, func() (Drawing, error) { return draw(&out) })
}

// Write writes the result and its figure, if there is a folder.
func (c *Check) Write(result any, draw func() (Drawing, error)) error {
	if c.Folder == "" {
		return nil
	}
	fig, err := draw()
	if err != nil {
		return err
	}
	if err := store.WriteFile(c.file(".svg"), fig.WriteSVG); err != nil {
		return err
	}
	return store.WriteFile(c.file(".json"), func(w io.Writer) error { return json.NewEncoder(w).Encode(result) })
}

// CountParts returns the number of parts into which the units of several models are divided among machines: about perPart units in
// each part, and no part without a unit.
func CountParts(models, units, perPart int) int {
	return max(1, min(units, (models*units+perPart-1)/perPart))
}
