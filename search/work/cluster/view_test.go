package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"likc/search/work/pipeline"
)

// look looks at a run while a queue says which tasks are open.
func look(t *testing.T, dir string, q Queue) *View {
	t.Helper()
	v, err := Look(t.Context(), dir, q)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A run is seen by those who do not steer it: while its jobs are in the queue, after some failed, and after its end.
func TestLook(t *testing.T) {
	f, dir := newFake(t), t.TempDir()
	if _, err := Look(t.Context(), dir, f); err == nil {
		t.Error("an empty folder is no run")
	}
	f.states = func(looks int) (State, bool) { return State{Running: looks > 1, Why: "you hold it"}, true }
	all := units("a", "b", "bad", "divided", "last")
	all[2].Steps[0].Args[0] = "fail"
	all[3].Divide = func(string, []string) (int, error) { return 2, nil }
	all[4].Inputs = []pipeline.Input{{Label: "in", Unit: "divided"}}
	all[4].Stage = "s2"
	if o := run(t, f, dir, all, func(s *Settings) { s.Detach = true }); !errors.Is(o.err, ErrDetached) {
		t.Fatal(o.err)
	}
	f.looks = map[Task]int{}
	v := look(t, dir, f)
	if got, want := fmt.Sprint(v.Steered, v.Stages, v.Queue, v.Failures, v.Silent), "false [{s 4 0 0 4 0 0} {s2 1 0 0 0 0 0}] [{1 5 0 [you hold it]}] []"; got != want {
		t.Errorf("queued: %s, want %s", got, want)
	}
	v = look(t, dir, f)
	if got, want := fmt.Sprint(v.Stages, v.Queue), "[{s 4 0 4 0 0 0} {s2 1 0 0 0 0 0}] [{1 5 5 []}]"; got != want {
		t.Errorf("at work: %s, want %s", got, want)
	}
	if v = look(t, dir, deaf{f}); v.Silent != "no answer" || fmt.Sprint(v.Stages[0]) != "{s 4 0 0 4 0 0}" {
		t.Errorf("the queue does not answer: %+v", v.View)
	}
	f.states = nil
	for range 2 {
		if _, err := f.Poll(t.Context(), []string{"1"}); err != nil {
			t.Error(err)
		}
	}
	if v = look(t, dir, f); fmt.Sprint(v.Stages[0]) != "{s 4 2 0 0 1 1}" {
		t.Errorf("over, and nobody steers: %+v", v.Stages)
	}
	if o := run(t, f, dir, all, nil); o.err == nil {
		t.Fatal("no error")
	}
	v = look(t, dir, f)
	if got, want := fmt.Sprint(v.Stages, v.Queue), "[{s 4 3 0 0 1 0} {s2 1 1 0 0 0 0}] []"; got != want {
		t.Errorf("after a failure: %s, want %s", got, want)
	}
	if len(v.Failures) != 1 || v.Failures[0].Unit != "bad" || v.Failures[0].Error != "no" {
		t.Errorf("%+v", v.Failures)
	}
}

// Why a unit was given up is seen too where its task left nothing; a unit that is done later is no failure.
func TestLookAtFailures(t *testing.T) {
	f, dir := newFake(t), t.TempDir()
	f.task = func(Array, int, []string) (End, bool) { return End{Text: "its time was up"}, true }
	run(t, f, dir, units("u", "v"), nil)
	v := look(t, dir, f)
	if len(v.Failures) != 2 || !strings.Contains(v.Failures[0].Error, "its time was up") || !strings.Contains(v.Failures[0].Error, "it was tried twice") {
		t.Errorf("%+v", v.Failures)
	}
	f.task = func(a Array, _ int, ids []string) (End, bool) {
		job, _ := os.ReadFile(filepath.Join(pipeline.WorkFolder(a.Dir), "jobs", ids[0]+".json"))
		return End{Text: "its time was up"}, strings.Contains(string(job), `"name": "u"`)
	}
	run(t, f, dir, units("u", "v"), nil)
	if v = look(t, dir, f); len(v.Failures) != 1 || v.Stages[0].Done != 1 || v.Stages[0].Failed != 1 {
		t.Errorf("%+v, %+v", v.Failures, v.Stages)
	}
}

// While a command works on the run, it is said so; a unit with a log alone was begun here.
func TestLookFromBeside(t *testing.T) {
	dir := t.TempDir()
	all := units("u", "v")
	all[0].Light, all[1].Inputs = true, []pipeline.Input{{Label: "in", Unit: "u"}}
	var v *View
	e := pipeline.NewLocal(1, func(ctx context.Context, j *pipeline.Job, steps []pipeline.Step, n int) error {
		if err := os.WriteFile(j.Log(), nil, 0o644); err != nil {
			return err
		}
		if j.Unit.Name == "v" {
			v = look(t, dir, newFake(t))
		}
		return write(ctx, j, steps, n)
	})
	if err := pipeline.Run(t.Context(), dir, pipeline.Plan{Name: "t", Settings: 1, Units: all}, pipeline.Options{Engine: e}); err != nil {
		t.Fatal(err)
	}
	if !v.Steered || fmt.Sprint(v.Stages) != "[{s 2 1 0 0 0 1}]" {
		t.Errorf("%+v", v.View)
	}
	if v = look(t, dir, newFake(t)); v.Steered || fmt.Sprint(v.Stages) != "[{s 2 2 0 0 0 0}]" {
		t.Errorf("%+v", v.View)
	}
}
