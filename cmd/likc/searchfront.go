package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"likc/compiler"
	"likc/compiler/ir"
	"likc/search/evolve"
	"likc/search/front"
)

// frontWriter keeps the files of a search up to date.
type frontWriter struct {
	flags    *searchFlags
	problem  *problem
	search   *evolve.Search
	settings string
	tiers    map[string]string
	changed  bool // since the front was written

	wrote, saved time.Time
	pause        time.Duration // until the next checkpoint
}

// How often files are written, where there is something new.
const (
	frontEvery = time.Second
	stateShare = 20 // checkpoints take at most one part in so many of the time
)

func newFrontWriter(f *searchFlags, p *problem, search *evolve.Search) *frontWriter {
	return &frontWriter{flags: f, problem: p, search: search, settings: p.identity.hash(), tiers: map[string]string{},
		saved: time.Now(), pause: f.checkpoint}
}

// during writes what is due after an epoch.
func (w *frontWriter) during(s evolve.Snapshot) error {
	if w.flags.out == "" {
		return nil
	}
	w.changed = w.changed || s.Changed
	if w.changed && time.Since(w.wrote) > frontEvery {
		if err := w.writeFront(); err != nil {
			return err
		}
		w.wrote, w.changed = time.Now(), false
	}
	if time.Since(w.saved) < w.pause {
		return nil
	}
	start := time.Now()
	err := w.writeState()
	w.saved = time.Now()
	w.pause = max(w.flags.checkpoint, stateShare*w.saved.Sub(start))
	return err
}

// finish writes everything. The checkpoint of a search that has spent its budget goes: there is nothing to take up.
func (w *frontWriter) finish(reason evolve.Reason) error {
	if w.flags.archive != "" {
		if err := front.WriteFile(w.flags.archive, w.lines(w.search.Archive())); err != nil {
			return err
		}
	}
	if w.flags.out == "" {
		return nil
	}
	if reason == evolve.Interrupted || reason == evolve.Deadline {
		if err := w.writeState(); err != nil {
			return err
		}
		return w.writeFront()
	}
	if err := w.writeFront(); err != nil {
		return err
	}
	if err := os.Remove(w.flags.statePath()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func (w *frontWriter) writeFront() error {
	lines := w.lines(w.front())
	if len(lines) == 0 {
		return nil
	}
	if err := front.WriteFile(w.flags.out, lines); err != nil {
		return err
	}
	return writeFile(csvPath(w.flags.out), func(out io.Writer) error { return writeCSV(out, lines) })
}

// front is the Pareto front. Under the improved loss it is that of the expressions that recover all parameters in the joint
// proxy, as soon as there are any: the others are in the archive.
func (w *frontWriter) front() []evolve.Entry {
	if w.flags.objective == "improved" {
		all := uint16(1)<<len(w.problem.header.Params) - 1
		if within := w.search.FrontWithin(all); len(within) > 0 {
			return within
		}
	}
	return w.search.Front()
}

// csvPath is FRONT.csv for FRONT.jsonl.
func csvPath(out string) string { return strings.TrimSuffix(out, filepath.Ext(out)) + ".csv" }

// writeCSV writes PySR's hall of fame.
func writeCSV(out io.Writer, lines []front.Line) error {
	w := csv.NewWriter(out)
	w.Write([]string{"Complexity", "Loss", "Equation"})
	for _, l := range lines {
		w.Write([]string{strconv.Itoa(l.Size), strconv.FormatFloat(float64(l.Loss), 'g', -1, 64), l.Expr})
	}
	w.Flush()
	return w.Error()
}

// lines are entries as a front has them.
func (w *frontWriter) lines(entries []evolve.Entry) []front.Line {
	lines := make([]front.Line, len(entries))
	names := w.problem.loss.Terms()
	for i, e := range entries {
		terms := map[string]front.Number{}
		for k, name := range names {
			terms[name] = front.Number(e.Terms[k])
		}
		text := e.Tree.Expr(w.problem.loss.Symbols())
		l := front.Line{Expr: text.String(), Size: e.Size(), Loss: front.Number(e.Loss), Terms: terms, Lambda: front.Number(w.flags.lambda),
			Seed: w.flags.seed, Model: w.problem.header.Name, Settings: w.settings, Evaluations: e.Evaluations, Niche: e.Niche}
		l.Tier = w.tier(e, l.Expr)
		l.Rest = w.remarks()
		lines[i] = l
	}
	return lines
}

// remarks are what a front says of a search that was helped.
func (w *frontWriter) remarks() map[string]json.RawMessage {
	rest := map[string]json.RawMessage{}
	if g := w.problem.identity.Gate; g != "passed" {
		rest["gate"], _ = json.Marshal(g)
	}
	if len(w.flags.guesses) > 0 {
		rest["guesses"], _ = json.Marshal(w.flags.guesses)
	}
	return rest
}

// tier is what likc check reports; "" for an expression that the compiler refuses.
func (w *frontWriter) tier(e evolve.Entry, text string) string {
	if t, known := w.tiers[text]; known {
		return t
	}
	m := *w.problem.header
	m.LogLik = e.Tree.Expr(w.problem.loss.Symbols())
	tier := ""
	if u, err := compiler.Compile(&m, compiler.Options{Check: true}); err == nil {
		tier = string(ir.Describe(u.Program).Tier)
	}
	w.tiers[text] = tier
	return tier
}

// statePath is where the checkpoint is.
func (f *searchFlags) statePath() string { return f.out + ".state" }

// writeState writes the checkpoint: a line that says what it is of, then the search's own state.
func (w *frontWriter) writeState() error {
	head, err := json.Marshal(w.problem.identity)
	if err != nil {
		return err
	}
	return writeFile(w.flags.statePath(), func(out io.Writer) error {
		if _, err := fmt.Fprintf(out, "%s\n", head); err != nil {
			return err
		}
		return w.search.Save(out)
	})
}

// restore takes up the search of a checkpoint. It refuses one of other settings, and names the first that differs.
func (f *searchFlags) restore(p *problem) (*evolve.Search, error) {
	path := f.statePath()
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
	for _, part := range []string{"objective", "evolution", "header", "teacher", "gate", "rows", "both", "guesses"} {
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
