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

// states holds the states of the chains of an unfinished fit, one file for each chain, in a hidden folder next to the fit's own.
// The folder remains when the process ends. It is removed when the fit is complete, or when another fit begins.
type states struct {
	dir  string
	key  []byte // identifies the fit; stored in a file of the folder
	once sync.Once
	err  error // error of making the folder
}

// States returns the name of the folder from which an interrupted fit is resumed. It is next to the folder of the fit.
func States(fit string) string { return filepath.Base(store.Workplace(fit)) }

// keyFile holds the key of the fit.
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

// OtherFitError means that the fit to be resumed is not the one that was interrupted.
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

// any reports whether the state of any chain is stored.
func (s *states) any() bool {
	entries, _ := os.ReadDir(s.dir)
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return filepath.Ext(e.Name()) == ".state" })
}

// keeperOf returns the keeper of one subject's chains.
func (s *states) keeperOf(subject *fit.Subject) nuts.Keeper { return keeper{s, subject.Folder} }

// keeper stores the states of one subject's chains. It implements [nuts.Keeper].
type keeper struct {
	*states
	subject string // name of the subject's folder; "" for a single subject
}

func (k keeper) path(chain int) string {
	return filepath.Join(k.dir, fmt.Sprintf("%s.%d.state", k.subject, chain))
}

// Load returns the state in a chain's file; nil if there is none. A damaged file, for example after a crash of the machine, is
// ignored: then the chain starts again, and makes the same draws.
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

// Save writes a chain's file. If it cannot be written, the fit continues without it, so the error is nil.
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
