// Package folder writes the results of package fit to a folder that appears whole or not at all:
//
//	summary.json         the summary, with its format's version
//	chain_K.csv          the draws of chain K, in Stan's form
//	loo.csv              PSIS-LOO and WAIC of each trial, for a model that is a density
//	lapse.csv            the probability of each trial that it is a lapse, for a fit with lapses
//	log_lik.parquet      the log density of each trial at each draw, if the user asked for it
//	predictive.parquet   trials simulated from draws, if the user asked for them
//	newcomers.parquet    the same for a study, but with new levels of its groupings
//	signals.csv          observed and predicted statistics of sessions of the stop-signal task
//	draws.zarr           draws, log densities by trial and data in a store for ArviZ, if the user asked for it
//	rank.svg, …          figures
//
// A folder of many subjects has a summary.json for all, subjects.csv with a row for each, and a subfolder for each.
package folder

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"likc/runtime/fit"
	"likc/runtime/fit/nuts"
	"likc/runtime/sys/store"
)

// SummaryFile exists in every folder of fits, and distinguishes it from other folders.
const SummaryFile = "summary.json"

// subjectsFile has a row for each subject.
const subjectsFile = "subjects.csv"

// Settings determine which files are written, besides draws and summaries.
type Settings struct {
	Spec       *fit.Spec      // specification of the fit
	Simulator  *fit.Simulator // simulates trials for predictions; nil if the model cannot, and for sessions, whose responses are predicted row by row
	Seed       uint64         // seed of the predicted trials
	NoFigures  bool
	AllFigures bool // whether to draw traces and pairs of many subjects too; this takes longer than the fits
	PNG        bool // whether to write figures as PNG too
	Zarr       bool // whether to write draws.zarr
	LogLik     bool // whether to write log_lik.parquet
	Predictive int  // number of draws with trials in predictive.parquet; 0: no such file
	CSV        bool // whether simulated trials are written as CSV, not as Parquet

	Key    []byte // JSON of everything on which the draws depend
	Resume bool   // whether to continue from the states of an interrupted fit with the same Key
}

// Folder receives the results of one run.
type Folder struct {
	Settings
	dir    string        // the path that the user gave
	target string        // the same path with its links followed
	hidden *store.Folder // the folder that is filled before it is moved to target
	states *states
	unlock func()
}

// TakenError means that a fit must not replace the existing folder.
type TakenError struct{ error }

func taken(dir, why string) error { return TakenError{fmt.Errorf("%s: %s", dir, why)} }

// Check returns an error if dir cannot be used. It must be new, empty or a fit's folder; otherwise the error is a TakenError.
// Check writes nothing.
func Check(dir string) error {
	_, err := follow(dir)
	return err
}

// New makes a hidden folder, which Save fills and Publish moves to dir. It returns an error if Check does, if nothing can be
// written, or while another process fills the same folder; the last error wraps [store.ErrLocked]. Every Folder must be closed
// with Discard.
func New(dir string, s Settings) (*Folder, error) {
	target, err := follow(dir)
	if err != nil {
		return nil, err
	}
	unlock, err := store.Lock(target)
	if err != nil {
		return nil, err
	}
	hidden, err := store.NewFolder(target)
	if err != nil {
		unlock()
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	f := &Folder{Settings: s, dir: dir, target: target, hidden: hidden, unlock: sync.OnceFunc(unlock)}
	if f.states, err = openStates(target, s); err != nil {
		f.Discard()
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return f, nil
}

// Discard removes the hidden folder if it was not published, and the states of chains unless a later fit can continue from them.
func (f *Folder) Discard() {
	f.hidden.Discard()
	if f.states != nil && !f.states.any() {
		os.RemoveAll(f.states.dir)
	}
	f.unlock()
}

// Resumes reports whether there are states from which to continue.
func (f *Folder) Resumes() bool { return f.Resume && f.states.found() }

// Keeper returns the store of the states of one subject's chains, for the field Keep of [fit.Settings].
func (f *Folder) Keeper(s *fit.Subject) nuts.Keeper { return f.states.keeperOf(s) }

// follow returns the target of dir if that is a link. It returns an error if Check does.
func follow(dir string) (target string, err error) {
	if target, err = store.Follow(filepath.Clean(dir)); err != nil {
		return "", fmt.Errorf("%s: %w", dir, store.Cause(err))
	}
	info, err := os.Stat(target)
	if os.IsNotExist(err) {
		return target, nil
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", dir, store.Cause(err))
	}
	if !info.IsDir() {
		return "", taken(dir, "is a file; want a folder")
	}
	if why := store.Immovable(target); why != "" {
		return "", taken(dir, why+", which cannot be replaced; name a folder in it")
	}
	entries, err := os.ReadDir(target)
	if err != nil {
		return "", fmt.Errorf("%s: %w", dir, store.Cause(err))
	}
	for _, e := range entries {
		if !isOwn(e) {
			return "", taken(dir, "holds "+e.Name()+", which is not a fit's; name a new folder")
		}
	}
	return target, nil
}

// isOwn reports whether a fit writes entries with that name. When a fit is replaced, only such entries are removed.
func isOwn(e os.DirEntry) bool {
	name := e.Name()
	switch ext := filepath.Ext(name); {
	case e.IsDir():
		return strings.HasPrefix(name, subjectPrefix) || name == zarrFolder
	case isTrials(name), name == logLikFile:
		return true
	case ext == ".csv":
		return strings.HasPrefix(name, "chain_") || name == subjectsFile || name == looFile || name == lapseFile || name == signalsFile || name == cellsFile || isLevels(name)
	}
	figure := strings.TrimSuffix(strings.TrimSuffix(name, ".svg"), ".png")
	return name == SummaryFile || name == resultsFile || figure == signalsFigure || figure == courseFigure || slices.Contains(figures, figure) || slices.Contains(studyFigures, figure)
}

// writeJSON writes a file of the hidden folder, with its sum.
func (f *Folder) writeJSON(name string, v any) error {
	return f.hidden.WriteFile(name, func(w io.Writer) error {
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(v); err != nil {
			return err
		}
		_, err := w.Write(fit.AddSum(text.Bytes()))
		return err
	})
}

// Publish moves the hidden folder to its place if everything could be written, and returns its path, or "" if no result has draws
// or a mode. An incomplete fit does not replace a complete one: it is moved to a folder next to it.
func (f *Folder) Publish(all []*fit.Result) (dir string, err error) {
	kept := fit.Keep(all)
	for _, r := range kept.Kept {
		if r.Unsaved != nil {
			return "", f.resumable(r.Name(r.Unsaved))
		}
	}
	if len(kept.Kept) == 0 {
		return "", nil
	}
	if kept.Kept[0].Folder != "" {
		if err := f.writeMany(kept); err != nil {
			return "", f.resumable(err)
		}
	}
	dir, target := f.dir, f.target
	if isIncomplete(kept) && holdsFit(target) {
		suffix := ".partial"
		if _, err := follow(target + suffix); err != nil {
			suffix += "." + filepath.Base(f.hidden.Path)[1:]
		}
		dir, target = dir+suffix, target+suffix
	}
	if err := f.replace(dir, target); err != nil || isIncomplete(kept) {
		return dir, err
	}
	return dir, os.RemoveAll(f.states.dir) // all draws are in place, so the states are no longer needed
}

// resumable adds to a write error how the fit can be continued, if states of its chains are stored.
func (f *Folder) resumable(err error) error {
	if !f.states.any() {
		return err
	}
	return fmt.Errorf("%w; chains are kept beside it: when there is room, the same command with --resume goes on", err)
}

// isIncomplete reports whether results or draws are missing or, after an interrupt, figures.
func isIncomplete(s fit.Subjects) bool {
	return s.Partial || slices.ContainsFunc(s.Kept, func(r *fit.Result) bool { return errors.Is(r.Figures, context.Canceled) })
}

func (f *Folder) replace(dir, target string) error {
	err := f.hidden.Replace(target)
	switch {
	case err == nil:
		return nil
	case f.hidden.Keep(target+".new") == nil:
		return fmt.Errorf("%s: cannot be replaced: %w; the fit is kept in %s.new", dir, store.Cause(err), dir)
	}
	return fmt.Errorf("%s: cannot be written: %w", dir, store.Cause(err))
}

// holdsFit reports whether the folder contains an earlier fit.
func holdsFit(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, SummaryFile))
	return err == nil
}
