package cluster

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"likc/runtime/sys/workers"
	"likc/search/work/pipeline"
)

// Settings of an engine. Results do not depend on them.
type Settings struct {
	Name    string        // the name of the run, in the names of arrays
	Target  time.Duration // the time that a task should take: units that are shorter are put together
	Poll    time.Duration // the longest time between two looks at the queue; a file that is not seen after two is taken for missing
	Detach  bool          // put into the queue what can be, and end with ErrDetached
	Note    func(string)  // is told what a user should know; nil for nobody
	Threads int           // threads of this machine, for light units
	Memory  Memories      // the memory of tasks by stage
}

// ErrDetached says that the engine has left its arrays in the queue, as it was asked to.
var ErrDetached = errors.New("detached")

// Engine does jobs through a queue. Make one for each run.
type Engine struct {
	queue    Queue
	dir      string
	settings Settings
	local    *pipeline.Local

	ctx     context.Context
	stop    context.CancelFunc
	start   sync.Once
	ended   chan struct{} // closed when no more job will be done
	mutex   sync.Mutex
	arrived []*job
	last    time.Time // the time of the last arrival, or of the last end of work on this machine
	here    int       // jobs that this machine does
	failure error     // why the engine ended

	loop // belongs to one goroutine, and after ended to the caller
}

// job is one that is waited for.
type job struct {
	*pipeline.Job
	notify func(pipeline.Status)
	done   chan error
	tries  int // attempts that failed

	doublings int // how often the job's stage got more memory because of it
}

// New returns the engine of a run in the folder dir, which ends with ctx or Close.
func New(ctx context.Context, dir string, q Queue, s Settings, execute pipeline.Execution) (*Engine, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if s.Note == nil {
		s.Note = func(string) {}
	}
	e := &Engine{queue: q, dir: dir, settings: s, local: pipeline.NewLocal(s.Threads, execute), ended: make(chan struct{})}
	e.ctx, e.stop = context.WithCancel(ctx)
	e.arrays, e.times = map[string]*array{}, times{}
	return e, nil
}

// Do does a job: a light one here, any other in the queue, in parts if it can be divided.
func (e *Engine) Do(ctx context.Context, j *pipeline.Job, notify func(pipeline.Status)) error {
	if j.Unit.Light {
		return e.doHere(ctx, j, notify)
	}
	parts, err := j.Parts()
	if err != nil {
		return err
	}
	if len(parts) == 0 {
		return e.send(ctx, j, notify)
	}
	notify = once(notify)
	failures := make([]error, len(parts)) // a part that fails does not end the others
	workers.Do(ctx, len(parts), len(parts), func(_, i int) {
		if _, done := parts[i].Made(); !done {
			failures[i] = e.send(ctx, parts[i], notify)
		}
	})
	if err := cmp.Or(append(failures, ctx.Err())...); err != nil {
		return err
	}
	return e.doHere(ctx, j.Merged(parts), func(pipeline.Status) {})
}

// once passes on each status the first time.
func once(notify func(pipeline.Status)) func(pipeline.Status) {
	var mutex sync.Mutex
	told := map[pipeline.Status]bool{}
	return func(s pipeline.Status) {
		mutex.Lock()
		defer mutex.Unlock()
		if !told[s] {
			told[s] = true
			notify(s)
		}
	}
}

func (e *Engine) doHere(ctx context.Context, j *pipeline.Job, notify func(pipeline.Status)) error {
	e.count(1)
	defer e.count(-1)
	return e.local.Do(ctx, j, notify)
}

func (e *Engine) count(n int) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.here += n
	e.last = time.Now()
}

// send gives a job to the loop and waits for its end.
func (e *Engine) send(ctx context.Context, j *pipeline.Job, notify func(pipeline.Status)) error {
	e.start.Do(func() { go e.run() })
	waited := &job{Job: j, notify: notify, done: make(chan error, 1)}
	e.mutex.Lock()
	e.arrived, e.last = append(e.arrived, waited), time.Now()
	e.mutex.Unlock()
	notify(pipeline.Queued)
	select {
	case err := <-waited.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-e.ended:
		return e.failure
	}
}

// Close ends the engine and waits until it has. Arrays stay in the queue.
func (e *Engine) Close() {
	e.stop()
	e.start.Do(func() { close(e.ended) })
	<-e.ended
}
