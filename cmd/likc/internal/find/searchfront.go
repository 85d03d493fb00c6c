package find

import (
	"context"
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
	"likc/runtime/finite"
	"likc/runtime/front"
	"likc/runtime/store"
	"likc/search/evolve"
	postfix "likc/search/tree"
)

// frontWriter keeps the files of a search up to date.
type frontWriter struct {
	flags    *searchFlags
	problem  *problem
	search   *evolve.Search
	clock    *searchClock
	late     context.Context // done when nobody waits for tiers any more
	settings string
	tiers    map[string]string
	changed  bool // since the front was written
	ended    bool // so that tiers hold up nothing

	wrote, saved time.Time
	cost, pause  time.Duration // of a checkpoint, until the next
}

// How often files are written, where there is something new.
const (
	frontEvery = time.Second
	stateShare = 20 // checkpoints take at most one part in so many of the time
)

// tierGrace is how long after its end a search still finds out tiers.
const tierGrace = 300 * time.Millisecond

func newFrontWriter(late context.Context, f *searchFlags, p *problem, search *evolve.Search, clock *searchClock) *frontWriter {
	return &frontWriter{flags: f, problem: p, search: search, clock: clock, late: late, settings: p.identity.hash(),
		tiers: map[string]string{}, saved: time.Now(), pause: f.checkpoint}
}

// during writes what is due after an epoch, but no checkpoint that the end would come upon.
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
	if time.Since(w.saved) < w.pause || w.clock.left() < 3*w.cost || w.late.Err() != nil {
		return nil
	}
	start := time.Now()
	err := w.writeState()
	w.saved = time.Now()
	w.cost = w.saved.Sub(start)
	w.pause = max(w.flags.checkpoint, stateShare*w.cost)
	w.clock.reserve(w.cost)
	return err
}

// finish writes everything, what is worth most first. An empty front is an error, unless the search can go on.
func (w *frontWriter) finish(reason evolve.Reason) error {
	if w.flags.out != "" {
		if err := w.finishFront(reason); err != nil {
			return err
		}
	}
	found := w.search.Archive()
	if w.flags.archive != "" && len(found) > 0 {
		if err := front.WriteFile(w.flags.places.archive, w.lines(found, false)); err != nil {
			return err
		}
	}
	if len(w.search.Front()) == 0 && reason != evolve.Interrupted {
		return fmt.Errorf("no expression that is finite and has all of %s was found in %d evaluations: nothing is written",
			strings.Join(w.problem.loss.Symbols(), ", "), w.search.Counters().Full)
	}
	return nil
}

// finishFront writes the checkpoint and the front. The checkpoint of a search that has spent its budget goes: there is
// nothing to take up.
func (w *frontWriter) finishFront(reason evolve.Reason) error {
	w.ended = true
	goesOn := reason == evolve.Interrupted || reason == evolve.Deadline
	if goesOn {
		if err := w.writeState(); err != nil {
			return err
		}
	}
	if err := w.writeFront(); err != nil || goesOn {
		return err
	}
	if err := os.Remove(w.flags.places.state); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func (w *frontWriter) writeFront() error {
	lines := w.lines(w.front(), true)
	if len(lines) == 0 {
		return nil
	}
	if err := front.WriteFile(w.flags.places.front, lines); err != nil {
		return err
	}
	return store.WriteFile(w.flags.places.csv, func(out io.Writer) error { return writeCSV(out, lines) })
}

// front is the Pareto front. Under the improved loss it is that of the expressions that recover all parameters in the joint
// proxy, as soon as there are any: the others are in the archive. At λ = 0 recovery is nobody's aim.
func (w *frontWriter) front() []evolve.Entry {
	if w.flags.objective == "improved" && w.flags.lambda > 0 {
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

// lines are entries as a front has them, or as the archive does: that is large, and to find a tier takes longer than to
// evaluate the expression.
func (w *frontWriter) lines(entries []evolve.Entry, tiers bool) []front.Line {
	lines := make([]front.Line, len(entries))
	for i, e := range entries {
		l := w.problem.line(e)
		l.Lambda, l.Seed, l.Settings = finite.Number(w.flags.lambda), w.flags.seed, w.settings
		if tiers {
			l.Tier = w.tier(e, l.Expr)
		}
		lines[i] = l
	}
	return lines
}

// line is what a front says of an expression, but for how it was searched.
func (p *problem) line(e evolve.Entry) front.Line {
	terms := map[string]finite.Number{}
	for k, name := range p.loss.Terms() {
		terms[name] = finite.Number(e.Terms[k])
	}
	text := e.Tree.Expr(p.loss.Symbols()).String()
	return front.Line{Expr: text, Size: e.Size(), Loss: finite.Number(e.Loss), Terms: terms, Model: p.header.Name,
		Evaluations: e.Evaluations, Niche: e.Niche, Rest: p.remarks()}
}

// remarks are what a front says of a search that was helped.
func (p *problem) remarks() map[string]json.RawMessage {
	rest := map[string]json.RawMessage{}
	if g := p.identity.Gate; g != "passed" {
		rest["gate"], _ = json.Marshal(g)
	}
	if guesses := p.identity.Guesses; len(guesses) > 0 {
		rest["guesses"], _ = json.Marshal(guesses)
	}
	if from := p.identity.From; from != nil {
		rest["from"], _ = json.Marshal(from)
	}
	return rest
}

// tier is what likc check reports; "" while the search goes on, for an expression that the compiler refuses, and where it
// is too late to find out.
func (w *frontWriter) tier(e evolve.Entry, text string) string {
	if t, known := w.tiers[text]; known {
		return t
	}
	if !w.ended || w.late.Err() != nil {
		return ""
	}
	w.tiers[text] = w.problem.tier(e.Tree)
	return w.tiers[text]
}

// tier is what likc check reports; "" for an expression that the compiler refuses.
func (p *problem) tier(t postfix.Tree) string {
	m := *p.header
	m.LogLik = t.Expr(p.loss.Symbols())
	u, err := compiler.Compile(&m, compiler.Options{Check: true})
	if err != nil {
		return ""
	}
	return string(ir.Describe(u.Program).Tier)
}
