package cluster

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"likc/search/work/pipeline"
)

// poll asks the queue which tasks are not over, and collects the results of the other tasks.
func (e *Engine) poll() {
	ctx, cancel := e.command()
	defer cancel()
	var ids []string
	for _, a := range e.arrays {
		ids = append(ids, a.ID)
	}
	slices.Sort(ids)
	open, err := e.queue.Poll(ctx, ids)
	if err != nil {
		e.noteOnce(fmt.Sprintf("the queue does not answer: %v; likc will ask again", err))
		e.relax()
		return
	}
	changed := false
	for _, a := range e.arrays {
		for task := range a.Tasks {
			state, is := open[Task{a.ID, task}]
			if e.collect(a, task) || e.follow(a, task, state, is) {
				changed = true
			}
		}
		a.earlier = false
		e.missing(a)
		e.withdraw(a, open)
		if a.done() {
			e.forget(a)
		}
	}
	if changed {
		if err := e.saveTimes(); err != nil {
			e.noteOnce(err.Error())
		}
		e.hurry()
	}
	e.relax()
}

// collect reads the results that the jobs of a task have written. It reports whether a job has ended since the last call.
func (e *Engine) collect(a *array, task int) (news bool) {
	for _, j := range a.waiting(task) {
		r, ended := j.Result()
		_, made := j.Made()
		switch {
		case made:
			if ended {
				e.times.addUnit(j.Unit.Stage, r)
				e.compareISA(r.ISA)
			}
			j.done <- nil
		case ended && r.Killed: // missing will ask for the reason
			continue
		case ended && r.Error != "":
			e.fail(j, r.Error, "")
		default:
			continue
		}
		delete(a.jobs, j.ID())
		news = true
	}
	return news
}

// compareISA records the instruction set of a unit's machine, and warns if other units used a different one.
func (e *Engine) compareISA(set string) {
	if e.set == "" {
		e.set = set
	}
	if set == "" || set == e.set || e.mixed {
		return
	}
	e.mixed = true
	e.settings.Note(fmt.Sprintf("units ran with the instruction sets %s and %s: the last bits of their results may differ, and so may results that depend on these; "+
		"to avoid that, set LIKC_ISA=avx2 or use machines of one kind", e.set, set))
}

// follow records the state that the queue reports for a task; open is false if the task is over. follow reports whether the task has
// ended since the last call.
func (e *Engine) follow(a *array, task int, s State, open bool) bool {
	_, over := a.over[task]
	if !open {
		if !over {
			a.over[task], a.before[task] = time.Now(), a.earlier
		}
		return !over
	}
	delete(a.over, task) // the task was requeued
	waiting := a.waiting(task)
	switch {
	case len(waiting) == 0:
	case s.Never:
		ctx, cancel := e.command()
		defer cancel()
		if err := e.queue.Cancel(ctx, a.ID, task); err != nil {
			e.noteOnce(err.Error())
		}
		for _, j := range waiting {
			j.done <- fmt.Errorf("the queue would never start it: %s", s.Why)
			delete(a.jobs, j.ID())
		}
	case s.Running:
		waiting[0].notify(pipeline.Started) // a task does its jobs in order
	case s.Why != "":
		e.noteOnce(fmt.Sprintf("job %s waits: %s", a.ID, s.Why))
	}
	return false
}

// missing handles jobs without a result whose task is over: it submits them again or gives them up. It first waits for a while, because
// files that another machine wrote may become visible late.
func (e *Engine) missing(a *array) {
	grace := 2 * e.settings.Poll
	for task, since := range a.over {
		waiting := a.waiting(task)
		if len(waiting) == 0 {
			continue
		}
		if _, known := a.ends[task]; !known {
			e.askEnds(a)
		}
		end, known := a.ends[task]
		if (!known || end.Good) && time.Since(since) < grace {
			continue
		}
		log := filepath.Join(e.logs(), fmt.Sprintf("%s_%d.log", a.Name, task))
		for _, j := range waiting {
			delete(a.jobs, j.ID())
			r, ended := j.Result()
			switch {
			case end.Cancelled && (a.before[task] || a.withdrawn[task]): // it was cancelled before this run began, or by this run to get more memory
				e.retry(j)
			case end.Cancelled:
				j.done <- fmt.Errorf("job %s_%d was cancelled, and not by this run; give the same command again to put it into the queue again", a.ID, task)
			case end.Memory && e.enlarge(j, a, end):
				e.retry(j)
			case ended && r.Killed && !end.Memory:
				e.fail(j, r.Error, "")
			case !known:
				e.fail(j, fmt.Sprintf("job %s_%d is over, left no result, and the queue has forgotten it", a.ID, task), log)
			case end.Good:
				e.fail(j, fmt.Sprintf("job %s_%d ended without an error, but left no result", a.ID, task), log)
			default:
				e.fail(j, fmt.Sprintf("job %s_%d: %s", a.ID, task, end.Text), log)
			}
		}
	}
}

// askEnds asks the queue how tasks ended.
func (e *Engine) askEnds(a *array) {
	ctx, cancel := e.command()
	defer cancel()
	ends, err := e.queue.Ended(ctx, a.ID)
	if err != nil {
		e.noteOnce(err.Error())
		return
	}
	for task, end := range ends {
		if _, over := a.over[task]; over {
			a.ends[task] = end
		}
	}
}
