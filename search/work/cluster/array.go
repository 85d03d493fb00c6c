package cluster

import (
	"cmp"
	"slices"
	"time"

	"likc/search/work/pipeline"
)

// array is an array in the queue, or one that is about to be.
type array struct {
	Name  string     `json:"name"`
	ID    string     `json:"id,omitempty"` // "" before the system gave it one
	Tasks [][]string `json:"tasks"`        // ids of jobs

	Memory Memory `json:"memory,omitempty"` // what its tasks asked for

	jobs map[string]*job   // jobs that are waited for, by id
	over map[int]time.Time // tasks that are over, since when that is known
	ends map[int]End       // ends of tasks, as far as the system said

	reopened bool         // whether an earlier run put it into the queue
	earlier  bool         // whether that is so and this run has not looked at it yet
	before   map[int]bool // tasks that were over when this run first looked
}

func newArray(name string) *array {
	return &array{Name: name, jobs: map[string]*job{}, over: map[int]time.Time{}, ends: map[int]End{}, before: map[int]bool{}}
}

// has reports whether a job is one of the array's.
func (a *array) has(id string) bool {
	return slices.ContainsFunc(a.Tasks, func(ids []string) bool { return slices.Contains(ids, id) })
}

// open is the number of tasks that are not over.
func (a *array) open() int { return len(a.Tasks) - len(a.over) }

// done reports whether nothing more is expected of the array.
func (a *array) done() bool { return a.open() == 0 && len(a.jobs) == 0 }

// waiting are the jobs of a task that are waited for.
func (a *array) waiting(task int) (all []*job) {
	for _, id := range a.Tasks[task] {
		if j := a.jobs[id]; j != nil {
			all = append(all, j)
		}
	}
	return all
}

// times are how long units of a stage took, and the memory that they turned out to need.
type times map[string]spent

// spent is what some units took.
type spent struct {
	Seconds float64 `json:"seconds"`
	Units   int     `json:"units"`
	Memory  Memory  `json:"memory,omitempty"` // what tasks get after one was killed for want of memory
}

func (t times) add(stage string, r pipeline.Result) {
	sum := t[stage]
	sum.Seconds, sum.Units = sum.Seconds+r.Seconds, sum.Units+1
	t[stage] = sum
}

// perTask is how many units of a stage fill a task of a length; 1 while their times are not known.
func (t times) perTask(stage string, length time.Duration) int {
	sum := t[stage]
	if sum.Seconds == 0 {
		return 1
	}
	return max(1, int(length.Seconds()*float64(sum.Units)/sum.Seconds))
}

// tasks puts jobs together to tasks, each of one stage.
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
