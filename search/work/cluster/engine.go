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

// Settings configure an engine. Results do not depend on them.
type Settings struct {
	Name    string        // the name of the run, in the names of arrays
	Target  time.Duration // the wanted duration of a task: shorter units are grouped
	Poll    time.Duration // the longest time between two polls of the queue; a file that is not visible after two polls counts as missing
	Detach  bool          // whether to submit all jobs whose inputs are ready, and then end with ErrDetached
	Note    func(string)  // receives messages for the user; nil: messages are dropped
	Threads int           // threads of this machine, used for light units
	Memory  Memories      // the memory of tasks by stage
}

// ErrDetached says that the engine has left its arrays in the queue, because Detach is set.
var ErrDetached = errors.New("detached")

// Engine runs jobs through a queue. Each run needs its own engine.
type Engine struct {
	queue    Queue
	dir      string // the run's folder
	settings Settings
	local    *pipeline.Local // runs jobs on this machine

	ctx     context.Context
	stop    context.CancelFunc
	start   sync.Once
	ended   chan struct{} // closed when the engine will finish no more jobs
	mutex   sync.Mutex
	arrived []*job    // jobs that Do received and that the loop has not taken over yet
	last    time.Time // the time when the last job arrived, or when a job on this machine last began or ended
	here    int       // number of jobs that are running on this machine
	failure error     // the error with which the engine ended

	loop // belongs to one goroutine; after ended is closed, to the caller
}

// job is a job that has not finished.
type job struct {
	*pipeline.Job
	notify func(pipeline.Status)
	done   chan error // receives the job's error, or nil, when the job has ended
	tries  int        // number of failed attempts

	doublings int // how often the memory of the job's stage was doubled because of this job
}

// New returns the engine of a run in the folder dir. It ends with ctx or at Close.
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

// Do runs a job: on this machine if it is light, otherwise through the queue, and in parts if it can be divided.
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
	failures := make([]error, len(parts)) // one failed part does not stop the others
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

// once returns a notify function that reports each status only the first time.
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

// doHere runs a job on this machine.
func (e *Engine) doHere(ctx context.Context, j *pipeline.Job, notify func(pipeline.Status)) error {
	e.count(1)
	defer e.count(-1)
	return e.local.Do(ctx, j, notify)
}

// count adds n to the number of jobs on this machine.
func (e *Engine) count(n int) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.here += n
	e.last = time.Now()
}

// send passes a job to the engine's loop and waits until it has ended.
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

// Close ends the engine and waits for its loop. Arrays stay in the queue.
func (e *Engine) Close() {
	e.stop()
	e.start.Do(func() { close(e.ended) })
	<-e.ended
}
