package cluster

import (
	"cmp"
	"slices"
	"time"

	"likc/search/work/pipeline"
)

// array is a job array, in the queue or about to be submitted.
type array struct {
	Name  string     `json:"name"`
	ID    string     `json:"id,omitempty"` // "" until the batch system has assigned it
	Tasks [][]string `json:"tasks"`        // for each task, the ids of its jobs

	Memory Memory `json:"memory,omitempty"` // the memory that its tasks requested

	jobs map[string]*job   // unfinished jobs, by id
	over map[int]time.Time // tasks that are over, with the time when the engine noticed that
	ends map[int]End       // how tasks ended, as far as the batch system has reported that

	reopened bool         // whether an earlier run submitted the array
	earlier  bool         // whether reopened is set and this run has not checked the array's tasks yet
	before   map[int]bool // tasks that were already over when this run first checked

	withdrawn map[int]bool // tasks that this run cancelled before they began, to submit their jobs again with more memory
}

func newArray(name string) *array {
	return &array{Name: name, jobs: map[string]*job{}, over: map[int]time.Time{}, ends: map[int]End{}, before: map[int]bool{}, withdrawn: map[int]bool{}}
}

// has reports whether a job belongs to the array.
func (a *array) has(id string) bool {
	return slices.ContainsFunc(a.Tasks, func(ids []string) bool { return slices.Contains(ids, id) })
}

// open returns the number of tasks that are not over.
func (a *array) open() int { return len(a.Tasks) - len(a.over) }

// done reports whether all tasks are over and no job is unfinished.
func (a *array) done() bool { return a.open() == 0 && len(a.jobs) == 0 }

// waiting returns the unfinished jobs of a task.
func (a *array) waiting(task int) (all []*job) {
	for _, id := range a.Tasks[task] {
		if j := a.jobs[id]; j != nil {
			all = append(all, j)
		}
	}
	return all
}

// times holds, by stage, how long units took and how much memory they need.
type times map[string]spent

// spent sums up the finished units of a stage.
type spent struct {
	Seconds float64 `json:"seconds"`          // total duration of these units
	Units   int     `json:"units"`            // number of these units
	Memory  Memory  `json:"memory,omitempty"` // memory of the stage's tasks since one ran out of memory; 0 if none did
}

// addUnit adds the duration of a finished unit.
func (t times) addUnit(stage string, r pipeline.Result) {
	sum := t[stage]
	sum.Seconds, sum.Units = sum.Seconds+r.Seconds, sum.Units+1
	t[stage] = sum
}

// perTask returns how many units of a stage fill a task of a given length; 1 while their times are unknown.
func (t times) perTask(stage string, length time.Duration) int {
	sum := t[stage]
	if sum.Seconds == 0 {
		return 1
	}
	return max(1, int(length.Seconds()*float64(sum.Units)/sum.Seconds))
}

// tasks groups jobs into tasks, each of one stage.
func (t times) tasks(jobs []*job, length time.Duration) (all [][]*job) {
	slices.SortStableFunc(jobs, func(a, b *job) int {
		return cmp.Or(cmp.Compare(a.Unit.Stage, b.Unit.Stage), cmp.Compare(a.Unit.Name, b.Unit.Name))
	})
	for _, j := range jobs {
		last := len(all) - 1
		if last < 0 || all[last][0].Unit.Stage != j.Unit.Stage || len(all[last]) == t.perTask(j.Unit.Stage, length) {
			all = append(all, nil)
			last++
		}
		all[last] = append(all[last], j)
	}
	return all
}
