// Package cluster is the engine that does the units of a pipeline on the machines of a cluster, through a batch system's queue.
//
// The run's folder is all that the machines share: each unit is saved there as a job, a task of an array runs the program on one or a few
// jobs, and what they leave there, a record or an error, is how they end. The batch system is asked only which tasks are not over, and
// what became of a task that is over and has left nothing. The ids of arrays are in the folder too: a run that was ended finds its
// arrays again. The package knows no batch system by name; a [Queue] does.
package cluster

import (
	"context"
	"errors"
)

// Queue is a batch system.
type Queue interface {
	// Limit returns the largest number of tasks of an array.
	Limit(ctx context.Context) (int, error)
	// Check reports an error if such an array would never start.
	Check(ctx context.Context, a Array) error
	// Submit puts an array into the queue and returns the id that the system gave it. An error that wraps ErrLater may pass.
	Submit(ctx context.Context, a Array) (id string, err error)
	// Find returns the id of the array of a name, "" if it is not in the queue.
	Find(ctx context.Context, name string) (id string, err error)
	// Poll returns the tasks of the arrays that are not over. An error says nothing about any task.
	Poll(ctx context.Context, ids []string) (map[Task]State, error)
	// Ended says how tasks of an array that are over ended, as far as the system knows.
	Ended(ctx context.Context, id string) (map[int]End, error)
	// Cancel ends an array, or some of its tasks.
	Cancel(ctx context.Context, id string, tasks ...int) error
}

// ErrLater says that the queue takes nothing now. ErrFull says besides that it may take fewer jobs: errors that wrap it wrap ErrLater too.
var (
	ErrLater = errors.New("the queue takes no more jobs now")
	ErrFull  = errors.New("the queue takes no more so many jobs now")
)

// Array is like tasks that are put into the queue together, numbered from 0. Task i runs the program with the arguments "unit DIR", the
// words of line i of List, and "--threads N" with the number of processors that it was given.
type Array struct {
	Name    string
	Dir     string // the run's folder, where the program is started
	Program string
	Sum     string // the program's hash, which its flag --sha256 wants
	List    string // a file
	Tasks   int
	Logs    string // a folder, for a file NAME_TASK.log a task
	Memory  Memory // of a task
}

// Task is one of an array's, by the array's id.
type Task struct {
	Array string
	Index int
}

// State is that of a task that is not over.
type State struct {
	Running bool
	Why     string // the reason why the task waits
	Never   bool   // whether the task will never start
}

// End says how a task ended.
type End struct {
	Text      string // "exit status 3"
	Good      bool   // without an error
	Cancelled bool   // whether somebody cancelled the task
	Memory    bool   // whether it was for want of memory
	Asked     Memory // the memory that the task had, if that is known
}
