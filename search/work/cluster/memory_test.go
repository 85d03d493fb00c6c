package cluster

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func TestParseMemories(t *testing.T) {
	got, err := ParseMemories([]string{"4G", "polish=1.5G", "search=500M"})
	if err != nil || got.ofStage("polish") != 1536 || got.ofStage("search") != 500 || got.ofStage("judge") != 4096 {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range [][]string{{""}, {"4"}, {"4GB"}, {"-1G"}, {"0M"}, {"1K"}, {"65T"}, {"=4G"}, {"polish="}, {"1G", "2G"}, {"a=1G", "a=2G"}, {"1e3G"}} {
		if got, err := ParseMemories(bad); err == nil {
			t.Errorf("%q: %v", bad, got)
		}
	}
	for text, want := range map[string]string{"1024M": "1G", "1536M": "1536M", "2T": "2T", "1024G": "1T", "2048T": ""} {
		m, err := ParseMemory(text)
		if want != "" && (err != nil || m.String() != want) || want == "" && err == nil {
			t.Errorf("%s: %v, %v; want %s", text, m, err, want)
		}
	}
}

// starved lets tasks of a stage end for want of memory below so many MiB.
func starved(f *fake, stage string, least Memory) {
	f.task = func(a Array, task int, ids []string) (End, bool) {
		if had := max(a.Memory, 100); strings.Contains(a.stages(f.t)[task], stage) && had < least {
			return End{Text: "out of memory", Memory: true, Asked: had}, true
		}
		return End{}, false
	}
}

// Units that are killed for want of memory are done with twice as much, as often as they need it; no try is lost, and other stages keep theirs.
func TestMemoryGrows(t *testing.T) {
	f, dir := newFake(t), t.TempDir()
	starved(f, "big", 700)
	all := units("a", "big-1", "big-2", "bad")
	all[1].Stage, all[2].Stage = "big", "big"
	all[3].Steps[0].Args[0] = "fail"
	o := run(t, f, dir, all, nil)
	if o.err == nil || o.err.Error() != "bad: no; it was tried twice" || !o.made("a") || !o.made("big-1") || !o.made("big-2") {
		t.Errorf("%v, %q", o.err, o.notes)
	}
	sizes := map[Memory]int{}
	for _, a := range f.submitted {
		sizes[a.Memory] += a.Tasks
	}
	if fmt.Sprint(sizes) != "map[0M:5 200M:2 400M:2 800M:2]" {
		t.Errorf("tasks by memory: %v", sizes)
	}
	first := regexp.MustCompile(`big-[12]: out of memory with 100M; tasks of the stage big get 200M from now on`) // either task may end first
	if notes := strings.Join(o.notes, "\n"); !first.MatchString(notes) {
		t.Errorf("%s", notes)
	}
	f = newFake(t) // a later run of the same folder begins with what was enough
	starved(f, "big", 700)
	more := units("a", "big-1", "big-2", "big-3")
	more[1].Stage, more[2].Stage, more[3].Stage = "big", "big", "big"
	if o := run(t, f, dir, more, nil); o.err != nil || len(f.submitted) != 1 || f.submitted[0].Memory != 800 {
		t.Errorf("%v, %+v", o.err, f.submitted)
	}
}

// Tasks that wait in the queue with too little memory are not started in vain: they go into the queue again, and those of other stages stay.
func TestWaitingTasksGetMoreMemory(t *testing.T) {
	f, dir := newFake(t), t.TempDir()
	starved(f, "big", 150)
	f.begin = func(task Task) bool { return task.Array != "1" || task.Index != 1 && task.Index != 2 } // two of three wait behind others
	all := units("big-1", "big-2", "big-3", "other")
	all[0].Stage, all[1].Stage, all[2].Stage = "big", "big", "big"
	o := run(t, f, dir, all, nil)
	if o.err != nil || !o.made("big-1") || !o.made("big-2") || !o.made("big-3") || !o.made("other") {
		t.Errorf("%v, %q", o.err, o.notes)
	}
	sizes := map[Memory]int{}
	for _, a := range f.submitted {
		sizes[a.Memory] += a.Tasks
	}
	if fmt.Sprint(sizes) != "map[0M:4 200M:3]" {
		t.Errorf("tasks by memory: %v", sizes)
	}
	if notes := strings.Join(o.notes, "\n"); !strings.Contains(notes, "job 1: 2 tasks back into the queue, with more memory") {
		t.Errorf("%s", notes)
	}
}

// It ends after three doublings, where nobody knows how much there was, and where the queue does not give more.
func TestMemoryEnds(t *testing.T) {
	f := newFake(t)
	starved(f, "s", 5000)
	o := run(t, f, t.TempDir(), units("u"), func(s *Settings) { s.Memory = Memories{"": 300, "s": 200} })
	if o.err == nil || !strings.Contains(o.err.Error(), "out of memory") || !strings.Contains(o.err.Error(), "it was tried twice") || len(f.submitted) != 5 || f.submitted[4].Memory != 1600 {
		t.Errorf("%v, %d arrays", o.err, len(f.submitted))
	}
	f = newFake(t)
	f.task = func(Array, int, []string) (End, bool) { return End{Text: "out of memory", Memory: true}, true }
	if o := run(t, f, t.TempDir(), units("u"), nil); o.err == nil || len(f.submitted) != 2 {
		t.Errorf("%v, %d arrays", o.err, len(f.submitted))
	}
	f = newFake(t)
	starved(f, "big", 5000)
	f.submit = func(n int) error {
		if f.submitted[n-1].Memory > 200 {
			return errors.New("Memory specification can not be satisfied")
		}
		return nil
	}
	all := units("big", "other")
	all[0].Stage = "big"
	o = run(t, f, t.TempDir(), all, nil)
	if o.err == nil || o.err.Error() != "big: it was out of memory, and with 400M: Memory specification can not be satisfied" || !o.made("other") {
		t.Errorf("%v", o.err)
	}
}
