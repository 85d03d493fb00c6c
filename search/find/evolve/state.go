package evolve

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// magic is the first line of a saved state. The length of the payload, its SHA-256 and the payload follow; the payload is a gob of
// [state].
const magic = "likc search state 2\n"

// magicStart begins the magic line of every version.
const magicStart = "likc search state "

// maxState bounds the length of the payload, so that a damaged header cannot make Restore read too much into memory.
const maxState = 1 << 36

// state is a search between two epochs. Random streams need not be kept, because each epoch starts new ones.
type state struct {
	Settings       []byte // JSON, which keeps the order of maps and distinguishes nil from empty
	Symbols, Terms []string
	Guesses        []guess
	Epoch, Idle    int
	Islands        []island
	Count          []float64
	Best, Archive  []Entry
	FormKeys       []uint64
	FormPrints     []uint64
	ValueKeys      []uint64
	Values         []value
	Counters       Counters
}

// Save writes the state after the last complete epoch.
func (s *Search) Save(w io.Writer) error {
	settings, err := json.Marshal(&s.settings)
	if err != nil {
		return fmt.Errorf("save: %w", err)
	}
	st := state{Settings: settings, Symbols: s.objective.Symbols(), Terms: s.objective.Terms(), Guesses: s.guesses,
		Epoch: s.epoch, Idle: s.idle, Islands: s.islands, Count: s.frequency.Count,
		Best: s.hall.Best, Archive: s.hall.archive(), Counters: s.counters}
	st.FormKeys, st.FormPrints = s.forms.sorted()
	st.ValueKeys, st.Values = s.values.sorted()
	var payload bytes.Buffer
	if err := gob.NewEncoder(&payload).Encode(&st); err != nil {
		return fmt.Errorf("save: %w", err)
	}
	sum := sha256.Sum256(payload.Bytes())
	head := binary.LittleEndian.AppendUint64([]byte(magic), uint64(payload.Len()))
	for _, part := range [][]byte{head, sum[:], payload.Bytes()} {
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("save: %w", err)
		}
	}
	return nil
}

// Restore returns a saved search, on an objective with the same symbols and terms. It continues as if it had never been interrupted.
func Restore(r io.Reader, o Objective) (*Search, error) {
	payload, err := read(r)
	if err != nil {
		return nil, fmt.Errorf("restore: %w", err)
	}
	var st state
	if err := gob.NewDecoder(bytes.NewReader(payload)).Decode(&st); err != nil {
		return nil, fmt.Errorf("restore: %w", err)
	}
	if !slices.Equal(st.Symbols, o.Symbols()) || !slices.Equal(st.Terms, o.Terms()) {
		return nil, fmt.Errorf("restore: the state is of another objective: symbols %v, terms %v; now %v, %v",
			st.Symbols, st.Terms, o.Symbols(), o.Terms())
	}
	var settings Settings
	if err := json.Unmarshal(st.Settings, &settings); err != nil {
		return nil, fmt.Errorf("restore: %w", err)
	}
	s, err := New(o, settings)
	if err != nil {
		return nil, fmt.Errorf("restore: %w", err)
	}
	if err := s.adopt(&st); err != nil {
		return nil, fmt.Errorf("restore: %w", err)
	}
	return s, nil
}

// read checks the magic line, length and hash that Save wrote, and returns the payload.
func read(r io.Reader) ([]byte, error) {
	head := make([]byte, len(magic)+8+sha256.Size)
	if _, err := io.ReadFull(r, head[:len(magic)]); err != nil || !strings.HasPrefix(string(head), magicStart) {
		return nil, errors.New("this is not the state of a search")
	}
	if first := string(head[:len(magic)]); first != magic {
		format, _, _ := strings.Cut(first[len(magicStart):], "\n")
		return nil, fmt.Errorf("the state has format %.40q: this likc reads format %s", format, strings.TrimSpace(magic[len(magicStart):]))
	}
	if _, err := io.ReadFull(r, head[len(magic):]); err != nil {
		return nil, errors.New("the state is truncated")
	}
	n := binary.LittleEndian.Uint64(head[len(magic):])
	if n > maxState {
		return nil, errors.New("the state is damaged")
	}
	payload, err := io.ReadAll(io.LimitReader(r, int64(n)))
	switch {
	case err != nil:
		return nil, err
	case uint64(len(payload)) < n:
		return nil, errors.New("the state is truncated")
	case sha256.Sum256(payload) != [sha256.Size]byte(head[len(magic)+8:]):
		return nil, errors.New("the state is damaged")
	}
	return payload, nil
}

// adopt sets the search's fields from a saved state.
func (s *Search) adopt(st *state) error {
	if len(st.Islands) != len(s.islands) || len(st.Count) != len(s.frequency.Count) || len(st.Best) != len(s.hall.Best) ||
		len(st.FormKeys) != len(st.FormPrints) || len(st.ValueKeys) != len(st.Values) {
		return errors.New("the state contradicts its settings")
	}
	for _, i := range st.Islands {
		for k := range i.Members {
			if err := i.Members[k].Check(len(st.Symbols)); err != nil {
				return err
			}
		}
	}
	s.guesses, s.epoch, s.idle, s.islands, s.counters = st.Guesses, st.Epoch, st.Idle, st.Islands, st.Counters
	s.frequency.Count, s.hall.Best = st.Count, st.Best
	s.frequency.weigh(s.settings.FrequencyScaling)
	for _, e := range st.Archive {
		s.hall.Archive[archiveKey{e.Size(), e.Niche}] = e
	}
	for i, key := range st.FormKeys {
		s.forms.put(key, st.FormPrints[i])
	}
	for i, key := range st.ValueKeys {
		s.values.put(key, st.Values[i])
	}
	return nil
}
