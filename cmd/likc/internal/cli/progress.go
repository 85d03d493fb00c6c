package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"likc/runtime/nuts"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"
)

// Progress shows bars on a terminal, and nothing elsewhere.
type Progress struct {
	Container *mpb.Progress
	one       sync.Mutex
	bars      map[int]*mpb.Bar
	notes     map[int]*atomic.Value // read while bars are drawn: not under the mutex
}

func NewProgress(stderr io.Writer) *Progress {
	p := &Progress{bars: map[int]*mpb.Bar{}, notes: map[int]*atomic.Value{}}
	if f, ok := stderr.(*os.File); ok && cwriter.IsTerminal(int(f.Fd())) {
		p.Container = mpb.New(mpb.WithOutput(f), mpb.WithWidth(40))
	}
	return p
}

// Chain shows the state of one chain.
func (p *Progress) Chain(s nuts.Progress) {
	if p.Container == nil {
		return
	}
	phase := "sampling"
	if s.Warmup {
		phase = "warm-up"
	}
	note := fmt.Sprintf(" %s, step %.3g, %d leapfrogs", phase, s.StepSize, s.Leapfrogs)
	if s.Divergences > 0 {
		note += fmt.Sprintf(", %d DIVERGENCES", s.Divergences)
	}
	p.Show(s.Chain, fmt.Sprintf("chain %d ", s.Chain), s.Iteration, s.Total, note)
}

// Subjects shows how many are done.
func (p *Progress) Subjects(done, total int) {
	if p.Container != nil {
		p.Show(0, "subjects ", done, total, fmt.Sprintf(" %d of %d", done, total))
	}
}

// Climbs shows how many are done.
func (p *Progress) Climbs(done, total int) {
	if p.Container != nil {
		p.Show(0, "climbs ", done, total, fmt.Sprintf(" %d of %d", done, total))
	}
}

func (p *Progress) Show(id int, name string, done, total int, note string) {
	p.one.Lock()
	defer p.one.Unlock()
	if p.bars[id] == nil {
		shown := &atomic.Value{}
		shown.Store(note)
		p.notes[id] = shown
		p.bars[id] = p.Container.AddBar(int64(total), mpb.BarPriority(id),
			mpb.PrependDecorators(decor.Name(name), decor.Percentage(decor.WC{W: 5})),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return shown.Load().(string) })))
	}
	p.notes[id].Store(note)
	p.bars[id].SetCurrent(int64(done))
}

// Close leaves the bars as they are.
func (p *Progress) Close() {
	if p.Container == nil {
		return
	}
	for _, bar := range p.bars {
		bar.Abort(false) // does nothing to those that are done
	}
	p.Container.Wait()
}
