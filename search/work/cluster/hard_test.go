package cluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"likc/runtime/num/isa"
	"likc/search/work/pipeline"
)

// A queue that takes no more than five tasks at a time gets smaller arrays, and takes all units in the end.
func TestFullQueueGetsSmallerArrays(t *testing.T) {
	f := newFake(t)
	f.submit = func(n int) error {
		if f.submitted[n-1].Tasks > 5 {
			return fmt.Errorf("MaxSubmitJobs: %w", errors.Join(ErrLater, ErrFull))
		}
		return nil
	}
	names := strings.Split("a b c d e f g h i j k l m", " ")
	o := run(t, f, t.TempDir(), units(names...), nil)
	if o.err != nil {
		t.Fatal(o.err)
	}
	sizes := []int{}
	for _, a := range f.submitted {
		if a.Tasks > 0 {
			sizes = append(sizes, a.Tasks)
		}
	}
	if len(sizes) < 3 || len(sizes) > 6 {
		t.Errorf("arrays of %v tasks", sizes)
	}
	for _, name := range names {
		if !o.made(name) {
			t.Errorf("%s is not made", name)
		}
	}
}

// One that is full for one task too is asked again after a while, not at once.
func TestFullQueueIsAskedLater(t *testing.T) {
	f := newFake(t)
	begun := time.Now()
	f.submit = func(n int) error {
		if time.Since(begun) < 400*time.Millisecond {
			return fmt.Errorf("MaxJobCount: %w", errors.Join(ErrLater, ErrFull))
		}
		return nil
	}
	o := run(t, f, t.TempDir(), units("a", "b", "c", "d"), func(s *Settings) { s.Poll = 100 * time.Millisecond })
	if o.err != nil || len(f.submitted) > 14 {
		t.Errorf("%v, %d times", o.err, len(f.submitted))
	}
}

// What was cancelled while no run looked goes into the queue again with the same command: it is not told as a failure of this run.
func TestCancelledBefore(t *testing.T) {
	f, dir := newFake(t), t.TempDir()
	f.states = func(int) (State, bool) { return State{}, true }
	if o := run(t, f, dir, units("u", "v"), func(s *Settings) { s.Detach = true }); !errors.Is(o.err, ErrDetached) {
		t.Fatal(o.err)
	}
	f.states = nil
	f.ends["1"] = map[int]End{0: {Text: "cancelled", Cancelled: true}, 1: {Text: "cancelled", Cancelled: true}}
	o := run(t, f, dir, units("u", "v"), nil)
	if o.err != nil || len(f.submitted) != 2 || !o.made("u") || !o.made("v") {
		t.Errorf("%v, %d submitted, %q", o.err, len(f.submitted), o.notes)
	}
}

// An array that the queue took, although the answer was lost, is not submitted twice.
func TestAnswerIsLost(t *testing.T) {
	f := newFake(t)
	f.lost = true
	o := run(t, f, t.TempDir(), units("u"), nil)
	if o.err != nil || len(f.submitted) != 1 || !o.made("u") {
		t.Errorf("%v, %d submitted, %q", o.err, len(f.submitted), o.notes)
	}
}

// However often something changes, the queue is not asked more than 6 times in the longest time between looks. Long tests take a time for
// which a fixed pause of a second and a half is too short.
func TestLooksAreBounded(t *testing.T) {
	f, poll, names := newFake(t), 600*time.Millisecond, "a b c d e f g h"
	if os.Getenv("LIKC_LONG") != "" {
		poll, names = 12*time.Second, "a b c d"
	}
	f.limit = 1
	o := run(t, f, t.TempDir(), units(strings.Split(names, " ")...), func(s *Settings) { s.Poll = poll })
	if o.err != nil {
		t.Fatal(o.err)
	}
	for i := 1; i < len(f.polls); i++ {
		if between := f.polls[i].Sub(f.polls[i-1]); between < poll/6-poll/120 {
			t.Errorf("%v between two looks", between)
		}
	}
}

// A unit that was killed is told with the batch system's reason, if that is memory.
func TestKilledForMemory(t *testing.T) {
	f, looks := newFake(t), 0
	f.task = func(a Array, _ int, ids []string) (End, bool) {
		looks++
		text := `{"error":"likc search: killed","killed":true,"seconds":1,"threads":1,"host":"x"}`
		if err := os.WriteFile(filepath.Join(pipeline.WorkFolder(a.Dir), "jobs", ids[0]+".result"), []byte(text), 0o644); err != nil {
			t.Error(err)
		}
		return End{Text: "out of memory", Memory: true}, true
	}
	o := run(t, f, t.TempDir(), units("u"), nil)
	if o.err == nil || !strings.Contains(o.err.Error(), "u: job 2_0: out of memory") || looks != 2 {
		t.Errorf("%v, done %d times", o.err, looks)
	}
	f = newFake(t)
	f.task = func(a Array, _ int, ids []string) (End, bool) {
		text := `{"error":"likc search: killed by signal 9","killed":true,"seconds":1,"threads":1,"host":"x"}`
		os.WriteFile(filepath.Join(pipeline.WorkFolder(a.Dir), "jobs", ids[0]+".result"), []byte(text), 0o644)
		return End{Text: "exit status 1"}, true
	}
	if o := run(t, f, t.TempDir(), units("u"), nil); o.err == nil || !strings.Contains(o.err.Error(), "u: likc search: killed by signal 9; it was tried twice") {
		t.Errorf("%v", o.err)
	}
}

// Machines of two kinds are told once, whichever unit is seen first; the record of each unit has its instruction set.
func TestInstructionSetsAreCompared(t *testing.T) {
	f := newFake(t)
	f.limit = 1
	done := 0
	f.task = func(a Array, task int, ids []string) (End, bool) {
		if err := pipeline.Work(t.Context(), a.Dir, ids[0], 1, write); err != nil {
			t.Error(err)
		}
		done++
		text := fmt.Sprintf(`{"seconds":1,"threads":1,"host":"x","isa":"kind %d"}`, done)
		os.WriteFile(filepath.Join(pipeline.WorkFolder(a.Dir), "jobs", ids[0]+".result"), []byte(text), 0o644)
		return End{Text: "done", Good: true}, true
	}
	o := run(t, f, t.TempDir(), units("u", "v", "w"), nil)
	if o.err != nil || strings.Count(strings.Join(o.notes, "\n"), "with the instruction sets kind ") != 1 {
		t.Errorf("%v, %q", o.err, o.notes)
	}
	if r, err := pipeline.ReadRecord(filepath.Join(o.dir, "u")); err != nil || r.ISA != isa.Best().String() {
		t.Errorf("%+v, %v", r, err)
	}
}

// What an earlier version of the run left in the queue, and this one does not want, is cancelled.
func TestUnwantedArraysAreCancelled(t *testing.T) {
	f, dir := newFake(t), t.TempDir()
	f.states = func(int) (State, bool) { return State{Running: true}, true }
	if o := run(t, f, dir, units("old"), func(s *Settings) { s.Detach = true }); !errors.Is(o.err, ErrDetached) {
		t.Fatal(o.err)
	}
	begun := time.Now()
	f.states = func(int) (State, bool) { return State{Running: true}, time.Since(begun) < time.Second }
	o := run(t, f, dir, units("new"), nil)
	if o.err != nil || fmt.Sprint(f.cancelled) != "[1]" || !strings.Contains(strings.Join(o.notes, "\n"), "job 1 is cancelled: the program or the settings have changed") {
		t.Errorf("%v, cancelled %q, %q", o.err, f.cancelled, o.notes)
	}
}
