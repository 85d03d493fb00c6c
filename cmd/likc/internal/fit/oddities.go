package fit

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"likc/runtime/fit"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/model/catalog"
	"likc/runtime/model/trials"
)

// noteOddities prints notes on stderr about data that can be read but may be a mistake: choices that no trial has, columns without an empty
// cell, responses that are too fast or too slow, many trials that were dropped for their response times, and columns that formulas may read in another
// way than the user means.
func (f *fitFlags) noteOddities(stderr io.Writer, spec *fit.Spec, t *trials.Table) {
	if f.Respond == "" {
		noteAbsent(stderr, spec.Model, t)
	}
	noteFull(stderr, spec.Model, t)
	if f.Lapse == "" {
		noteFast(stderr, t)
	}
	noteSlow(stderr, t)
	warnRestarts(stderr, spec.Model, t)
	for _, text := range fit.CutWarnings(&t.Source) {
		fmt.Fprintf(stderr, "likc: warning: %s: %s\n", t.Source.File, strings.Replace(text, "let lapses", "let lapses (--lapse 'beta(1,20)')", 1))
	}
	for _, note := range spec.ColumnNotes(hierarchy.DataOf(t).Table) {
		note = t.Source.File + ": " + note
		fmt.Fprintf(stderr, "likc: note: %s\n", note)
		t.Notes = append(t.Notes, note)
	}
}

// noteAbsent names the choices of the model that no trial has.
func noteAbsent(stderr io.Writer, m *catalog.Model, t *trials.Table) {
	if m.Choice == "" {
		return
	}
	for _, code := range m.Codes() {
		if !slices.Contains(t.Choice, code) {
			fmt.Fprintf(stderr, "likc: note: %s: no trial has %s, which %s has\n", t.Source.File, cmp.Or(t.Source.NameOf(m.Choice, code), fmt.Sprintf("the choice %v", code)), m.Name)
		}
	}
}

// noteFull names the columns in which a cell may be empty, such as stop-signal delays, but in which no cell is. The file may have 0 where a trial has
// no value.
func noteFull(stderr io.Writer, m *catalog.Model, t *trials.Table) {
	for _, symbol := range m.Trials {
		if _, declared := m.Missing[symbol]; declared && symbol != trials.ResponseTime(m.Trials) && t.Source.Filled[symbol] == 0 {
			fmt.Fprintf(stderr, "likc: note: %s: column %q: every trial has a number; on a trial without %s the cell must be empty or NA, not 0\n",
				t.Source.File, t.Source.Columns[symbol], symbol)
		}
	}
}

// fewTrials is the smallest mean number of trials between two restarts of states for which there is no warning.
const fewTrials = 3

// warnRestarts warns if states start again every few trials, for example because the rows of several blocks are mixed. Then
// nothing can be learnt.
func warnRestarts(stderr io.Writer, m *catalog.Model, t *trials.Table) {
	for _, name := range m.Restarts() {
		last := map[int32]float64{} // the column's value at the participant's previous trial
		blocks := 0
		for i, x := range t.Column(name) {
			person := int32(0)
			if t.Person != nil {
				person = t.Person[i]
			}
			if before, later := last[person]; !later || x != before {
				blocks++
			}
			last[person] = x
		}
		if blocks*fewTrials > t.N() && blocks > len(last) {
			fmt.Fprintf(stderr, "likc: warning: %s: column %q, at which states start afresh, changes %d times in %d trials: sort the rows by participant and block, "+
				"in the order of trials, if blocks were not mixed in the experiment\n", t.Source.File, name, blocks-len(last), t.N())
		}
	}
}

// A response faster than fastest, in seconds, counts as a guess that began before the stimulus (Luce, 1986, Response Times); during one slower than
// slowest, the participant was away. But if more than one response in rareness is so fast or so slow, such responses are normal in this task.
const (
	fastest  = 0.1
	slowest  = 30
	rareness = 20
)

// noteFast says how many responses are too fast, because one of them can move every estimate.
func noteFast(stderr io.Writer, t *trials.Table) {
	times := t.Column(trials.ResponseTime(t.Symbols))
	n := countRare(times, func(rt float64) bool { return rt < fastest })
	if n > 0 {
		fmt.Fprintf(stderr, "likc: note: %s: response times below %v s, too fast for a decision: %d of %d. The fastest moves all estimates: "+
			"--min-rt %[2]v drops them, --lapse 'beta(1,20)' makes lapses a part of the model\n", t.Source.File, fastest, n, len(times))
	}
}

// noteSlow says how many responses are too slow. Lapses do not help against these, because they are uniform up to the slowest response.
func noteSlow(stderr io.Writer, t *trials.Table) {
	times := t.Column(trials.ResponseTime(t.Symbols))
	n := countRare(times, func(rt float64) bool { return rt > slowest })
	if n > 0 {
		fmt.Fprintf(stderr, "likc: note: %s: response times above %v s: %d of %d, up to %.6g s. The slowest moves all estimates, and with --lapse "+
			"the window of lapses ends there: --max-rt %[2]v drops them\n", t.Source.File, slowest, n, len(times), slices.Max(times))
	}
}

// countRare returns the number of times that a condition holds for, or 0 if it holds for so many that they are normal.
func countRare(times []float64, holds func(rt float64) bool) int {
	n := 0
	for _, rt := range times {
		if holds(rt) {
			n++
		}
	}
	if n*rareness > len(times) {
		return 0
	}
	return n
}
