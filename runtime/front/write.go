package front

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// MarshalJSON writes the known fields in their order, and then the rest by name.
func (l Line) MarshalJSON() ([]byte, error) {
	type plain Line
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // an expression may hold < and &
	if err := e.Encode(plain(l)); err != nil {
		return nil, err
	}
	text := bytes.TrimSuffix(b.Bytes(), []byte("}\n"))
	for _, name := range slices.Sorted(maps.Keys(l.Rest)) {
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		text = append(append(append(append(text, ','), key...), ':'), l.Rest[name]...)
	}
	return append(text, '}'), nil
}

// Write writes a front, an expression a line.
func Write(w io.Writer, lines []Line) error {
	for i := range lines {
		text, err := lines[i].MarshalJSON()
		if err != nil {
			return fmt.Errorf("front: expression %d: %w", i+1, err)
		}
		if _, err := w.Write(append(text, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// WriteFile writes a front whole or not at all: beside the file, flushed to the disk, then renamed.
func WriteFile(path string, lines []Line) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("front: %w", err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
			err = fmt.Errorf("front: %s: %w", path, err)
		}
	}()
	b := bufio.NewWriter(f)
	if err := Write(b, lines); err != nil {
		return err
	}
	if err := errors.Join(b.Flush(), f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
