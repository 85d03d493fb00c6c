package run

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"likc/search/pipeline"

	"github.com/vbauerster/mpb/v8/cwriter"
)

// runProgress says on a terminal which units run and which are done.
type runProgress struct {
	w        io.Writer // nil for none
	start    time.Time
	mutex    sync.Mutex
	stages   []string
	total    map[string]int
	done     map[string]int
	skipped  int
	newly    int
	under    []string // names of the units under way
	ended    chan struct{}
	stopping sync.Once
	ticking  sync.WaitGroup
}

func newRunProgress(stderr io.Writer, units []pipeline.Unit) *runProgress {
	p := &runProgress{start: time.Now(), total: map[string]int{}, done: map[string]int{}, ended: make(chan struct{})}
	for _, u := range units {
		if p.total[u.Stage] == 0 {
			p.stages = append(p.stages, u.Stage)
		}
		p.total[u.Stage]++
	}
	if f, ok := stderr.(*os.File); ok && cwriter.IsTerminal(int(f.Fd())) {
		p.w = stderr
		p.ticking.Go(p.tick)
	}
	return p
}

// event takes note of what became of a unit.
func (p *runProgress) event(e pipeline.Event) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for i, name := range p.under {
		if name == e.Unit.Name {
			p.under = append(p.under[:i], p.under[i+1:]...)
			break
		}
	}
	switch e.Status {
	case pipeline.Started:
		p.under = append(p.under, e.Unit.Name)
	case pipeline.Skipped:
		p.done[e.Unit.Stage]++
		p.skipped++
	case pipeline.Finished:
		p.done[e.Unit.Stage]++
		p.newly++
		if p.w != nil {
			fmt.Fprintf(p.w, "\r\x1b[K%6s  %s\n", Clock(time.Since(p.start)), e.Unit.Name)
		}
	}
	p.draw()
}

func (p *runProgress) tick() {
	each := time.NewTicker(time.Second)
	defer each.Stop()
	for {
		select {
		case <-p.ended:
			return
		case <-each.C:
			p.mutex.Lock()
			p.draw()
			p.mutex.Unlock()
		}
	}
}

// draw shows one line: stages with their counts, and what is under way. It wants the mutex.
func (p *runProgress) draw() {
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
	if len(p.under) > 0 {
		now = "now " + strings.Join(p.under, ", ")
	}
	line := fmt.Sprintf("%6s  %s;  done: %s", Clock(time.Since(p.start)), now, strings.Join(parts, "  "))
	fmt.Fprintf(p.w, "\r\x1b[K%.*s", 118, line)
}

func Clock(d time.Duration) string {
	s := int(d.Seconds())
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// close ends the line.
func (p *runProgress) close() {
	p.stopping.Do(func() {
		close(p.ended)
		p.ticking.Wait()
		if p.w != nil {
			fmt.Fprint(p.w, "\r\x1b[K")
		}
	})
}

func (p *runProgress) made() int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.newly
}

func (p *runProgress) finished() int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.newly + p.skipped
}
