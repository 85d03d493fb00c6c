// Package cluster is the engine that does the units of a pipeline on the machines of a cluster, through a batch system's queue.
//
// The machines share only the run's folder. Each unit is saved there as a job. A task of an array runs the program on one or a few
// jobs, and each job ends with a record or an error in the folder. The batch system is asked only which tasks are not over, and how
// a task without results ended. The ids of arrays are in the folder too, so that an interrupted run finds its arrays again. The
// package does not depend on a particular batch system; a [Queue] does.
package cluster

import (
	"context"
	"errors"
)

// Queue is an interface to a batch system.
type Queue interface {
	// Limit returns the largest number of tasks of an array.
	Limit(ctx context.Context) (int, error)
	// Check returns an error if an array like a would never start. It submits nothing.
	Check(ctx context.Context, a Array) error
	// Submit submits an array and returns the id that the system assigns. After an error that wraps ErrLater, a later attempt may
	// succeed.
	Submit(ctx context.Context, a Array) (id string, err error)
	// Find returns the id of the array with a name, or "" if it is not in the queue.
	Find(ctx context.Context, name string) (id string, err error)
	// Poll returns the states of those of the arrays' tasks that are not over. After an error, the states are unknown.
	Poll(ctx context.Context, ids []string) (map[Task]State, error)
	// Ended returns how the finished tasks of an array ended, as far as the system knows.
	Ended(ctx context.Context, id string) (map[int]End, error)
	// Cancel ends an array, or some of its tasks.
	Cancel(ctx context.Context, id string, tasks ...int) error
	// Withdraw cancels those of an array's tasks that have not begun.
	Withdraw(ctx context.Context, id string, tasks ...int) error
}

// ErrLater says that the queue accepts no jobs at the moment. ErrFull says that the queue might accept an array of fewer tasks. Errors
// that wrap ErrFull also wrap ErrLater.
var (
	ErrLater = errors.New("the queue takes no more jobs now")
	ErrFull  = errors.New("the queue does not take so many jobs now")
)

// Array is a set of similar tasks that are submitted together, numbered from 0. Task i runs the program with the arguments "unit
// DIR", the words of line i of List, and "--threads N", where N is the number of its processors.
type Array struct {
	Name    string
	Dir     string // the run's folder, in which the program is started
	Program string // path of the program
	Sum     string // the program's hash, for its flag --sha256
	List    string // path of the file with the jobs of each task
	Tasks   int    // number of tasks
	Logs    string // folder for the tasks' output, in files NAME_TASK.log
	Memory  Memory // the memory of each task
}

// Task identifies a task of an array, by the array's id.
type Task struct {
	Array string
	Index int
}

// State is the state of a task that is not over.
type State struct {
	Running bool
	Why     string // the reason why the task waits, if a person must do something; otherwise ""
	Never   bool   // whether the task will never start
}

// End says how a task ended.
type End struct {
	Text      string // "exit status 3"
	Good      bool   // whether the task ended without an error
	Cancelled bool   // whether somebody cancelled the task
	Memory    bool   // whether it ended because memory ran out
	Asked     Memory // the memory that the task had; 0 if that is unknown
}
