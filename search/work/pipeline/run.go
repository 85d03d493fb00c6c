package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"likc/runtime/sys/store"
	"likc/runtime/sys/workers"
)

// Plan is a pipeline: its name, the settings that determine it, and its units. Each unit comes after its inputs.
type Plan struct {
	Name     string
	Settings any // encoded as JSON
	Units    []Unit
}

// Options determine how a plan is run. They do not change results.
type Options struct {
	Code    string // the version of the code
	AnyCode bool   // whether results of other versions of the code are accepted
	Engine  Engine
	Notify  func(Event) // nil: no notifications; there is one call at a time
}

// Event is a change of a unit's status.
type Event struct {
	Unit   Unit
	Status Status
}

// Status is the state of a unit.
type Status string

// A unit is either skipped, or started and then finished or failed. Before it starts, it may be queued. If another version of likc
// finished a unit, it is first reported as outdated.
const (
	Skipped  Status = "unchanged"
	Outdated Status = "outdated"
	Queued   Status = "queued"
	Started  Status = "started"
	Finished Status = "done"
	Failed   Status = "failed"
)

// Run runs the unfinished units of a plan in the folder dir, and writes the manifest. If a unit fails, Run still runs those that do
// not need it, and then returns an error that names each failed unit. When ctx ends, it waits until the running jobs have stopped,
// and returns the error of ctx. It closes the engine.
func Run(ctx context.Context, dir string, p Plan, o Options) error {
	if err := check(p.Units); err != nil {
		return err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := checkFolder(dir); err != nil {
		return err
	}
	for _, sub := range []string{workFolder, logFolder} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
			return fmt.Errorf("%s: %w", dir, store.Cause(err))
		}
	}
	unlock, err := store.Lock(filepath.Join(dir, PlanFile))
	if errors.Is(err, store.ErrLocked) {
		return fmt.Errorf("%s: another run works here", dir)
	}
	if err != nil {
		return err
	}
	defer unlock()
	if err := writePlan(dir, p); err != nil {
		return err
	}
	plan, err := store.Sum(filepath.Join(dir, PlanFile))
	if err != nil {
		return err
	}
	r := &runner{dir: dir, options: o, plan: plan, records: map[string]*Record{}, sums: map[string]string{}}
	err = r.runUnits(ctx, p.Units)
	o.Engine.Close()
	if err != nil {
		return err
	}
	if err := store.RemoveAll(filepath.Join(dir, workFolder)); err != nil { // removes unfinished work of plans that were given up
		return err
	}
	return writeManifest(dir, p, o, r.records)
}

// checkFolder refuses the folder of a bank or a teacher, because new files would contradict its manifest.
func checkFolder(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, store.ManifestFile)); err != nil {
		return nil
	}
	return fmt.Errorf("%s: holds %s, so it is a bank or a teacher: name a new folder", dir, store.ManifestFile)
}

// runner is a plan in progress.
type runner struct {
	dir     string
	options Options
	plan    string // SHA-256 of plan.json

	mutex   sync.Mutex
	records map[string]*Record // records of the finished units, by name
	sums    map[string]string  // hashes of files and folders from outside the run, by path
}

// runUnits starts every unit as soon as its inputs are there. It skips units that need a failed unit.
func (r *runner) runUnits(ctx context.Context, units []Unit) error {
	done := map[string]chan struct{}{}
	for _, u := range units {
		done[u.Name] = make(chan struct{})
	}
	failures := map[string]error{} // by the name of the unit
	if err := workers.Try(ctx, len(units), len(units), func(ctx context.Context, i int) error {
		u := units[i]
		for _, in := range u.Inputs {
			if in.Path != "" {
				continue
			}
			select {
			case <-done[in.Unit]:
			case <-ctx.Done():
				return ctx.Err()
			}
			if !r.has(in.Unit) {
				close(done[u.Name])
				return nil
			}
		}
		err := r.runUnit(ctx, u)
		if err != nil && ctx.Err() != nil {
			return fmt.Errorf("%s: %w", u.Name, err)
		}
		if err != nil {
			r.mutex.Lock()
			failures[u.Name] = err
			r.mutex.Unlock()
		}
		close(done[u.Name])
		return nil
	}); err != nil {
		return err
	}
	return joinFailures(units, failures)
}

// joinFailures returns one error for the failures of units, in the units' order. Units with the same cause share one line, because a
// cluster may refuse a thousand units.
func joinFailures(units []Unit, failures map[string]error) error {
	var first []string       // for each cause, its first unit
	also := map[string]int{} // by that unit, the number of further units with the same cause
	for _, u := range units {
		err := failures[u.Name]
		if err == nil {
			continue
		}
		same := slices.IndexFunc(first, func(name string) bool { return failures[name].Error() == err.Error() })
		if same < 0 {
			first = append(first, u.Name)
		} else {
			also[first[same]]++
		}
	}
	var all []error
	for _, name := range first {
		more := ""
		if n := also[name]; n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		all = append(all, fmt.Errorf("%s%s: %w", name, more, failures[name]))
	}
	return errors.Join(all...)
}

// has reports whether a unit is finished.
func (r *runner) has(unit string) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.records[unit] != nil
}

// runUnit runs a unit and moves its folder into place. It skips a unit whose folder already holds the wanted result.
func (r *runner) runUnit(ctx context.Context, u Unit) error {
	wanted, err := r.wanted(u)
	if err != nil {
		return err
	}
	folder := filepath.Join(r.dir, filepath.FromSlash(u.Name))
	old, err := ReadRecord(folder)
	switch {
	case err != nil: // there is no record, or it is damaged
	case old.same(wanted, r.options.AnyCode):
		r.end(u, old, Skipped)
		return nil
	case old.same(wanted, true):
		r.notify(u, Outdated)
	}
	j := newJob(r.dir, u, wanted)
	made, ok := j.Made() // finished, but not yet moved into place
	if !ok {
		if made, err = r.work(ctx, j); err != nil {
			return err
		}
	}
	if err := putInPlace(j.folder(), folder); err != nil {
		return err
	}
	r.end(u, made, Finished)
	return nil
}

// work lets the engine run a job, and reads the job's record.
func (r *runner) work(ctx context.Context, j *Job) (*Record, error) {
	if err := r.options.Engine.Do(ctx, j, func(s Status) { r.notify(j.Unit, s) }); err != nil {
		r.notify(j.Unit, Failed)
		return nil, err
	}
	made, ok := j.Made()
	if !ok {
		return nil, fmt.Errorf("its folder %s has no record of it", j.Work)
	}
	return made, nil
}

// wanted returns the record that the unit should have, still without outputs.
func (r *runner) wanted(u Unit) (*Record, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return newRecord(u, r.options.Code, r.plan, r.records, r.sum)
}

// sum returns the hash of a file or folder from outside the run. It reads each only once. The caller holds the mutex.
func (r *runner) sum(path string) (string, error) {
	if known, ok := r.sums[path]; ok {
		return known, nil
	}
	sum, err := store.Sum(path)
	if err == nil {
		r.sums[path] = sum
	}
	return sum, err
}

// end stores the record of a unit that is finished or skipped, and reports its status.
func (r *runner) end(u Unit, made *Record, s Status) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.records[u.Name] = made
	r.reportStatus(u, s)
}

// notify reports a unit's status.
func (r *runner) notify(u Unit, s Status) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.reportStatus(u, s)
}

// reportStatus reports a unit's status. The caller holds the mutex.
func (r *runner) reportStatus(u Unit, s Status) {
	if r.options.Notify != nil {
		r.options.Notify(Event{u, s})
	}
}
