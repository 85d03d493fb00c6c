package pipeline

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"likc/runtime/sys/store"
)

// View is a run as its folder shows it to those who do not steer it.
type View struct {
	Pipeline string      `json:"pipeline"`
	Steered  bool        `json:"steered"` // whether a command works on the run now
	Stages   []StageView `json:"stages"`  // the stages, in the order of the plan
	Failures []Failure   `json:"failures"`
}

// StageView counts the units of a stage. Each is counted once.
type StageView struct {
	Stage  string `json:"stage"`
	Units  int    `json:"units"`
	Done   int    `json:"done"`
	AtWork int    `json:"at_work"` // on a machine of a cluster
	Queued int    `json:"queued"`  // number of units in a queue
	Failed int    `json:"failed"`  // number of units whose last attempt failed
	Begun  int    `json:"begun"`   // with a log or a finished part, and none of the above: at work where the command is that steers, or interrupted
}

// Failure is an attempt that failed, after which there was none.
type Failure struct {
	Unit  string `json:"unit"`
	Error string `json:"error"`
	Log   string `json:"log,omitempty"`
}

// Task is one that a queue has: the ids of its jobs, which are done one after the other.
type Task struct {
	Jobs    []string
	Running bool
}

// state of a unit. Of several parts the highest counts.
type state int

const (
	toCome state = iota
	begun
	failed
	done
	queued
	atWork
)

// Look reads the folder of a run, and takes what is queued from the tasks. It writes nothing, and trusts records without reading outputs.
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

// jobs looks at the saved jobs of a run, and notes the states of their units.
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
	saved, _ := os.ReadDir(jobFile(dir, "", "")) // none on one machine
	for _, entry := range saved {
		id, isJob := strings.CutSuffix(entry.Name(), ".json")
		if !isJob {
			continue
		}
		j, err := readJob(dir, id)
		if err != nil {
			continue
		}
		unit, is := whole(j.Unit.Name), inQueue[id]
		switch r, ended := j.Result(); {
		case !ended || is != toCome:
		case r.Error != "":
			is = failed
			v.Failures = append(v.Failures, Failure{j.Unit.Name, r.Error, j.Log()})
		case unit == j.Unit.Name: // the command that runs the pipeline will move the folder to its place
			is = done
		default:
			is = begun
		}
		states[unit] = max(states[unit], is)
	}
}

// ToCome returns the number of units of which nothing was begun.
func (s *StageView) ToCome() int { return s.Units - s.Done - s.AtWork - s.Queued - s.Failed - s.Begun }

// count adds a unit.
func (s *StageView) count(is state) {
	s.Units++
	switch is {
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
