// Package folder writes the results of package fit to a folder that appears whole or not at all:
//
//	summary.json         the summary, with its format's version
//	chain_K.csv          the draws of chain K, in Stan's form
//	loo.csv              PSIS-LOO and WAIC of each trial, for a model that is a density
//	lapse.csv            the probability of each trial that it is a lapse, for a fit with lapses
//	predictive.parquet   trials simulated from draws, where they are wanted
//	newcomers.parquet    the same of a study, with new levels in place of those of its groupings
//	signals.csv          observed and predicted statistics of sessions of the stop-signal task
//	rank.svg, …          figures
//
// A folder of many subjects has summary.json of all, subjects.csv with a row for each, and below it a folder for each.
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

// SummaryFile is in every folder of fits, and tells it from others.
const SummaryFile = "summary.json"

// subjectsFile has a row for each of many subjects.
const subjectsFile = "subjects.csv"

// Settings say what is written besides draws and summaries.
type Settings struct {
	Spec       *fit.Spec    // what was fitted, as a Spec
	Simulate   fit.Simulate // predicts trials; nil if nothing can, and for sessions, whose responses are predicted row by row
	Seed       uint64       // seed of the predicted trials
	NoFigures  bool
	AllFigures bool // traces and pairs of many subjects too: they take longer than the fits
	PNG        bool // figures as PNG too
	Predictive int  // draws of which predictive.parquet has trials; 0: no such file

	Key    []byte // JSON of all that the draws depend on
	Resume bool   // go on from the states that an interrupted fit of the same Key left
}

// Folder is where the results of one run go.
type Folder struct {
	Settings
	dir    string        // as the user named it
	target string        // the same, its links followed
	hidden *store.Folder // where it is filled
	states *states
	unlock func()
}

// TakenError says that a fit must not take the place of what is there.
type TakenError struct{ error }

func taken(dir, why string) error { return TakenError{fmt.Errorf("%s: %s", dir, why)} }

// Check says whether dir can be written: it must be new, empty or a fit's, else the error is a TakenError. Check writes nothing.
func Check(dir string) error {
	_, err := follow(dir)
	return err
}

// New makes a hidden folder, to be filled by Save and put in place by Place. It fails as Check does, and where nothing can be
// written, or while another process fills the same folder: the error then wraps [store.ErrLocked]. End every Folder with Discard.
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

// Discard removes what was not put in place.
func (f *Folder) Discard() {
	f.hidden.Discard()
	f.unlock()
}

// Resumes reports whether there is something to go on from.
func (f *Folder) Resumes() bool { return f.Resume && f.states.found() }

// Keeper keeps the states of one subject's chains: [fit.Settings] takes it as Keep.
func (f *Folder) Keeper(s *fit.Subject) nuts.Keeper { return f.states.of(s) }

// follow returns the folder itself where dir is a link, and fails as Check does.
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

// isOwn reports whether a fit writes entries of that name: only those may go when a fit is replaced.
func isOwn(e os.DirEntry) bool {
	name := e.Name()
	switch ext := filepath.Ext(name); {
	case e.IsDir():
		return strings.HasPrefix(name, subjectPrefix)
	case ext == ".csv":
		return strings.HasPrefix(name, "chain_") || name == subjectsFile || name == looFile || name == lapseFile || name == signalsFile || name == cellsFile || isLevels(name)
	}
	figure := strings.TrimSuffix(strings.TrimSuffix(name, ".svg"), ".png")
	return name == SummaryFile || name == resultsFile || name == predictiveFile || name == newcomersFile || figure == signalsFigure || slices.Contains(figures, figure) || slices.Contains(studyFigures, figure)
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

// Place puts the folder in its place if everything could be written in it, and returns where it is: "" if nothing was kept. An
// older fit is worth more than a part of this one, which then goes next to it.
func (f *Folder) Place(all []*fit.Result) (dir string, err error) {
	kept := fit.Keep(all)
	for _, r := range kept.Kept {
		if r.Unsaved != nil {
			return "", r.Name(r.Unsaved)
		}
	}
	if len(kept.Kept) == 0 {
		return "", nil
	}
	if kept.Kept[0].Folder != "" {
		if err := f.writeMany(kept); err != nil {
			return "", err
		}
	}
	dir, target := f.dir, f.target
	if isPart(kept) && holdsFit(target) {
		suffix := ".partial"
		if _, err := follow(target + suffix); err != nil {
			suffix += "." + filepath.Base(f.hidden.Path)[1:]
		}
		dir, target = dir+suffix, target+suffix
	}
	if err := f.replace(dir, target); err != nil || isPart(kept) {
		return dir, err
	}
	return dir, os.RemoveAll(f.states.dir) // all draws are in place
}

// isPart reports whether something is missing: results, draws or, after an interrupt, figures.
func isPart(s fit.Subjects) bool {
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

// holdsFit reports whether the folder is an earlier fit's.
func holdsFit(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, SummaryFile))
	return err == nil
}
