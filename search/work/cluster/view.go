package cluster

import (
	"cmp"
	"context"
	"slices"

	"likc/search/work/pipeline"
)

// View describes the state of a run, as seen in its folder and in the queue by a program that does not control the run.
type View struct {
	*pipeline.View
	Queue  []ArrayView `json:"queue"`                 // arrays with tasks that are not over
	Silent string      `json:"queue_error,omitempty"` // the error because of which the queue's state is unknown; its tasks then count as waiting
}

// ArrayView counts the tasks of an array that are not over.
type ArrayView struct {
	Job     string   `json:"job"`
	Tasks   int      `json:"tasks"`         // number of tasks that are not over
	Running int      `json:"running"`       // number of tasks that are running
	Why     []string `json:"why,omitempty"` // the reasons why tasks wait, if a user can do something about them
}

// Look returns the state of the run in the folder dir. It changes neither the folder nor the queue.
func Look(ctx context.Context, dir string, q Queue) (*View, error) {
	if _, err := pipeline.ReadPlan(dir); err != nil {
		return nil, err
	}
	saved, err := (&Engine{dir: dir}).saved()
	if err != nil {
		return nil, err
	}
	view := &View{Queue: []ArrayView{}}
	open, err := pollSaved(ctx, saved, q)
	if err != nil {
		view.Silent = err.Error()
	}
	var tasks []pipeline.Task
	for _, a := range saved {
		counts := ArrayView{Job: cmp.Or(a.ID, "of the name "+a.Name)}
		for i, jobs := range a.Tasks {
			state, inQueue := open[Task{a.ID, i}]
			if !inQueue && err == nil {
				continue
			}
			tasks = append(tasks, pipeline.Task{Jobs: jobs, Running: state.Running})
			counts.count(state)
		}
		if counts.Tasks > 0 {
			view.Queue = append(view.Queue, counts)
		}
	}
	slices.SortFunc(view.Queue, func(a, b ArrayView) int {
		return cmp.Or(cmp.Compare(len(a.Job), len(b.Job)), cmp.Compare(a.Job, b.Job))
	})
	view.View, err = pipeline.Look(dir, tasks)
	return view, err
}

// pollSaved asks the queue for the tasks of arrays that are not over.
func pollSaved(ctx context.Context, saved []*array, q Queue) (map[Task]State, error) {
	var ids []string
	for _, a := range saved {
		if a.ID == "" {
			var err error
			if a.ID, err = q.Find(ctx, a.Name); err != nil {
				return nil, err
			}
		}
		if a.ID != "" {
			ids = append(ids, a.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return q.Poll(ctx, ids)
}

// count counts a task with the state s.
func (a *ArrayView) count(s State) {
	a.Tasks++
	switch {
	case s.Running:
		a.Running++
	case s.Why != "" && !slices.Contains(a.Why, s.Why):
		a.Why = append(a.Why, s.Why)
	}
}

// Queued reports whether a run in the folder dir has left arrays in the queue. It also returns true if the queue does not answer.
func Queued(ctx context.Context, dir string, q Queue) bool {
	left, err := (&Engine{dir: dir}).saved()
	if err != nil || len(left) == 0 {
		return err != nil
	}
	open, err := pollSaved(ctx, left, q)
	return err != nil || len(open) > 0
}
