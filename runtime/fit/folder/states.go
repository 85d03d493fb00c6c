package folder

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"likc/runtime/fit"
	"likc/runtime/fit/nuts"
	"likc/runtime/sys/store"
)

// states holds the states of the chains of an unfinished fit, one file for each, in a hidden folder next to the fit's own. The
// folder outlives the process. It is removed when the fit is complete, or when another one begins.
type states struct {
	dir  string
	key  []byte // identifies the fit; stored in a file of the folder
	once sync.Once
	err  error // error of making the folder
}

// States returns the name of the folder, next to that of a fit, from which an interrupted fit is resumed.
func States(fit string) string { return filepath.Base(store.Workplace(fit)) }

// keyFile holds the key.
const keyFile = "fit.json"

// openStates opens the states of an interrupted fit if resume is set, and otherwise removes them.
func openStates(target string, s Settings) (*states, error) {
	out := &states{dir: store.Workplace(target), key: s.Key}
	if !s.Resume {
		return out, os.RemoveAll(out.dir)
	}
	there, err := os.ReadFile(filepath.Join(out.dir, keyFile))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return out, os.RemoveAll(out.dir)
	case err != nil:
		return nil, store.Cause(err)
	case !bytes.Equal(there, s.Key):
		return nil, OtherFitError{differing(there, s.Key)}
	}
	return out, nil
}

// OtherFitError says that the fit to be resumed is not the one that was interrupted.
type OtherFitError struct{ What []string } // names of the settings that differ, as in summary.json

func (e OtherFitError) Error() string {
	return fmt.Sprintf("the fit that was interrupted there differs in %v: resume it as it was, or leave out --resume", e.What)
}

// differing returns the names of the fields in which two keys differ.
func differing(a, b []byte) (names []string) {
	var x, y map[string]json.RawMessage
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return []string{"its record"}
	}
	for name, value := range y {
		if !bytes.Equal(x[name], value) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// found reports whether there are states from which to continue.
func (s *states) found() bool {
	_, err := os.Stat(filepath.Join(s.dir, keyFile))
	return err == nil
}

// any reports whether the state of a chain is kept.
func (s *states) any() bool {
	entries, _ := os.ReadDir(s.dir)
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return filepath.Ext(e.Name()) == ".state" })
}

// keeperOf returns the keeper of one subject's chains.
func (s *states) keeperOf(subject *fit.Subject) nuts.Keeper { return keeper{s, subject.Folder} }

type keeper struct {
	*states
	subject string // name of the subject's folder; "" for a single subject
}

func (k keeper) path(chain int) string {
	return filepath.Join(k.dir, fmt.Sprintf("%s.%d.state", k.subject, chain))
}

// Load returns the state in a chain's file. It ignores a damaged file, for example after a crash of the machine: then the chain
// starts again, and draws the same numbers.
func (k keeper) Load(chain int) *nuts.State {
	text, err := os.ReadFile(k.path(chain))
	if err != nil {
		return nil
	}
	s := &nuts.State{}
	if gob.NewDecoder(bytes.NewReader(text)).Decode(s) != nil {
		return nil
	}
	return s
}

// Save writes a chain's file. If it cannot, the fit continues without it, so the error is nil.
func (k keeper) Save(chain int, s *nuts.State) error {
	k.once.Do(func() {
		if k.err = os.MkdirAll(k.dir, 0o777); k.err == nil {
			k.err = store.WriteLazily(filepath.Join(k.dir, keyFile), func(w io.Writer) error { _, err := w.Write(k.key); return err })
		}
	})
	if k.err == nil {
		_ = store.WriteLazily(k.path(chain), func(w io.Writer) error { return gob.NewEncoder(w).Encode(s) })
	}
	return nil
}
