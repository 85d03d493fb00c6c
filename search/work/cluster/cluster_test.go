package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"likc/search/work/pipeline"
)

// fake is a queue without machines: a task does its jobs when it is looked at for the second time.
type fake struct {
	lost   bool        // the answer to a submission is lost
	polls  []time.Time // the times of looks
	t      *testing.T
	limit  int
	check  error
	submit func(n int) error // what the n-th submission says; nil: all are taken
	task   func(a Array, task int, ids []string) (End, bool)
	states func(looks int) (State, bool) // of tasks before they end; nil: they run until the second look
	begin  func(task Task) bool          // whether a task begins; nil: all do

	mutex     sync.Mutex
	submitted []Array
	looks     map[Task]int
	ends      map[string]map[int]End
	cancelled []string
}

func (f *fake) Limit(context.Context) (int, error) { return f.limit, nil }

func (f *fake) Check(context.Context, Array) error { return f.check }

func (f *fake) Submit(_ context.Context, a Array) (string, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.submitted = append(f.submitted, a)
	if f.submit != nil {
		if err := f.submit(len(f.submitted)); err != nil {
			f.submitted[len(f.submitted)-1].Tasks = 0
			return "", err
		}
	}
	if f.lost {
		return "", fmt.Errorf("timed out: %w", ErrLater)
	}
	return fmt.Sprint(len(f.submitted)), nil
}

func (f *fake) Find(_ context.Context, name string) (string, error) {
	for i, a := range f.submitted {
		if a.Name == name && a.Tasks > 0 {
			return fmt.Sprint(i + 1), nil
		}
	}
	return "", nil
}

func (f *fake) Poll(_ context.Context, ids []string) (map[Task]State, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.polls = append(f.polls, time.Now())
	open := map[Task]State{}
	for i, a := range f.submitted {
		id := fmt.Sprint(i + 1)
		for k := range a.Tasks {
			task := Task{id, k}
			if f.ends[id][k] != (End{}) || f.cancelledHas(id) {
				continue
			}
			f.looks[task]++
			state, stays := State{Running: true}, f.looks[task] < 2
			if f.states != nil {
				state, stays = f.states(f.looks[task])
			}
			if f.begin != nil && !f.begin(task) {
				state, stays = State{}, true
			}
			if stays {
				open[task] = state
				continue
			}
			if f.ends[id] == nil {
				f.ends[id] = map[int]End{}
			}
			f.ends[id][k] = f.do(a, k)
		}
	}
	return open, nil
}

func (f *fake) cancelledHas(id string) bool {
	for _, c := range f.cancelled {
		if c == id {
			return true
		}
	}
	return false
}

// do runs the jobs that the array's list has for a task.
func (f *fake) do(a Array, task int) End {
	text, err := os.ReadFile(a.List)
	if err != nil {
		f.t.Error(err)
	}
	ids := strings.Fields(strings.Split(string(text), "\n")[task])
	if f.task != nil {
		if end, ok := f.task(a, task, ids); ok {
			return end
		}
	}
	for _, id := range ids {
		if err := pipeline.Work(context.Background(), a.Dir, id, 1, write); err != nil {
			return End{Text: "exit status 1"}
		}
	}
	return End{Text: "done", Good: true}
}

func (f *fake) Ended(_ context.Context, id string) (map[int]End, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.ends[id], nil
}

func (f *fake) Cancel(_ context.Context, id string, tasks ...int) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.cancelled = append(f.cancelled, id+strings.Trim(fmt.Sprint(tasks), "[]"))
	return nil
}

// Withdraw ends tasks as cancelled.
func (f *fake) Withdraw(_ context.Context, id string, tasks ...int) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.ends[id] == nil {
		f.ends[id] = map[int]End{}
	}
	for _, task := range tasks {
		f.ends[id][task] = End{Text: "cancelled", Cancelled: true}
	}
	return nil
}

// stages are the stages of the jobs of each task.
func (a Array) stages(t *testing.T) (all []string) {
	text, err := os.ReadFile(a.List)
	if err != nil {
		t.Error(err)
	}
	for line := range strings.Lines(string(text)) {
		job, err := os.ReadFile(filepath.Join(pipeline.WorkFolder(a.Dir), "jobs", strings.Fields(line)[0]+".json"))
		if err != nil {
			t.Error(err)
		}
		_, stage, _ := strings.Cut(string(job), `"stage": "`)
		stage, _, _ = strings.Cut(stage, `"`)
		all = append(all, stage)
	}
	return all
}

// write makes the output of a unit, or fails if its step says so.
func write(_ context.Context, j *pipeline.Job, steps []pipeline.Step, _ int) error {
	if steps[0].Args[0] == "fail" {
		return errors.New("no")
	}
	return os.WriteFile(filepath.Join(j.Dir, j.Work, "x"), []byte(strings.Join(steps[0].Args, " ")), 0o644)
}

func newFake(t *testing.T) *fake {
	return &fake{t: t, limit: 1000, looks: map[Task]int{}, ends: map[string]map[int]End{}}
}

func units(names ...string) (all []pipeline.Unit) {
	for _, name := range names {
		all = append(all, pipeline.Unit{Stage: "s", Name: name, Outputs: []string{"x"}, Steps: []pipeline.Step{{Args: []string{"make", name}}}})
	}
	return all
}

// outcome of a run.
type outcome struct {
	dir   string
	err   error
	notes []string
	*Engine
}

func run(t *testing.T, f *fake, dir string, all []pipeline.Unit, change func(*Settings)) outcome {
	t.Helper()
	o := outcome{dir: dir}
	s := Settings{Name: "t", Poll: 10 * time.Millisecond, Threads: 1, Note: func(text string) { o.notes = append(o.notes, text) }}
	if change != nil {
		change(&s)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	e, err := New(ctx, dir, f, s, write)
	if err != nil {
		t.Fatal(err)
	}
	o.Engine = e
	o.err = pipeline.Run(ctx, dir, pipeline.Plan{Name: "t", Settings: 1, Units: all}, pipeline.Options{Engine: e})
	return o
}

func (o outcome) made(name string) bool {
	_, err := pipeline.ReadRecord(filepath.Join(o.dir, name))
	return err == nil
}

// Arrays have no more tasks than may be, their jobs are on the disk before they are submitted, and a light unit goes into none.
func TestArrays(t *testing.T) {
	f := newFake(t)
	f.limit = 3
	all := units("a", "b", "c", "d", "e", "f", "g", "light")
	all[7].Light = true
	o := run(t, f, t.TempDir(), all, nil)
	if o.err != nil {
		t.Fatal(o.err)
	}
	sizes := []int{}
	for _, a := range f.submitted {
		sizes = append(sizes, a.Tasks)
	}
	if fmt.Sprint(sizes) != "[3 3 1]" {
		t.Errorf("arrays of %v tasks", sizes)
	}
	for _, u := range all {
		if !o.made(u.Name) {
			t.Errorf("%s is not made", u.Name)
		}
	}
}

// Units whose times are known share tasks until these take as long as they should.
func TestTimesFillTasks(t *testing.T) {
	known := times{}
	for range 4 {
		known.addUnit("s", pipeline.Result{Seconds: 10})
	}
	var jobs []*job
	for i := range 7 {
		jobs = append(jobs, &job{Job: &pipeline.Job{Unit: pipeline.Unit{Stage: "s", Name: fmt.Sprint("u", i)}}})
	}
	jobs = append(jobs, &job{Job: &pipeline.Job{Unit: pipeline.Unit{Stage: "other", Name: "o1"}}}, &job{Job: &pipeline.Job{Unit: pipeline.Unit{Stage: "other", Name: "o2"}}})
	var got []string
	for _, task := range known.tasks(jobs, 35*time.Second) {
		names := ""
		for _, j := range task {
			names += j.Unit.Name + " "
		}
		got = append(got, names)
	}
	if want := "o1 |o2 |u0 u1 u2 |u3 u4 u5 |u6 "; strings.Join(got, "|") != want {
		t.Errorf("tasks %q, want %q", got, want)
	}
}

// Times are kept for a run that goes on later.
func TestTimesAreKept(t *testing.T) {
	f, dir := newFake(t), t.TempDir()
	bad := units("a", "b", "bad")
	bad[2].Steps[0].Args[0] = "fail"
	o := run(t, f, dir, bad, nil)
	if o.err == nil || o.times["s"].Units != 2 {
		t.Fatalf("%v, %+v", o.err, o.times)
	}
	if again := run(t, f, dir, units("a", "b", "c"), nil); again.err != nil || again.times["s"].Units != 3 {
		t.Errorf("%v, %+v", again.err, again.times)
	}
}

// A failed unit is tried twice, and the others are done.
func TestRetry(t *testing.T) {
	f, tries := newFake(t), map[string]int{}
	f.task = func(a Array, task int, ids []string) (End, bool) {
		tries[ids[0]]++
		return End{Text: "killed by signal 9"}, tries[ids[0]] == 1
	}
	all := units("a", "b", "bad")
	all[2].Steps[0].Args[0] = "fail"
	o := run(t, f, t.TempDir(), all, nil)
	if o.err == nil || o.err.Error() != "bad: no; it was tried twice" {
		t.Errorf("%v", o.err)
	}
	if !o.made("a") || !o.made("b") || o.made("bad") {
		t.Errorf("a %v, b %v, bad %v", o.made("a"), o.made("b"), o.made("bad"))
	}
	if notes := strings.Join(o.notes, "\n"); strings.Count(notes, "killed by signal 9 (log: ") != 3 || strings.Count(notes, "it is tried once more") != 3 {
		t.Errorf("%s", notes)
	}
}

// How a task that left nothing ended decides what is done.
func TestEnds(t *testing.T) {
	for _, c := range []struct {
		end   End
		tries int
		want  string
	}{
		{End{Text: "x", Good: true}, 2, "u: job 2_0 ended without an error, but left no result (log: "},
		{End{Text: "x", Cancelled: true}, 1, "u: job 1_0 was cancelled, and not by this run"},
		{End{Text: "out of memory"}, 2, "u: job 2_0: out of memory (log: "},
	} {
		f := newFake(t)
		f.task = func(Array, int, []string) (End, bool) { return c.end, true }
		o := run(t, f, t.TempDir(), units("u"), nil)
		if o.err == nil || !strings.HasPrefix(o.err.Error(), c.want) || len(f.submitted) != c.tries {
			t.Errorf("%+v: %d tries, %v", c.end, len(f.submitted), o.err)
		}
	}
	f := newFake(t)
	f.states = func(int) (State, bool) { return State{Never: true, Why: "there is no such machine"}, true }
	o := run(t, f, t.TempDir(), units("u"), nil)
	if o.err == nil || o.err.Error() != "u: the queue would never start it: there is no such machine" || fmt.Sprint(f.cancelled) != "[10]" {
		t.Errorf("%v, cancelled %q", o.err, f.cancelled)
	}
	f = newFake(t)
	f.check = errors.New("no such partition")
	o = run(t, f, t.TempDir(), units("u", "v"), nil)
	if o.err == nil || o.err.Error() != "u and 1 more: no such partition" || len(f.submitted) > 0 {
		t.Errorf("%v, %d submitted", o.err, len(f.submitted))
	}
}

// A queue that takes nothing now is asked again; an error that does not pass ends the units.
func TestSubmissionFails(t *testing.T) {
	f := newFake(t)
	f.submit = func(n int) error {
		if n < 3 {
			return fmt.Errorf("full: %w", ErrLater)
		}
		return nil
	}
	if o := run(t, f, t.TempDir(), units("u", "v"), nil); o.err != nil || len(f.submitted) != 3 || len(o.notes) != 2 {
		t.Errorf("%v, %d submitted, %q", o.err, len(f.submitted), o.notes)
	}
	f = newFake(t)
	f.submit = func(int) error { return errors.New("no account") }
	if o := run(t, f, t.TempDir(), units("u"), nil); o.err == nil || o.err.Error() != "u: no account" || len(o.Left()) > 0 {
		t.Errorf("%v, left %q", o.err, o.Left())
	}
}

// A detached run leaves its array, the next one finds it; a queue that forgets tells nothing.
func TestDetach(t *testing.T) {
	f, dir := newFake(t), t.TempDir()
	f.states = func(int) (State, bool) { return State{Running: true}, true }
	o := run(t, f, dir, units("u", "v"), func(s *Settings) { s.Detach = true })
	if !errors.Is(o.err, ErrDetached) || fmt.Sprint(o.Left()) != "[1 (2 tasks)]" {
		t.Fatalf("%v, left %q", o.err, o.Left())
	}
	f.states = nil
	o = run(t, f, dir, units("u", "v", "new"), nil)
	if o.err != nil || len(f.submitted) != 2 || f.submitted[1].Tasks != 1 || !o.made("u") || !o.made("new") {
		t.Errorf("%v, %d submitted", o.err, len(f.submitted))
	}
	f, dir = newFake(t), t.TempDir()
	f.states = func(int) (State, bool) { return State{Running: true}, true }
	run(t, f, dir, units("u"), func(s *Settings) { s.Detach = true })
	f.submitted, f.states = nil, nil    // purged
	o = run(t, f, dir, units("u"), nil) // it says that the queue has forgotten the job, unless it looks before the unit asks for it
	if o.err != nil || len(f.submitted) != 1 || !o.made("u") {
		t.Errorf("%v, %d submitted, %q", o.err, len(f.submitted), o.notes)
	}
}

// A unit is divided, its parts go into the queue, and the merged unit is done here. Parts that are done are not done again.
func TestDividedUnit(t *testing.T) {
	f, dir := newFake(t), t.TempDir()
	all := units("u")
	all[0].Divide = func(string, []string) (int, error) { return 3, nil }
	o := run(t, f, dir, all, nil)
	if o.err != nil || len(f.submitted) != 1 || f.submitted[0].Tasks != 3 {
		t.Fatalf("%v, %d arrays", o.err, len(f.submitted))
	}
	text, err := os.ReadFile(filepath.Join(dir, "u", "x"))
	if err != nil || strings.Count(string(text), "/x") != 3 || !strings.HasPrefix(string(text), "make u --parts .work/") {
		t.Errorf("%s, %v", text, err)
	}
}

// The program is copied once, and again if the copy is damaged.
func TestProgram(t *testing.T) {
	e, err := New(t.Context(), t.TempDir(), newFake(t), Settings{}, write)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	path, sum, err := e.program()
	if err != nil || filepath.Base(path) != "likc" {
		t.Fatal(path, err)
	}
	before, _ := os.Stat(path)
	if _, _, err := e.program(); err != nil {
		t.Fatal(err)
	}
	if again, _ := os.Stat(path); !os.SameFile(before, again) || before.Mode()&0o111 == 0 {
		t.Error("it was copied again, or cannot be run")
	}
	if err := os.WriteFile(path, []byte("half"), 0o755); err != nil {
		t.Fatal(err)
	}
	if again, sum2, err := e.program(); err != nil || again != path || sum2 != sum {
		t.Error(again, sum2, err)
	}
	if info, _ := os.Stat(path); info.Size() != before.Size() {
		t.Error("the damaged copy stays")
	}
}
