package cluster

import (
	"context"
	"fmt"
	"time"

	"likc/search/work/pipeline"
)

const (
	tick   = 50 * time.Millisecond // the interval of the loop
	settle = 4 * tick              // after this time without a new job, the ready jobs are submitted together
)

// loop is the state of the engine's goroutine.
type loop struct {
	ready   []*job // jobs to submit
	arrays  map[string]*array
	times   times
	limit   int           // the most tasks of an array
	size    int           // number of tasks to try in the next array; smaller while the queue is full
	checked bool          // whether the queue has said that arrays can start
	pause   time.Duration // present time between two polls of the queue
	next    time.Time     // time of the next poll
	hold    time.Time     // nothing is submitted before this time
	set     string        // the instruction set of the first unit
	mixed   bool          // whether another unit had a different instruction set
	begun   time.Time     // time when the engine started
	swept   bool          // whether unused arrays of an earlier run were cancelled
	noted   string        // the last message about a queue that does not answer
}

// run handles jobs until the engine's context ends.
func (e *Engine) run() {
	defer close(e.ended)
	e.begun = time.Now()
	e.failure = e.reopen()
	for e.failure == nil {
		if e.failure = e.ctx.Err(); e.failure == nil {
			e.failure = e.turn()
		}
		select {
		case <-e.ctx.Done():
		case <-time.After(tick):
		}
	}
}

// command returns a context for a command of the queue. It outlives the engine's context, so that the id of a submitted array is not
// lost.
func (e *Engine) command() (context.Context, func()) {
	return context.WithTimeout(context.WithoutCancel(e.ctx), 2*time.Minute)
}

// reopen finds the arrays that an earlier run left in the queue.
func (e *Engine) reopen() error {
	e.readTimes()
	saved, err := e.saved()
	if err != nil {
		return err
	}
	for _, a := range saved {
		if a.ID == "" { // the run was killed while it submitted the array
			ctx, cancel := e.command()
			a.ID, err = e.queue.Find(ctx, a.Name)
			cancel()
			if err != nil {
				return err
			}
			if a.ID == "" {
				e.forget(a)
				continue
			}
			if err := e.save(a); err != nil {
				return err
			}
		}
		a.reopened, a.earlier = true, true
		e.arrays[a.Name] = a
		e.settings.Note(fmt.Sprintf("job %s has been in the queue since an earlier run; this run uses it", a.ID))
	}
	return nil
}

// turn does one round of the loop.
func (e *Engine) turn() error {
	arrived, settled := e.arrivals()
	for _, j := range arrived {
		e.assign(j)
	}
	now := time.Now()
	if settled && len(e.ready) > 0 && now.After(e.hold) {
		e.submit()
	}
	if len(e.arrays) > 0 && now.After(e.next) {
		e.poll()
	}
	if settled && !e.swept && now.Sub(e.begun) > sweepAfter*e.settings.Poll {
		e.sweep()
	}
	if e.settings.Detach && settled && len(e.ready) == 0 && len(e.arrays) > 0 {
		return ErrDetached
	}
	return nil
}

// After sweepAfter times Settings.Poll, a run assumes that it does not need those arrays of an earlier run that no job has asked for.
const sweepAfter = 3

// sweep cancels arrays of an earlier run that no job of this run needs, because the program or the settings have changed.
func (e *Engine) sweep() {
	e.swept = true
	for _, a := range e.arrays {
		if !a.reopened || len(a.jobs) > 0 || a.open() == 0 {
			continue
		}
		ctx, cancel := e.command()
		err := e.queue.Cancel(ctx, a.ID)
		cancel()
		if err != nil {
			e.noteOnce(err.Error())
			continue
		}
		e.settings.Note(fmt.Sprintf("job %s is cancelled: the program or the settings have changed, and nothing waits for it", a.ID))
		e.forget(a)
	}
}

// arrivals returns the jobs that arrived since the last call. settled reports whether no more jobs are expected now.
func (e *Engine) arrivals() (arrived []*job, settled bool) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	arrived, e.arrived = e.arrived, nil
	settled = len(arrived) == 0 && time.Since(e.last) > settle
	if e.settings.Detach && e.here > 0 {
		settled = false
	}
	return arrived, settled
}

// assign gives a job to the array that already contains it, or marks it ready to submit. A job that an array of an earlier run has
// already finished is done; this is checked first, because the engine may have forgotten that array.
func (e *Engine) assign(j *job) {
	if _, made := j.Made(); made {
		j.done <- nil
		return
	}
	for _, a := range e.arrays {
		if a.has(j.ID()) {
			a.jobs[j.ID()] = j
			e.hurry()
			return
		}
	}
	e.ready = append(e.ready, j)
}

// rush is the factor by which polls can become more frequent: every 5 seconds if the longest time between two polls is 30.
const rush = 6

// hurry makes the loop poll the queue soon, and often for a while.
func (e *Engine) hurry() {
	e.pause = e.settings.Poll / rush
	if soon := time.Now().Add(e.pause); e.next.After(soon) {
		e.next = soon
	}
}

// relax makes polls less frequent.
func (e *Engine) relax() {
	e.pause = min(e.pause*3/2, e.settings.Poll)
	e.next = time.Now().Add(e.pause)
}

// noteOnce sends the user a message, unless it repeats the last one.
func (e *Engine) noteOnce(text string) {
	if text != e.noted {
		e.settings.Note(text)
	}
	e.noted = text
}

// retry marks a job ready to be submitted another time.
func (e *Engine) retry(j *job) {
	if err := j.Forget(); err != nil {
		j.done <- err
		return
	}
	j.notify(pipeline.Queued)
	e.ready = append(e.ready, j)
}

// fail records a failed attempt at a job. The job is submitted once more, or given up.
func (e *Engine) fail(j *job, why, log string) {
	if log != "" {
		why += " (log: " + log + ")"
	}
	if j.tries++; j.tries == 2 {
		err := fmt.Errorf("%s; it was tried twice", why)
		if failed := j.Fail(err); failed != nil { // only [Look] reads the file that Fail writes
			e.noteOnce(failed.Error())
		}
		j.done <- err
		return
	}
	e.settings.Note(fmt.Sprintf("%s: %s; it is tried once more", j.Unit.Name, why))
	e.retry(j)
}
