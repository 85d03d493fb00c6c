// Package discover runs a search and maintains its files: the front and its table, which are valid at any time; a checkpoint from
// which an interrupted search continues; and, at the end, the archive.
package discover

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"likc/runtime/model/front"
	"likc/runtime/sys/store"
	"likc/search/find/evolve"
	"likc/search/find/problem"
)

// Files are the files that a search writes; "" for a file that is not wanted. Table and State need Front.
type Files struct {
	Front   string // JSON lines
	Table   string // CSV with the columns of PySR's hall of fame: Complexity, Loss, Equation
	State   string // checkpoint
	Archive string // JSON lines without tiers: the best expression for each size and set of recovered parameters
}

// Settings determine how a search is run. Of these, only Limit can change which expressions it finds.
type Settings struct {
	Files
	Resume     bool          // whether to continue from the file State, if it exists
	Limit      time.Duration // wall-clock time; 0: no limit
	Checkpoint time.Duration // least time between checkpoints
	Threads    int           // 0: one for each processor
}

// Search is a search and the files that it writes.
type Search struct {
	*evolve.Search
	problem  *problem.Problem
	settings Settings
	release  func()
	resumed  bool

	hash         string // the hash of the problem
	clock        *clock
	late         context.Context   // cancelled when there is no time any more to look up tiers
	tiers        map[string]string // the compiler's tier of each expression, by its text
	changed      bool              // whether the front has changed since it was written
	ended        bool              // whether the search has ended; looking up tiers then delays nothing
	tidied       []evolve.Entry    // the final front; nil before the end
	wrote, saved time.Time
	cost, pause  time.Duration // the time that writing a checkpoint takes, and the time until the next one
}

// New begins a search, or continues one from its checkpoint. It locks the front until Close.
func New(p *problem.Problem, s Settings) (*Search, error) {
	d := &Search{problem: p, settings: s, hash: p.Identity.Hash(), tiers: map[string]string{}, release: func() {}}
	if s.Front != "" {
		release, err := store.Lock(s.Front)
		if err != nil {
			return nil, err
		}
		d.release = release
	}
	if err := d.start(); err != nil {
		d.release()
		return nil, err
	}
	d.SetThreads(s.Threads)
	return d, nil
}

// Close unlocks the front.
func (d *Search) Close() { d.release() }

// Resumed reports whether the search continues from a checkpoint.
func (d *Search) Resumed() bool { return d.resumed }

// start begins a new search, or restores one from its checkpoint.
func (d *Search) start() (err error) {
	if d.settings.Resume {
		err := d.restore()
		if d.resumed = err == nil; d.resumed || !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if d.Search, err = evolve.New(d.problem.Loss, d.problem.Evolution); err != nil {
		return &problem.Error{Refused: true, Err: err}
	}
	for i, g := range d.problem.Guesses {
		if err := d.Guess(g); err != nil {
			return &problem.Error{Setting: "guess", Refused: true, Err: fmt.Errorf("%s: %w", d.problem.Settings.Guesses[i], err)}
		}
	}
	if err := d.Deal(d.problem.From); err != nil {
		return &problem.Error{Setting: "from", Refused: true, Err: err}
	}
	return nil
}

// Run searches until the budget or the time is spent or ctx ends, and writes the files during and after the search. It calls show
// after each epoch. If the time is spent, it returns [evolve.Deadline].
func (d *Search) Run(ctx context.Context, show func(evolve.Snapshot)) (evolve.Reason, error) {
	running, stop := context.WithCancel(ctx)
	defer stop()
	d.clock = newClock(d.settings.Limit, stop)
	defer d.clock.close()
	late, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	defer context.AfterFunc(running, func() { time.AfterFunc(tierGrace, end) })()
	d.late, d.saved, d.pause = late, time.Now(), d.settings.Checkpoint
	var failed error
	reason := d.Search.Run(running, func(s evolve.Snapshot) {
		s.Front = d.Front()
		show(s)
		if err := d.writeDue(s); err != nil && failed == nil {
			failed = err
			stop()
		}
	})
	if failed != nil {
		return reason, failed
	}
	if reason == evolve.Interrupted && d.clock.rang() && ctx.Err() == nil {
		reason = evolve.Deadline
	}
	if front := d.Front(); len(front) > 0 {
		d.tidied = d.Tidied(front)
	}
	return reason, d.finish(reason)
}

// Front returns the front. With the improved objective, it has only expressions that recover all parameters in the joint proxy,
// if there are any; the archive has the others. At λ = 0, the search ignores recovery, and the front has all expressions. At the
// end of a search, the constants are fitted to all rows and rounded.
func (d *Search) Front() []evolve.Entry {
	if d.tidied != nil {
		return d.tidied
	}
	if s := &d.problem.Settings; s.Objective == problem.Improved && s.Lambda > 0 {
		all := uint16(1)<<len(d.problem.Header.Params) - 1
		if within := d.FrontWithin(all); len(within) > 0 {
			return within
		}
	}
	return d.Search.Front()
}

// Lines returns the front as lines of its file.
func (d *Search) Lines() []front.Line { return d.lines(d.Front(), true) }
