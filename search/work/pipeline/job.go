package pipeline

import (
	"context"
	"os"
	"path/filepath"

	"likc/runtime/num/isa"
	"likc/runtime/sys/store"
)

// Job is a unit that is about to run.
type Job struct {
	Unit   Unit
	Dir    string  // the run's folder, an absolute path. Commands start in it and get relative paths, so results do not depend on it
	Work   string  // the job's folder, relative to Dir
	Steps  []Step  // the unit's steps, with paths instead of names such as {out}
	Record *Record // record of the unit, still without outputs
}

func newJob(dir string, u Unit, wanted *Record) *Job {
	work := filepath.Join(workFolder, wanted.Key[:32])
	return &Job{Unit: u, Dir: dir, Work: work, Steps: u.expand(work), Record: wanted}
}

// ID returns the job's name in files: a part of its unit's key.
func (j *Job) ID() string { return filepath.Base(j.Work) }

// folder returns the absolute path of the job's folder.
func (j *Job) folder() string { return filepath.Join(j.Dir, j.Work) }

// Log returns the absolute path of the file to which the commands' output goes.
func (j *Job) Log() string {
	return filepath.Join(j.Dir, logFolder, filepath.FromSlash(j.Unit.Name)+".log")
}

// newLog creates the log. The log of the previous attempt is renamed: ".1" is appended to its name.
func (j *Job) newLog() (*os.File, error) {
	if _, err := os.Stat(j.Log()); err == nil {
		if err := store.Replace(j.Log(), j.Log()+".1"); err != nil {
			return nil, err
		}
	}
	return os.Create(j.Log())
}

// threads returns how many of `most` processors the job uses.
func (j *Job) threads(most int) int {
	if n := j.Unit.Threads; n > 0 && n < most {
		return n
	}
	return most
}

// Made returns the record in the job's folder, and whether the job is finished.
func (j *Job) Made() (*Record, bool) {
	made, err := ReadRecord(j.folder())
	return made, err == nil && made.same(j.Record, false)
}

// Do runs the job in its folder, which may contain the state of an earlier attempt.
func (j *Job) Do(ctx context.Context, threads int, execute Execution) error {
	if _, done := j.Made(); done {
		return nil
	}
	steps, err := j.prepare()
	if err != nil {
		return err
	}
	if err := execute(ctx, j, steps, threads); err != nil {
		return err
	}
	record := *j.Record
	record.ISA = isa.Best().String()
	return complete(j.Unit, &record, j.folder())
}

// prepare makes the job's folders and returns the steps to run. If an earlier attempt left the file Unit.Resume, they continue that
// attempt; otherwise the job's folder is emptied.
func (j *Job) prepare() ([]Step, error) {
	work, steps := j.folder(), append([]Step{}, j.Steps...)
	if _, err := os.Stat(filepath.Join(work, j.Unit.Resume)); err == nil && j.Unit.Resume != "" {
		for i, s := range steps {
			if steps[i].Args = s.Again; s.Again == nil {
				steps[i].Args = append(s.Args[:len(s.Args):len(s.Args)], "--resume")
			}
		}
	} else if err := os.RemoveAll(work); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(work, 0o777); err != nil {
		return nil, err
	}
	return steps, os.MkdirAll(filepath.Dir(j.Log()), 0o777)
}

// complete removes everything but the outputs, and writes the record.
func complete(u Unit, record *Record, work string) (err error) {
	if err = prune(work, u.Outputs); err != nil {
		return err
	}
	if record.Outputs, err = store.Entries(work); err != nil {
		return err
	}
	if err = syncFiles(work, record.Outputs); err != nil {
		return err
	}
	record.SHA256 = record.sum()
	return writeJSON(filepath.Join(work, RecordFile), record)
}
