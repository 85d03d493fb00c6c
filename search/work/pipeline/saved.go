package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"likc/runtime/num/isa"
	"likc/runtime/sys/store"
)

// savedJob is the content of a job's file, from which a program on another machine runs the job.
type savedJob struct {
	Format  int         `json:"format"`
	Stage   string      `json:"stage"`
	Name    string      `json:"name"`
	Work    string      `json:"work"`
	Steps   []savedStep `json:"steps"`
	Outputs []string    `json:"outputs"`
	Resume  string      `json:"resume,omitempty"`
	Threads int         `json:"threads,omitempty"`
	Inputs  []string    `json:"inputs,omitempty"` // files and folders from outside the run
	Record  *Record     `json:"record"`
}

// savedStep is a step with all its fields.
type savedStep struct {
	Args      []string `json:"args"`
	Again     []string `json:"again,omitempty"`
	Stdout    string   `json:"stdout,omitempty"`
	OneThread bool     `json:"one_thread,omitempty"`
}

// jobFile returns the path of a saved job's file.
func jobFile(dir, id, ending string) string {
	return filepath.Join(dir, workFolder, "jobs", id+ending)
}

// Save writes the job to a file in the run's folder, from which [Work] runs it.
func (j *Job) Save() error {
	u := j.Unit
	s := savedJob{Format: formatVersion, Stage: u.Stage, Name: u.Name, Work: j.Work, Outputs: u.Outputs, Resume: u.Resume, Threads: u.Threads, Record: j.Record}
	for _, step := range j.Steps {
		s.Steps = append(s.Steps, savedStep(step))
	}
	for _, in := range u.Inputs {
		if in.Path != "" {
			s.Inputs = append(s.Inputs, in.Path)
		}
	}
	path := jobFile(j.Dir, j.ID(), ".json")
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return writeJSON(path, s)
}

// openJob reads a saved job, and checks that this machine can read the job's inputs.
func openJob(dir, id string) (*Job, error) {
	j, err := readJob(dir, id)
	if err != nil {
		return nil, err
	}
	for _, in := range j.Unit.Inputs {
		if _, err := os.Stat(in.Path); err != nil {
			host, _ := os.Hostname()
			return nil, fmt.Errorf("%s: the machine %s does not see it: put it on a file system that all machines share (data that come with likc are unpacked in the folder LIKC_CACHE)", in.Path, host)
		}
	}
	return j, nil
}

// readJob reads a saved job. The returned job has only those inputs that come from outside the run.
func readJob(dir, id string) (*Job, error) {
	text, err := os.ReadFile(jobFile(dir, id, ".json"))
	if err != nil {
		return nil, fmt.Errorf("no such job in the run %s: %w", dir, store.Cause(err))
	}
	var s savedJob
	if err := json.Unmarshal(text, &s); err != nil || s.Record == nil || !filepath.IsLocal(s.Work) || filepath.Base(s.Work) != id {
		return nil, fmt.Errorf("%s: not a job: %v", jobFile(dir, id, ".json"), err)
	}
	if err := checkFormat(&s.Format); err != nil {
		return nil, fmt.Errorf("%s: %w", jobFile(dir, id, ".json"), err)
	}
	u := Unit{Stage: s.Stage, Name: s.Name, Outputs: s.Outputs, Resume: s.Resume, Threads: s.Threads}
	for _, path := range s.Inputs {
		u.Inputs = append(u.Inputs, Input{Path: path})
	}
	j := &Job{Unit: u, Dir: dir, Work: s.Work, Record: s.Record}
	for _, step := range s.Steps {
		j.Steps = append(j.Steps, Step(step))
	}
	return j, nil
}

// Result is the outcome of an attempt at a saved job.
type Result struct {
	Error   string  `json:"error,omitempty"` // "" for a finished job
	Seconds float64 `json:"seconds"`
	Threads int     `json:"threads"`
	Host    string  `json:"host"`
	ISA     string  `json:"isa,omitempty"`    // instruction set that kernels used on that machine
	Killed  bool    `json:"killed,omitempty"` // whether a step was killed, for example because memory ran out; the batch system may know why
}

// ErrKilled says that a step was killed.
var ErrKilled = errors.New("killed by signal 9, as Linux does where memory runs out")

// Work runs the saved job with the given id in the run's folder dir, and writes its result. It writes no result if ctx ends.
func Work(ctx context.Context, dir, id string, threads int, execute Execution) error {
	if !filepath.IsLocal(id) || filepath.Base(id) != id {
		return fmt.Errorf("%q: not the id of a job", id)
	}
	start := time.Now()
	j, err := openJob(dir, id)
	result := Result{Threads: threads, ISA: isa.Best().String()}
	if err == nil {
		result.Threads = j.threads(threads)
		err = j.Do(ctx, result.Threads, execute)
	}
	if err != nil && ctx.Err() != nil {
		return err
	}
	if err != nil {
		result.Error, result.Killed = err.Error(), errors.Is(err, ErrKilled)
	}
	result.Host, _ = os.Hostname()
	result.Seconds = time.Since(start).Seconds()
	if failed := writeJSON(jobFile(dir, id, ".result"), result); err == nil {
		err = failed
	}
	return err
}

// Result returns the outcome of the last attempt at the saved job; it returns false if there is none.
func (j *Job) Result() (r Result, ended bool) {
	text, err := os.ReadFile(jobFile(j.Dir, j.ID(), ".result"))
	return r, err == nil && json.Unmarshal(text, &r) == nil
}

// Fail writes a result that says why the saved job is given up, unless the last attempt has left a result.
func (j *Job) Fail(why error) error {
	if _, ended := j.Result(); ended {
		return nil
	}
	return writeJSON(jobFile(j.Dir, j.ID(), ".result"), Result{Error: why.Error()})
}

// Forget removes the result of the last attempt.
func (j *Job) Forget() error {
	err := os.Remove(jobFile(j.Dir, j.ID(), ".result"))
	if os.IsNotExist(err) {
		return nil
	}
	return err
}
