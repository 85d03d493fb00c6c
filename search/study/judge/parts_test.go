package judge

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"likc/runtime/sys/units"
	"likc/search/study/bank"
)

// TestPartsGiveTheSameBytes: however many parts a run has, the merged file equals the file of an undivided run. Verdicts that
// were there before an interruption are kept.
func TestPartsGiveTheSameBytes(t *testing.T) {
	b := smallBank(t, 3, 30)
	dir, entries := t.TempDir(), mixed(t, b)
	s := quick()
	s.Warmup, s.Draws, s.Fits, s.Engine = 30, 10, false, "tree"
	job := func(entries []Entry, file string) *Job {
		return &Job{Entries: entries, Bank: b, Settings: s, Hash: "h", Output: filepath.Join(dir, file)}
	}
	if err := job(entries, "whole").Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	whole := contents(t, filepath.Join(dir, "whole"))
	for _, n := range []int{1, 4, 40} {
		var files []string
		for k := 1; k <= n; k++ {
			j := job(PartOf(entries, units.Part{K: k, N: n}), fmt.Sprintf("part-%d-%d", k, n))
			run := func() error { return j.Run(t.Context()) }
			if len(j.Entries) == 0 {
				run = j.WriteNone
			}
			if err := run(); err != nil {
				t.Fatal(err)
			}
			files = append(files, j.Output)
		}
		merged := job(entries, fmt.Sprint("merged", n))
		if n == 4 { // the file has three verdicts from before
			lines := bytes.SplitAfter(whole, []byte("\n"))
			if err := os.WriteFile(merged.Output, bytes.Join(lines[:3], nil), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		merged.Elsewhere = units.Done(files...)
		if err := merged.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := contents(t, merged.Output); !bytes.Equal(got, whole) {
			t.Errorf("%d parts: the merged file differs:\n%s\n%s", n, got, whole)
		}
		asked := func() ([]string, error) { return nil, errors.New("asked for parts") }
		again, other := job(entries, fmt.Sprint("merged", n)), job(entries[1:], fmt.Sprint("merged", n))
		again.Elsewhere, other.Elsewhere = asked, asked
		if err := again.Run(t.Context()); err != nil {
			t.Errorf("a file that is whole: %v", err)
		}
		if err := other.Run(t.Context()); !errors.Is(err, ErrOther) {
			t.Errorf("a file of another run: %v", err)
		}
		if len(merged.Verdicts) != len(entries) {
			t.Errorf("%d verdicts", len(merged.Verdicts))
		}
		if n != 4 {
			continue
		}
		for want, files := range map[string][]string{"no part has a verdict on candidate": files[:3], "of another run": {files[1], files[0]},
			"too many": append(files[:4:4], files[3]), "no such file": {"nowhere"}} {
			bad := job(entries, fmt.Sprint("bad ", len(want)))
			bad.Elsewhere = units.Done(files...)
			if err := bad.Run(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", want, err)
			}
		}
	}
}

// TestProgressOfARun: progress counts the fits of all forms that are not judged yet, and adds those of earlier batches.
func TestProgressOfARun(t *testing.T) {
	var got [2]int
	r := &run{Job: &Job{Bank: &bank.Bank{Subjects: make([]bank.Subject, 5)}}, first: []int{0, 0, 2, 2, 4}, before: 5}
	r.settings.Progress = func(done, all int) { got = [2]int{done, all} }
	r.countProgress(1)
	r.settings.Progress(2, 99)
	if want := [2]int{7, 10}; got != want {
		t.Errorf("%d of %d fits, want %d of %d", got[0], got[1], want[0], want[1])
	}
}
