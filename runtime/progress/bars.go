// Package progress shows on a terminal how far work is, and nothing elsewhere.
package progress

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"likc/runtime/nuts"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// Bars are bars, one below the other. Its methods but Close may be called from several goroutines.
type Bars struct {
	container *mpb.Progress // nil for none
	one       sync.Mutex
	bars      map[int]*mpb.Bar
	notes     map[int]*atomic.Value // read while bars are drawn: not under the mutex
}

// NewBars shows bars on w if it is a terminal.
func NewBars(w io.Writer) *Bars {
	b := &Bars{bars: map[int]*mpb.Bar{}, notes: map[int]*atomic.Value{}}
	if f, ok := Terminal(w); ok {
		b.container = mpb.New(mpb.WithOutput(f), mpb.WithWidth(40))
	}
	return b
}

// Chain shows the state of one chain.
func (b *Bars) Chain(s nuts.Progress) {
	if b.container == nil {
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
	b.Show(s.Chain, fmt.Sprintf("chain %d ", s.Chain), s.Iteration, s.Total, note)
}

// Subjects shows how many are done.
func (b *Bars) Subjects(done, total int) { b.Count("subjects", "", done, total) }

// Climbs shows how many are done.
func (b *Bars) Climbs(done, total int) { b.Count("climbs", "", done, total) }

// Count shows in the first bar how many units are done.
func (b *Bars) Count(name, units string, done, total int) {
	if units != "" {
		units = " " + units
	}
	b.Show(0, name+" ", done, total, fmt.Sprintf(" %d of %d%s", done, total, units))
}

// Show sets a bar, and makes it with this name and total the first time. Bars are in the order of their ids.
func (b *Bars) Show(id int, name string, done, total int, note string) {
	if b.container == nil {
		return
	}
	b.one.Lock()
	defer b.one.Unlock()
	if b.bars[id] == nil {
		shown := &atomic.Value{}
		shown.Store(note)
		b.notes[id] = shown
		b.bars[id] = b.container.AddBar(int64(total), mpb.BarPriority(id),
			mpb.PrependDecorators(decor.Name(name), decor.Percentage(decor.WC{W: 5})),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return shown.Load().(string) })))
	}
	b.notes[id].Store(note)
	b.bars[id].SetCurrent(int64(done))
}

// Close leaves the bars as they are.
func (b *Bars) Close() {
	if b.container == nil {
		return
	}
	for _, bar := range b.bars {
		bar.Abort(false) // does nothing to those that are done
	}
	b.container.Wait()
}
