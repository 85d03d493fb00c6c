package units

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// File keeps finished units: a first line that says what the run is, then one line a unit, in order.
type File[T any] struct {
	f    *os.File
	path string
	done []T
}

// Open opens the file, or makes it. The header says all that the units depend on; a file with another header is another
// run's, and an error. A last line that was cut off is dropped.
func Open[T any](path string, header any) (*File[T], error) {
	first, err := json.Marshal(header)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	first = append(first, '\n')
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: is not a file that can be read again: name another", path)
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	file := &File[T]{path: path}
	kept := len(first)
	switch {
	case bytes.HasPrefix(text, first):
		if kept, err = file.read(text, len(first)); err != nil {
			return nil, err
		}
	case bytes.ContainsRune(text, '\n') || !bytes.HasPrefix(first, text):
		return nil, fmt.Errorf("%s: holds a run with other settings; name another place or remove it", path)
	default: // new, or cut off in its first line
		if err := os.WriteFile(path, first, 0o644); err != nil {
			return nil, err
		}
	}
	if file.f, err = os.OpenFile(path, os.O_RDWR, 0); err != nil {
		return nil, err
	}
	err = file.f.Truncate(int64(kept))
	if err == nil {
		_, err = file.f.Seek(int64(kept), 0)
	}
	return file, err
}

// read takes the whole lines from an offset on, and returns where they end.
func (f *File[T]) read(text []byte, from int) (end int, err error) {
	for {
		length := bytes.IndexByte(text[from:], '\n')
		if length < 0 {
			return from, nil
		}
		var unit T
		if err := json.Unmarshal(text[from:from+length], &unit); err != nil {
			return 0, fmt.Errorf("%s: line %d: %w", f.path, len(f.done)+2, err)
		}
		f.done = append(f.done, unit)
		from += length + 1
	}
}

func (f *File[T]) append(unit T) error {
	line, err := json.Marshal(unit)
	if err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	_, err = f.f.Write(append(line, '\n'))
	return err
}

// Close closes the file.
func (f *File[T]) Close() error { return f.f.Close() }
