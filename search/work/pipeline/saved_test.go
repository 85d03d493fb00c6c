package pipeline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"likc/runtime/sys/store"
)

// elsewhere is an engine that does jobs from their files, as a program on another machine does.
type elsewhere struct {
	t       *testing.T
	execute Execution
	mutex   sync.Mutex
	results map[string]Result
}

func (e *elsewhere) Do(ctx context.Context, j *Job, notify func(Status)) error {
	notify(Queued)
	if err := j.Save(); err != nil {
		return err
	}
	notify(Started)
	if err := Work(ctx, j.Dir, j.ID(), 1, e.execute); err != nil {
		return err
	}
	r, ok := j.Result()
	if !ok {
		e.t.Errorf("%s: no result", j.Unit.Name)
	}
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.results[j.Unit.Name] = r
	return nil
}

func (e *elsewhere) Close() {}

// TestSavedJobs: jobs that are done from their files leave the same run, byte for byte.
func TestSavedJobs(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(dir, "in")
	write(t, outside, "IN")
	units := chain(outside, "b")
	units[2].Steps[0].Args[1] = "b"
	var s shop
	s.run(t, filepath.Join(dir, "here"), units, Options{})
	there := &elsewhere{t: t, execute: s.execute, results: map[string]Result{}}
	if err := Run(t.Context(), filepath.Join(dir, "there"), Plan{Name: "p", Settings: map[string]int{"n": 1}, Units: units}, Options{Engine: there}); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"a/x", "b/one/x", "c/x", "c/" + RecordFile, ManifestFile, PlanFile} {
		if a, b := read(t, filepath.Join(dir, "here", file)), read(t, filepath.Join(dir, "there", file)); a != b {
			t.Errorf("%s differs:\n%s\n%s", file, a, b)
		}
	}
	if len(there.results) != 4 || there.results["c"].Error != "" || there.results["c"].Threads != 1 {
		t.Errorf("%+v", there.results)
	}
}

// saved saves the first job of the chain.
func saved(t *testing.T) (*Job, string) {
	t.Helper()
	dir := t.TempDir()
	outside := filepath.Join(dir, "in")
	write(t, outside, "IN")
	u := chain(outside, "b")[0]
	record, err := newRecord(u, "1", "", nil, store.Sum)
	if err != nil {
		t.Fatal(err)
	}
	j := newJob(dir, u, record)
	if err := j.Save(); err != nil {
		t.Fatal(err)
	}
	return j, outside
}

// TestResultOfFailure: a job that fails says why in its result; one that is ended from outside has none.
func TestResultOfFailure(t *testing.T) {
	j, outside := saved(t)
	s := shop{fail: "a"}
	if err := Work(t.Context(), j.Dir, j.ID(), 1, s.execute); err == nil {
		t.Error("no error")
	}
	if r, ok := j.Result(); !ok || r.Error != "no" || r.Host == "" {
		t.Errorf("%+v, %v", r, ok)
	}
	if err := j.Forget(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ends := func(context.Context, *Job, []Step, int) error { cancel(); return ctx.Err() }
	if err := Work(ctx, j.Dir, j.ID(), 1, ends); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if r, ok := j.Result(); ok {
		t.Errorf("%+v", r)
	}
	os.Remove(outside)
	if err := Work(t.Context(), j.Dir, j.ID(), 1, s.execute); err == nil {
		t.Error("no error")
	}
	if r, _ := j.Result(); !strings.Contains(r.Error, "does not see it") {
		t.Errorf("%+v", r)
	}
	for _, id := range []string{"../../" + j.ID(), "", "nothing"} {
		if err := Work(t.Context(), j.Dir, id, 1, s.execute); err == nil {
			t.Errorf("%q: no error", id)
		}
	}
}

// TestParts: parts have names, folders and keys of their own, and the merged job is told of their files.
func TestParts(t *testing.T) {
	j, _ := saved(t)
	j.Unit.Steps = []Step{{Args: j.Unit.Steps[0].Args, Again: []string{"{out}/x", "again"}}}
	asked := ""
	j.Unit.Divide = func(dir string, args []string) (int, error) { asked = args[0]; return 3, nil }
	parts, err := j.Parts()
	if err != nil || len(parts) != 3 || asked != j.Work+"/x" {
		t.Fatalf("%d parts, %v, asked about %s", len(parts), err, asked)
	}
	seen := map[string]bool{j.Record.Key: true, j.Work: true, j.Log(): true}
	for _, p := range parts {
		for _, own := range []string{p.Record.Key, p.Work, p.Log()} {
			if seen[own] {
				t.Errorf("two have %s", own)
			}
			seen[own] = true
		}
	}
	args := strings.Join(parts[1].Steps[0].Args, " ")
	if !strings.HasSuffix(args, " --part 2/3") || !strings.HasPrefix(args, parts[1].Work+"/x ") {
		t.Errorf("part 2 is %s", args)
	}
	if again := strings.Join(parts[1].Steps[0].Again, " "); again != parts[1].Work+"/x again --part 2/3" {
		t.Errorf("part 2 goes on by %s", again)
	}
	args = strings.Join(j.Merged(parts).Steps[0].Args, " ")
	if want := parts[0].Work + "/x," + parts[1].Work + "/x," + parts[2].Work + "/x"; !strings.HasSuffix(args, " --parts "+want) {
		t.Errorf("merged is %s", args)
	}
	if len(j.Steps[0].Args) != 3 {
		t.Errorf("the job itself is %q now", j.Steps[0].Args)
	}
	j.Unit.Divide = func(string, []string) (int, error) { return 1, nil }
	if parts, err := j.Parts(); len(parts) > 0 || err != nil {
		t.Errorf("one part is %v, %v", parts, err)
	}
}

// TestOthersGoOn: after a failure, what does not need the unit is done, and what needs it is not.
func TestOthersGoOn(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "in"), "IN")
	s := shop{fail: "b/one"}
	err := Run(t.Context(), dir, Plan{Units: chain(filepath.Join(dir, "in"), "b")}, Options{Engine: NewLocal(1, s.execute)})
	if err == nil || err.Error() != "b/one: no" {
		t.Errorf("%v", err)
	}
	for name, want := range map[string]bool{"a": true, "b/one": false, "b/two": true, "c": false} {
		if _, err := ReadRecord(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, ManifestFile)); err == nil {
		t.Error("a run that failed has a manifest")
	}
}
