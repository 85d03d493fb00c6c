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

// Plan is a pipeline: what it is called, the settings it was made from, and its units, each after its inputs.
type Plan struct {
	Name     string
	Settings any // JSON
	Units    []Unit
}

// Options say how a plan is run. None of them changes a result.
type Options struct {
	Code    string // the version of the code
	AnyCode bool   // take results of other versions as they are
	Engine  Engine
	Notify  func(Event) // nil for none; one call at a time
}

// Event says what became of a unit.
type Event struct {
	Unit   Unit
	Status Status
}

// Status of a unit.
type Status string

// A unit is either skipped, or started and then finished or failed. Before it starts it may have to wait in a queue. A unit that another
// version of likc finished is told as outdated first.
const (
	Skipped  Status = "unchanged"
	Outdated Status = "outdated"
	Queued   Status = "queued"
	Started  Status = "started"
	Finished Status = "done"
	Failed   Status = "failed"
)

// Run runs the units of a plan that are not done yet, in the folder dir, and writes the manifest. Where a unit fails, it runs those that do not need
// it, and returns an error that names each unit that failed. When ctx ends, it waits
// for the jobs that run to end by themselves, and returns its error. It closes the engine.
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
	err = r.all(ctx, p.Units)
	o.Engine.Close()
	if err != nil {
		return err
	}
	if err := store.RemoveAll(filepath.Join(dir, workFolder)); err != nil { // remove what plans that were given up left
		return err
	}
	return writeManifest(dir, p, o, r.records)
}

// checkFolder refuses the folder of a bank or of a teacher, which would no longer be as its manifest says.
func checkFolder(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, store.ManifestFile)); err != nil {
		return nil
	}
	return fmt.Errorf("%s: holds %s, so it is a bank or a teacher: name a new folder", dir, store.ManifestFile)
}

type runner struct {
	dir     string
	options Options
	plan    string // SHA-256 of plan.json

	mutex   sync.Mutex
	records map[string]*Record
	sums    map[string]string // hashes of files and folders from outside, by path
}

// all starts every unit as soon as its inputs are there. Those that need a unit that failed are left out.
func (r *runner) all(ctx context.Context, units []Unit) error {
	done := map[string]chan struct{}{}
	for _, u := range units {
		done[u.Name] = make(chan struct{})
	}
	failures := map[string]error{} // failures by unit
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
	return together(units, failures)
}

// together is the errors of units in one, in their order. Those of one cause are put together: a cluster may refuse a thousand units.
func together(units []Unit, failures map[string]error) error {
	var first []string // unit of each cause
	also := map[string]int{}
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

// has reports whether a unit is done.
func (r *runner) has(unit string) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.records[unit] != nil
}

// runUnit runs a unit and moves its folder into place. It skips a unit whose folder already holds the wanted result.
func (r *runner) runUnit(ctx context.Context, u Unit) error {
	wanted, err := r.begin(u)
	if err != nil {
		return err
	}
	place := filepath.Join(r.dir, filepath.FromSlash(u.Name))
	old, err := ReadRecord(place)
	switch {
	case err != nil: // there is none, or it is damaged
	case old.same(wanted, r.options.AnyCode):
		r.end(u, old, Skipped)
		return nil
	case old.same(wanted, true):
		r.notify(u, Outdated)
	}
	j := newJob(r.dir, u, wanted)
	made, ok := j.Made() // finished, but not in place yet
	if !ok {
		if made, err = r.work(ctx, j); err != nil {
			return err
		}
	}
	if err := putInPlace(j.folder(), place); err != nil {
		return err
	}
	r.end(u, made, Finished)
	return nil
}

// work lets the engine do a job, and reads its record.
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

func (r *runner) begin(u Unit) (*Record, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return begin(u, r.options.Code, r.plan, r.records, r.sum)
}

// sum is the sum of a file or folder from outside, which is read once. It wants the mutex.
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

func (r *runner) end(u Unit, made *Record, s Status) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.records[u.Name] = made
	r.tell(u, s)
}

func (r *runner) notify(u Unit, s Status) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.tell(u, s)
}

// tell needs the mutex.
func (r *runner) tell(u Unit, s Status) {
	if r.options.Notify != nil {
		r.options.Notify(Event{u, s})
	}
}
