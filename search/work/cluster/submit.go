package cluster

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"likc/runtime/num/notation"
)

// submit puts the ready jobs into the queue. All tasks of an array get the same memory, and no array has more tasks than the queue
// allows. If the queue takes no more jobs now, the other jobs stay ready. If it refuses an array for another reason, all jobs that are
// not yet submitted fail. But if that array's stage had got more memory, only the array's jobs fail.
func (e *Engine) submit() {
	tasks := e.times.tasks(e.ready, e.settings.Target)
	e.ready = nil
	err := e.findLimit()
	for len(tasks) > 0 && err == nil {
		n := min(e.sameMemory(tasks), e.limit, max(e.size, 1))
		switch err = e.submitArray(tasks[:n]); {
		case err == nil:
			tasks, e.size = tasks[n:], min(2*n, e.limit)
		case errors.Is(err, ErrFull) && n > 1:
			e.size, err = n/2, nil
		case !errors.Is(err, ErrLater) && e.times[tasks[0][0].Unit.Stage].Memory > 0:
			e.refuse(tasks[:n], err)
			tasks, err = tasks[n:], nil
		}
	}
	if errors.Is(err, ErrLater) {
		e.hold = time.Now().Add(e.settings.Poll)
		e.noteOnce(err.Error() + "; likc tries again")
	}
	for _, j := range slices.Concat(tasks...) {
		if errors.Is(err, ErrLater) {
			e.ready = append(e.ready, j)
		} else {
			j.done <- err
		}
	}
}

// refuse fails the jobs of tasks, because the queue does not give them the memory that they need.
func (e *Engine) refuse(tasks [][]*job, why error) {
	for _, j := range slices.Concat(tasks...) {
		j.done <- fmt.Errorf("it was out of memory, and with %v: %w", e.memory(j.Unit.Stage), why)
	}
}

// findLimit asks the queue for the largest number of tasks, once.
func (e *Engine) findLimit() (err error) {
	if e.limit > 0 {
		return nil
	}
	ctx, cancel := e.command()
	defer cancel()
	e.limit, err = e.queue.Limit(ctx)
	e.size = e.limit
	return err
}

// submitArray submits one array. It writes the array's jobs to the disk before it submits the array, and then stores the array's id.
func (e *Engine) submitArray(tasks [][]*job) error {
	path, sum, err := e.program()
	if err != nil {
		return err
	}
	for _, dir := range []string{e.folder("arrays"), e.logs()} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	a := newArray(fmt.Sprintf("likc-%s-%08x", e.settings.Name, rand.Uint32()))
	a.Memory = e.memory(tasks[0][0].Unit.Stage)
	for _, task := range tasks {
		var ids []string
		for _, j := range task {
			if err := errors.Join(j.Save(), j.Forget()); err != nil {
				return err
			}
			ids, a.jobs[j.ID()] = append(ids, j.ID()), j
		}
		a.Tasks = append(a.Tasks, ids)
	}
	submitted := Array{Name: a.Name, Dir: e.dir, Program: path, Sum: sum, List: e.file(a.Name, ".tasks"), Tasks: len(tasks), Logs: e.logs(), Memory: a.Memory}
	ctx, cancel := e.command()
	defer cancel()
	if !e.checked {
		if err := e.queue.Check(ctx, submitted); err != nil {
			return err
		}
		e.checked = true
	}
	if err := errors.Join(e.saveList(a), e.save(a)); err != nil {
		return err
	}
	if a.ID, err = e.queue.Submit(ctx, submitted); errors.Is(err, ErrLater) && !errors.Is(err, ErrFull) { // the array may be in the queue although the answer was lost
		if found, failed := e.queue.Find(ctx, a.Name); failed == nil && found != "" {
			a.ID, err = found, nil
		}
	}
	if err != nil {
		e.forget(a)
		return err
	}
	if err := e.save(a); err != nil {
		return err
	}
	e.arrays[a.Name] = a
	e.hurry()
	e.settings.Note(fmt.Sprintf("job %s: %s in the queue, for %s", a.ID, notation.Count(len(a.Tasks), "task"), notation.Count(len(a.jobs), "unit")))
	return nil
}
