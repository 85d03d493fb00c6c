package pipeline

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"likc/runtime/sys/store"
)

// View describes the state of a run, as seen in its folder by a program that does not control the run.
type View struct {
	Pipeline string      `json:"pipeline"`
	Steered  bool        `json:"steered"` // whether a command is running this plan now
	Stages   []StageView `json:"stages"`  // the stages, in the order of the plan
	Failures []Failure   `json:"failures"`
}

// StageView counts the units of a stage. Each unit is counted in at most one of the fields after Units.
type StageView struct {
	Stage  string `json:"stage"`
	Units  int    `json:"units"`   // number of all units of the stage
	Done   int    `json:"done"`    // number of finished units
	AtWork int    `json:"at_work"` // number of units that run on a machine of a cluster
	Queued int    `json:"queued"`  // number of units in a queue
	Failed int    `json:"failed"`  // number of units whose last attempt failed
	Begun  int    `json:"begun"`   // number of other units with a log or a finished part: they were interrupted, or run on the machine of the command
}

// Failure is a failed attempt at a unit or a part of one, after which no other attempt was made.
type Failure struct {
	Unit  string `json:"unit"`
	Error string `json:"error"`
	Log   string `json:"log,omitempty"`
}

// Task is a task of a batch system's queue.
type Task struct {
	Jobs    []string // ids of the task's jobs, which run one after the other
	Running bool     // whether the task is running; otherwise it waits
}

// state is the state of a unit. A unit in several parts has the highest state of its parts.
type state int

const (
	toCome state = iota
	begun
	failed
	done
	queued
	atWork
)

// Look returns the state of the run in the folder dir. tasks are the tasks that the queue has for the run. Look writes nothing, and
// trusts records without reading outputs.
func Look(dir string, tasks []Task) (*View, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	plan, err := ReadPlan(dir)
	if err != nil {
		return nil, err
	}
	view := &View{Pipeline: plan.Pipeline, Steered: store.Locked(filepath.Join(dir, PlanFile)), Failures: []Failure{}}
	states := map[string]state{}
	view.jobs(dir, tasks, states)
	for _, u := range plan.Units {
		if len(view.Stages) == 0 || view.Stages[len(view.Stages)-1].Stage != u.Stage {
			view.Stages = append(view.Stages, StageView{Stage: u.Stage})
		}
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(u.Name), RecordFile)); err == nil {
			states[u.Name] = max(states[u.Name], done)
		} else if _, err := os.Stat((&Job{Unit: Unit{Name: u.Name}, Dir: dir}).Log()); err == nil {
			states[u.Name] = max(states[u.Name], begun)
		}
		view.Stages[len(view.Stages)-1].count(states[u.Name])
	}
	view.Failures = slices.DeleteFunc(view.Failures, func(f Failure) bool { return states[whole(f.Unit)] == done })
	slices.SortFunc(view.Failures, func(a, b Failure) int { return cmp.Compare(a.Unit, b.Unit) })
	return view, nil
}

// jobs reads the saved jobs of a run. It raises the states of their units in `states`, and adds the failures to v. A unit in several parts
// has a job for each part.
func (v *View) jobs(dir string, tasks []Task, states map[string]state) {
	inQueue := map[string]state{}
	for _, t := range tasks {
		next := queued
		if t.Running {
			next = atWork
		}
		for _, id := range t.Jobs {
			if _, ended := (&Job{Dir: dir, Work: id}).Result(); !ended {
				inQueue[id], next = next, queued
			}
		}
	}
	saved, _ := os.ReadDir(jobFile(dir, "", "")) // there is no such folder if all units run on this machine
	for _, entry := range saved {
		id, isJob := strings.CutSuffix(entry.Name(), ".json")
		if !isJob {
			continue
		}
		j, err := readJob(dir, id)
		if err != nil {
			continue
		}
		unit, now := whole(j.Unit.Name), inQueue[id]
		switch r, ended := j.Result(); {
		case !ended || now != toCome:
		case r.Error != "":
			now = failed
			v.Failures = append(v.Failures, Failure{j.Unit.Name, r.Error, j.Log()})
		case unit == j.Unit.Name: // the command that runs the pipeline will move the folder to its place
			now = done
		default:
			now = begun
		}
		states[unit] = max(states[unit], now)
	}
}

// ToCome returns the number of units that nobody has begun.
func (s *StageView) ToCome() int { return s.Units - s.Done - s.AtWork - s.Queued - s.Failed - s.Begun }

// count counts a unit with the given state.
func (s *StageView) count(of state) {
	s.Units++
	switch of {
	case done:
		s.Done++
	case atWork:
		s.AtWork++
	case queued:
		s.Queued++
	case failed:
		s.Failed++
	case begun:
		s.Begun++
	}
}
