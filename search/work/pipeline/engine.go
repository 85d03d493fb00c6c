package pipeline

import "context"

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
	turn    chan struct{} // holds the job that waits for processors next: one that wants many is not overtaken by those that want few
	busy    chan struct{} // holds one for each processor in use
	execute Execution
}

// NewLocal shares so many processors out among jobs.
func NewLocal(threads int, execute Execution) *Local {
	threads = max(1, threads)
	return &Local{threads, make(chan struct{}, 1), make(chan struct{}, threads), execute}
}

// Do does a job as soon as processors are free.
func (l *Local) Do(ctx context.Context, j *Job, notify func(Status)) error {
	threads := j.threads(l.threads)
	if err := l.acquire(ctx, threads); err != nil {
		return err
	}
	defer l.release(threads)
	notify(Started)
	return j.Do(ctx, threads, l.execute)
}

// acquire waits until so many processors are free, at most all of them.
func (l *Local) acquire(ctx context.Context, n int) error {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for taken := range n {
		select {
		case l.busy <- struct{}{}:
		case <-ctx.Done():
			l.release(taken)
			return ctx.Err()
		}
	}
	return nil
}

func (l *Local) release(n int) {
	for range n {
		<-l.busy
	}
}

// Close does nothing: what runs has ended.
func (l *Local) Close() {}
