package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"likc/runtime/store"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
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
	Threads int    // processors to share out
	Execute func(context.Context, Job) error
	Notify  func(Event) // nil for none; one call at a time
}

// Job is a unit that is to be run now.
type Job struct {
	Unit    Unit
	Dir     string // the run's folder, where commands are started: paths are below it, so that no result knows where it is
	Work    string // the unit's folder, below it
	Steps   []Step // with paths, --resume added if there is something to resume
	Threads int
	Log     string // a file for what the command prints
}

// Event says what became of a unit.
type Event struct {
	Unit   Unit
	Status Status
}

// Status of a unit.
type Status string

// A unit is either skipped, or started and then finished or failed.
const (
	Skipped  Status = "unchanged"
	Started  Status = "started"
	Finished Status = "done"
	Failed   Status = "failed"
)

// Run runs the units of a plan that are not done yet, in the folder dir, and writes the manifest. When ctx ends, it waits
// for the jobs that run to end by themselves, and returns its error.
func Run(ctx context.Context, dir string, p Plan, o Options) error {
	if err := check(p.Units); err != nil {
		return err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	for _, sub := range []string{workFolder, logFolder} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
			return err
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
	r := &runner{dir: dir, options: o, plan: plan, slots: semaphore.NewWeighted(int64(max(1, o.Threads))), records: map[string]*Record{}}
	if err := r.all(ctx, p.Units); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(dir, workFolder)); err != nil { // of plans that were given up
		return err
	}
	return writeManifest(dir, p, o, r.records)
}

type runner struct {
	dir     string
	options Options
	plan    string // SHA-256 of plan.json
	slots   *semaphore.Weighted

	mutex   sync.Mutex
	records map[string]*Record
}

// all starts every unit as soon as its inputs are there and processors are free.
func (r *runner) all(ctx context.Context, units []Unit) error {
	group, ctx := errgroup.WithContext(ctx)
	done := map[string]chan struct{}{}
	for _, u := range units {
		done[u.Name] = make(chan struct{})
	}
	for _, u := range units {
		group.Go(func() error {
			for _, in := range u.Inputs {
				if in.Path != "" {
					continue
				}
				select {
				case <-done[in.Unit]:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			if err := r.runUnit(ctx, u); err != nil {
				return err
			}
			close(done[u.Name])
			return nil
		})
	}
	return group.Wait()
}

// runUnit runs a unit and moves its folder into place. It skips a unit whose folder already holds the wanted result.
func (r *runner) runUnit(ctx context.Context, u Unit) error {
	wanted, err := r.begin(u)
	if err != nil {
		return err
	}
	place := filepath.Join(r.dir, filepath.FromSlash(u.Name))
	if old, err := ReadRecord(place); err == nil && old.same(wanted, r.options.AnyCode) {
		r.end(u, old, Skipped)
		return nil
	}
	work := filepath.Join(r.dir, workFolder, wanted.Key[:32])
	made, err := ReadRecord(work) // finished, but not in place yet
	if err != nil || !made.same(wanted, false) {
		if made, err = r.work(ctx, u, wanted, work); err != nil {
			return err
		}
	}
	if err := putInPlace(work, place); err != nil {
		return fmt.Errorf("%s: %w", u.Name, err)
	}
	r.end(u, made, Finished)
	return nil
}

func (r *runner) begin(u Unit) (*Record, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return begin(u, r.options.Code, r.plan, r.records)
}

func (r *runner) end(u Unit, made *Record, s Status) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.records[u.Name] = made
	r.tell(u, s)
}

// tell wants the mutex.
func (r *runner) tell(u Unit, s Status) {
	if r.options.Notify != nil {
		r.options.Notify(Event{u, s})
	}
}

// work runs the command of a unit and completes its folder.
func (r *runner) work(ctx context.Context, u Unit, record *Record, work string) (*Record, error) {
	threads := u.Threads
	if most := max(1, r.options.Threads); threads <= 0 || threads > most {
		threads = most
	}
	if err := r.slots.Acquire(ctx, int64(threads)); err != nil {
		return nil, err
	}
	defer r.slots.Release(int64(threads))
	below := filepath.Join(workFolder, filepath.Base(work))
	steps := u.expand(below)
	if _, err := os.Stat(filepath.Join(work, u.Resume)); err == nil && u.Resume != "" {
		for i := range steps {
			steps[i].Args = append(steps[i].Args, "--resume")
			if steps[i].Again != nil {
				steps[i].Args = steps[i].Again
			}
		}
	} else if err := os.RemoveAll(work); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(work, 0o777); err != nil {
		return nil, err
	}
	r.mutex.Lock()
	r.tell(u, Started)
	r.mutex.Unlock()
	log := filepath.Join(r.dir, logFolder, filepath.FromSlash(u.Name)+".log")
	if err := os.MkdirAll(filepath.Dir(log), 0o777); err != nil {
		return nil, err
	}
	err := r.options.Execute(ctx, Job{Unit: u, Dir: r.dir, Work: below, Steps: steps, Threads: threads, Log: log})
	if err == nil {
		err = complete(u, record, work)
	}
	if err != nil {
		r.mutex.Lock()
		defer r.mutex.Unlock()
		r.tell(u, Failed)
		return nil, fmt.Errorf("%s: %w", u.Name, err)
	}
	return record, nil
}

// complete keeps the outputs alone and adds the record.
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
