package front

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"likc/runtime/sys/store"
)

// MarshalJSON encodes the known fields in their order, and then the unknown ones by name.
func (l Line) MarshalJSON() ([]byte, error) {
	type plain Line
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // an expression may contain < and &
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

// Write writes a front with one expression on each line.
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

// WriteFile writes a front completely or not at all, and its SHA-256 sum to FILE.sha256.
func WriteFile(path string, lines []Line) error {
	return store.WriteChecked(path, func(w io.Writer) error { return Write(w, lines) })
}
