package find

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"likc/runtime/store"
	"likc/search/evolve"
)

// writeState writes the checkpoint: a line that says what it is of, then the search's own state.
func (w *frontWriter) writeState() error {
	head, err := json.Marshal(w.problem.identity)
	if err != nil {
		return err
	}
	return store.WriteFile(w.flags.places.state, func(out io.Writer) error {
		if _, err := fmt.Fprintf(out, "%s\n", head); err != nil {
			return err
		}
		return w.search.Save(out)
	})
}

// restore takes up the search of a checkpoint. It refuses one of other settings, and names the first that differs.
func (f *searchFlags) restore(p *problem) (*evolve.Search, error) {
	path := f.places.state
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r := bufio.NewReader(file)
	head, err := r.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("%s: not a checkpoint of a search", path)
	}
	now, err := json.Marshal(p.identity)
	if err != nil {
		return nil, err
	}
	if head = bytes.TrimSuffix(head, []byte("\n")); !bytes.Equal(head, now) {
		return nil, fmt.Errorf("%s: of a search with other settings (%s); give the same flags, or begin anew without --resume", path, differing(head, now))
	}
	search, err := evolve.Restore(r, p.loss)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return search, nil
}

// differing names the first part in which two identities differ.
func differing(old, now []byte) string {
	var a, b map[string]map[string]json.RawMessage
	var flatA, flatB map[string]json.RawMessage
	if json.Unmarshal(old, &flatA) != nil || json.Unmarshal(now, &flatB) != nil {
		return "it cannot be read"
	}
	a, b = parts(flatA), parts(flatB)
	for _, part := range []string{"objective", "evolution", "header", "teacher", "gate", "rows", "both", "guesses", "from"} {
		if bytes.Equal(flatA[part], flatB[part]) {
			continue
		}
		for _, key := range []string{"lambda", "seed", "preset", "nonfinite", "fit", "operators", "max_size", "budget"} {
			if was, is := a[part][key], b[part][key]; !bytes.Equal(was, is) {
				return fmt.Sprintf("%s %s, now %s", flagOf(key), was, is)
			}
		}
		return part
	}
	return "another version"
}

// flagOf is the flag that a part of an identity comes from, where the names differ.
func flagOf(key string) string {
	switch key {
	case "budget":
		return "--evals" // 0: none, with --time alone
	case "max_size":
		return "--max-size"
	}
	return key
}

func parts(flat map[string]json.RawMessage) map[string]map[string]json.RawMessage {
	out := map[string]map[string]json.RawMessage{}
	for name, text := range flat {
		var inner map[string]json.RawMessage
		if json.Unmarshal(text, &inner) == nil {
			out[name] = inner
		}
	}
	return out
}
