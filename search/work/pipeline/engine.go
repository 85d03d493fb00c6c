package pipeline

import "context"

// Engine runs jobs: on the processors of this machine, or on other machines that share its files.
type Engine interface {
	// Do runs a job to its end. If it returns nil, the job's folder holds the outputs and the record ([Job.Made]). It calls notify when
	// the job is [Queued] and when it is [Started]. When ctx ends, it soon returns the context's error.
	Do(ctx context.Context, j *Job, notify func(Status)) error
	// Close ends the engine, which then no longer changes the run's folder.
	Close()
}

// Execution runs the steps of a job, each with at most the given number of threads.
type Execution func(ctx context.Context, j *Job, steps []Step, threads int) error

// Local is the engine of this machine.
type Local struct {
	threads int
	turn    chan struct{} // full while a job waits for processors: only one job waits at a time, so that small jobs cannot overtake it
	busy    chan struct{} // holds one element for each processor in use
	execute Execution
}

// NewLocal returns an engine that divides a number of processors among jobs.
func NewLocal(threads int, execute Execution) *Local {
	threads = max(1, threads)
	return &Local{threads, make(chan struct{}, 1), make(chan struct{}, threads), execute}
}

// Do runs a job as soon as enough processors are free.
func (l *Local) Do(ctx context.Context, j *Job, notify func(Status)) error {
	threads := j.threads(l.threads)
	if err := l.acquire(ctx, threads); err != nil {
		return err
	}
	defer l.release(threads)
	notify(Started)
	return j.Do(ctx, threads, l.execute)
}

// acquire waits until n processors are free, and marks them as in use. n is at most the number of the engine's processors.
func (l *Local) acquire(ctx context.Context, n int) error {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for acquired := range n {
		select {
		case l.busy <- struct{}{}:
		case <-ctx.Done():
			l.release(acquired)
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

// Close does nothing, because no job runs after Do has returned.
func (l *Local) Close() {}
