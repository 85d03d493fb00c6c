package cluster

import (
	"context"
	"fmt"
	"time"

	"likc/search/work/pipeline"
)

// The loop wakes so often, and takes jobs for all there are when none came for so long: then they go out together.
const (
	tick   = 50 * time.Millisecond
	settle = 4 * tick
)

// loop is what the goroutine of an engine knows.
type loop struct {
	ready   []*job // to be put into the queue
	arrays  map[string]*array
	times   times
	limit   int           // the most tasks of an array
	size    int           // the number of tasks that the next array tries: fewer while the queue is full
	checked bool          // whether the queue has said that arrays can start
	pause   time.Duration // between looks at the queue
	next    time.Time     // the time of the next look
	hold    time.Time     // until when nothing is submitted
	set     string        // the instruction set of the first unit
	mixed   bool          // whether another unit had a different one
	begun   time.Time     // the time of the start
	swept   bool          // whether arrays that nothing waits for were cancelled
	noted   string        // the last note about a queue that does not answer
}

// run looks after jobs until the engine's context ends.
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

// command returns the context of a command of the queue. It outlives the engine's, so that the id of a submitted array is not lost.
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
		e.settings.Note(fmt.Sprintf("job %s is in the queue since an earlier run; it goes on", a.ID))
	}
	return nil
}

// turn is one round of the loop.
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
		e.look()
	}
	if settled && !e.swept && now.Sub(e.begun) > sweepAfter*e.settings.Poll {
		e.sweep()
	}
	if e.settings.Detach && settled && len(e.ready) == 0 && len(e.arrays) > 0 {
		return ErrDetached
	}
	return nil
}

// sweepAfter is after how many of the longest times between looks a run no longer expects that it wants what an earlier one put into the queue.
const sweepAfter = 3

// sweep cancels arrays of an earlier run that nothing waits for: the program or the settings have changed since.
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

// arrivals takes the jobs that came. settled reports whether no more can be expected now.
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

// assign leaves a job to the array that has it, or makes it ready. One that an earlier run's array did, before this run asked for it, is
// done: the array may be forgotten by then.
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

// rush is how much more often than at rest the loop looks at the queue at most: every 5 seconds, where the longest time is 30.
const rush = 6

// hurry makes the loop look at the queue soon, and often for a while.
func (e *Engine) hurry() {
	e.pause = e.settings.Poll / rush
	if soon := time.Now().Add(e.pause); e.next.After(soon) {
		e.next = soon
	}
}

// relax makes looks rarer.
func (e *Engine) relax() {
	e.pause = min(e.pause*3/2, e.settings.Poll)
	e.next = time.Now().Add(e.pause)
}

// noteOnce tells the user something new.
func (e *Engine) noteOnce(text string) {
	if text != e.noted {
		e.settings.Note(text)
	}
	e.noted = text
}

// again makes a job ready to be put into the queue another time.
func (e *Engine) again(j *job) {
	if err := j.Forget(); err != nil {
		j.done <- err
		return
	}
	j.notify(pipeline.Queued)
	e.ready = append(e.ready, j)
}

// fail enters a failed attempt at a job: it is made ready once more, or given up.
func (e *Engine) fail(j *job, why, log string) {
	if log != "" {
		why += " (log: " + log + ")"
	}
	if j.tries++; j.tries == 2 {
		err := fmt.Errorf("%s; it was tried twice", why)
		if failed := j.Fail(err); failed != nil { // only [Look] reads it
			e.noteOnce(failed.Error())
		}
		j.done <- err
		return
	}
	e.settings.Note(fmt.Sprintf("%s: %s; it is tried once more", j.Unit.Name, why))
	e.again(j)
}
