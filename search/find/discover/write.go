package discover

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"likc/runtime/model/front"
	"likc/runtime/sys/store"
	"likc/search/find/evolve"
)

// These constants limit how often changed files are written.
const (
	frontEvery = time.Second
	stateShare = 20 // at most 1/stateShare of the time is used for checkpoints
)

// tierGrace is how long a search may look up tiers after it has ended.
const tierGrace = 300 * time.Millisecond

// writeDue writes the files that are due after an epoch. It skips a checkpoint if the search might end before it is written.
func (d *Search) writeDue(s evolve.Snapshot) error {
	if d.settings.Front == "" {
		return nil
	}
	d.changed = d.changed || s.Changed
	if d.changed && time.Since(d.wrote) > frontEvery {
		if err := d.writeFront(); err != nil {
			return err
		}
		d.wrote, d.changed = time.Now(), false
	}
	if time.Since(d.saved) < d.pause || d.clock.left() < 3*d.cost || d.late.Err() != nil {
		return nil
	}
	start := time.Now()
	err := d.writeState()
	d.saved = time.Now()
	d.cost = d.saved.Sub(start)
	d.pause = max(d.settings.Checkpoint, stateShare*d.cost)
	d.clock.reserve(d.cost)
	return err
}

// finish writes all files, the most important first. An empty front is an error, unless the search was interrupted.
func (d *Search) finish(reason evolve.Reason) error {
	if d.settings.Front != "" {
		if err := d.finishFront(reason); err != nil {
			return err
		}
	}
	found := d.Archive()
	if d.settings.Archive != "" && len(found) > 0 {
		if err := front.WriteFile(d.settings.Archive, d.lines(found, false)); err != nil {
			return err
		}
	}
	if len(d.Search.Front()) == 0 && reason != evolve.Interrupted {
		return fmt.Errorf("no expression that is finite and has all of %s was found in %d evaluations: nothing is written",
			strings.Join(d.problem.Loss.Symbols(), ", "), d.Counters().Full)
	}
	return nil
}

// finishFront writes the checkpoint and the front. It removes the checkpoint of a search that has spent its budget, because
// there is nothing to continue.
func (d *Search) finishFront(reason evolve.Reason) error {
	d.ended = true
	unfinished := reason == evolve.Interrupted || reason == evolve.Deadline
	if unfinished {
		if err := d.writeState(); err != nil {
			return err
		}
	}
	if err := d.writeFront(); err != nil || unfinished {
		return err
	}
	if err := os.Remove(d.settings.State); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// writeFront writes the front and its table, unless the front is empty.
func (d *Search) writeFront() error {
	lines := d.Lines()
	if len(lines) == 0 {
		return nil
	}
	if err := front.WriteFile(d.settings.Front, lines); err != nil {
		return err
	}
	return store.WriteFile(d.settings.Table, func(out io.Writer) error { return writeTable(out, lines) })
}

// TablePath returns FRONT.csv for FRONT.jsonl.
func TablePath(front string) string { return strings.TrimSuffix(front, filepath.Ext(front)) + ".csv" }

// writeTable writes the front in the format of PySR's hall of fame.
func writeTable(out io.Writer, lines []front.Line) error {
	w := csv.NewWriter(out)
	w.Write([]string{"Complexity", "Loss", "Equation"})
	for _, l := range lines {
		w.Write([]string{strconv.Itoa(l.Size), strconv.FormatFloat(float64(l.Loss), 'g', -1, 64), l.Expr})
	}
	w.Flush()
	return w.Error()
}

// lines returns entries as lines of a file. The archive has no tiers: it is large, and finding a tier takes longer than evaluating
// the expression.
func (d *Search) lines(entries []evolve.Entry, tiers bool) []front.Line {
	lines := make([]front.Line, len(entries))
	for i, e := range entries {
		lines[i] = d.problem.Line(e, d.hash)
		if tiers {
			lines[i].Tier = d.tier(e, lines[i].Expr)
		}
	}
	return lines
}

// tier returns the compiler's tier for an expression. It returns "" while the search runs, after tierGrace, and for an expression
// that the compiler refuses.
func (d *Search) tier(e evolve.Entry, text string) string {
	if t, known := d.tiers[text]; known {
		return t
	}
	if !d.ended || d.late.Err() != nil {
		return ""
	}
	d.tiers[text] = d.problem.Tier(e.Tree)
	return d.tiers[text]
}
