package units

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"likc/runtime/sys/store"
)

// File keeps the results of finished units. Its first line identifies the run; then comes one line for each unit, in order.
type File[T any] struct {
	log   *store.Log
	path  string
	first []byte // the first line while it is not yet written; else nil
	done  []T    // the units that the file has, in order
}

// Open opens the file, or makes it, and locks it until Close. The header holds everything that the units depend on. A file with another header
// belongs to another run: that is an error if the file has a unit; if it has none, Open replaces its header. Open drops a last line that was
// cut off. Close removes a new file into which nothing was written.
func Open[T any](path string, header any) (*File[T], error) {
	first, err := json.Marshal(header)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	log, err := store.OpenLog(path)
	if err != nil {
		return nil, err
	}
	file := &File[T]{path: path, log: log}
	if err := file.start(append(first, '\n')); err != nil {
		log.Close()
		return nil, err
	}
	return file, nil
}

// start reads the units that the file has. If it has none, it sets f.first, which begin writes.
func (f *File[T]) start(first []byte) error {
	text := f.log.Text()
	if !bytes.HasPrefix(text, first) {
		if isNew := len(text) == 0 && bytes.HasPrefix(first, f.log.Cut()); !isNew && !f.isIdle(first) {
			return fmt.Errorf("%s: holds a run with other settings; name another place or remove it", f.path)
		}
		if err := f.log.Keep(0); err != nil { // the file is new, ends within its first line, or has no unit
			return err
		}
		f.first = first
		return nil
	}
	if err := f.log.Check(); err != nil {
		return err
	}
	if err := f.read(text[len(first):]); err != nil {
		return err
	}
	return f.log.Keep(len(text))
}

// isIdle reports whether the file is of a run of the same kind that finished no unit. Then its only line is a header with the same
// fields as `first`.
func (f *File[T]) isIdle(first []byte) bool {
	text := f.log.Text()
	var was, is map[string]json.RawMessage
	if bytes.Count(text, []byte("\n")) != 1 || json.Unmarshal(text, &was) != nil || json.Unmarshal(first, &is) != nil {
		return false
	}
	return slices.Equal(slices.Sorted(maps.Keys(was)), slices.Sorted(maps.Keys(is)))
}

// read appends the units that text holds, one on each line, to f.done.
func (f *File[T]) read(text []byte) error {
	for line := range bytes.Lines(text) {
		var unit T
		if err := json.Unmarshal(line, &unit); err != nil {
			return fmt.Errorf("%s: line %d: %w", f.path, len(f.done)+2, err)
		}
		f.done = append(f.done, unit)
	}
	return nil
}

// begin writes the first line, if it is still to be written.
func (f *File[T]) begin() error {
	first := f.first
	f.first = nil
	if first == nil {
		return nil
	}
	return f.log.Append(first)
}

func (f *File[T]) append(unit T) error {
	line, err := json.Marshal(unit)
	if err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	if err := f.begin(); err != nil {
		return err
	}
	return f.log.Append(append(line, '\n'))
}

// Close closes the file.
func (f *File[T]) Close() error { return f.log.Close() }
