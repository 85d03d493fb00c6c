package pipeline

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"likc/runtime/fit/progress"
)

// Progress counts the finished units, and shows on a terminal which units are running.
type Progress struct {
	w        io.Writer // the terminal; nil: nothing is shown
	start    time.Time
	mutex    sync.Mutex
	stages   []string       // in the order of the plan
	total    map[string]int // number of units, by stage
	done     map[string]int // number of finished or skipped units, by stage
	skipped  int            // number of units that were finished before this run
	newly    int            // number of units that this run has finished
	outdated int            // number of units that another version of likc had finished
	running  []string       // names of the running units
	queued   []string       // names of the units that wait in a queue
	stop     func()         // ends the line on the terminal
}

// NewProgress returns a Progress that shows units on stderr if that is a terminal.
func NewProgress(stderr io.Writer, units []Unit) *Progress {
	p := &Progress{start: time.Now(), total: map[string]int{}, done: map[string]int{}, stop: func() {}}
	for _, u := range units {
		if p.total[u.Stage] == 0 {
			p.stages = append(p.stages, u.Stage)
		}
		p.total[u.Stage]++
	}
	if terminal, ok := progress.Terminal(stderr); ok {
		p.w = terminal
		stop := progress.EverySecond(p.redraw)
		p.stop = sync.OnceFunc(func() {
			stop()
			fmt.Fprint(p.w, "\r\x1b[K")
		})
	}
	return p
}

// Event records a change of a unit's status.
func (p *Progress) Event(e Event) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	is := func(name string) bool { return name == e.Unit.Name }
	p.running, p.queued = slices.DeleteFunc(p.running, is), slices.DeleteFunc(p.queued, is)
	switch e.Status {
	case Queued:
		p.queued = append(p.queued, e.Unit.Name)
	case Started:
		p.running = append(p.running, e.Unit.Name)
	case Outdated:
		p.outdated++
	case Skipped:
		p.done[e.Unit.Stage]++
		p.skipped++
	case Finished:
		p.done[e.Unit.Stage]++
		p.newly++
		if p.w != nil {
			fmt.Fprintf(p.w, "\r\x1b[K%6s  %s\n", progress.Clock(time.Since(p.start)), e.Unit.Name)
		}
	}
	p.draw()
}

// Note writes a line of text to the terminal, above the line with the counts, or to stderr if there is no terminal.
func (p *Progress) Note(stderr io.Writer, text string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.w == nil {
		fmt.Fprintln(stderr, text)
		return
	}
	fmt.Fprintf(p.w, "\r\x1b[K%6s  %s\n", progress.Clock(time.Since(p.start)), text)
	p.draw()
}

func (p *Progress) redraw() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.draw()
}

// draw shows one line with the counts of each stage and the running units. The caller holds the mutex.
func (p *Progress) draw() {
	if p.w == nil {
		return
	}
	var parts []string
	for _, s := range p.stages {
		if p.done[s] < p.total[s] {
			parts = append(parts, fmt.Sprintf("%s %d/%d", s, p.done[s], p.total[s]))
		}
	}
	now := "between units"
	if len(p.running) > 0 {
		now = "now " + strings.Join(p.running, ", ")
	}
	if len(p.queued) > 0 {
		now = fmt.Sprintf("%d in the queue, %d at work", len(p.queued), len(p.running))
	}
	line := fmt.Sprintf("%6s  %s;  done: %s", progress.Clock(time.Since(p.start)), now, strings.Join(parts, "  "))
	fmt.Fprintf(p.w, "\r\x1b[K%.*s", 118, line)
}

// Close ends the line. A second call does nothing.
func (p *Progress) Close() { p.stop() }

// Made returns how many units this run has finished.
func (p *Progress) Made() int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.newly
}

// Outdated returns how many units were finished by another version of likc.
func (p *Progress) Outdated() int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.outdated
}

// Done returns how many units are finished, those of earlier runs included.
func (p *Progress) Done() int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.newly + p.skipped
}
