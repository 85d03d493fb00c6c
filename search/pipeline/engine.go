package pipeline

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// Engine does jobs: on the processors of this machine, or on others that share its files.
type Engine interface {
	// Do does a job to its end: after nil, the job's folder holds the outputs and the record ([Job.Made]). It says with notify when
	// the job is [Queued] and when it is [Started]. When ctx ends, it returns the context's error soon.
	Do(ctx context.Context, j *Job, notify func(Status)) error
	// Close ends the engine. After it, the engine does nothing in the run's folder.
	Close()
}

// Execution runs the steps of a job, with at most so many threads each.
type Execution func(ctx context.Context, j *Job, steps []Step, threads int) error

// Local is the engine of this machine.
type Local struct {
	threads int
	slots   *semaphore.Weighted
	execute Execution
}

// NewLocal shares so many processors out among jobs.
func NewLocal(threads int, execute Execution) *Local {
	threads = max(1, threads)
	return &Local{threads, semaphore.NewWeighted(int64(threads)), execute}
}

// Do does a job as soon as processors are free.
func (l *Local) Do(ctx context.Context, j *Job, notify func(Status)) error {
	threads := j.threads(l.threads)
	if err := l.slots.Acquire(ctx, int64(threads)); err != nil {
		return err
	}
	defer l.slots.Release(int64(threads))
	notify(Started)
	return j.Do(ctx, threads, l.execute)
}

// Close does nothing: what runs has ended.
func (l *Local) Close() {}
