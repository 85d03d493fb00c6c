// Package progress shows on a terminal how far work is, and nothing elsewhere.
package progress

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"likc/runtime/fit/nuts"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// Bars are bars, one below the other. Its methods but Close may be called from several goroutines.
type Bars struct {
	container *mpb.Progress // nil for none
	one       sync.Mutex
	bars      map[int]*mpb.Bar
	begun     map[int]moment        // beginnings of chains
	notes     map[int]*atomic.Value // read while bars are drawn: not under the mutex
}

// NewBars shows bars on w if it is a terminal.
func NewBars(w io.Writer) *Bars {
	b := &Bars{bars: map[int]*mpb.Bar{}, begun: map[int]moment{}, notes: map[int]*atomic.Value{}}
	if f, ok := Terminal(w); ok {
		b.container = mpb.New(mpb.WithOutput(f), mpb.WithWidth(40))
	}
	return b
}

// Chain shows the state of one chain: its draws, divergences, step size, and the time that it still takes.
func (b *Bars) Chain(s nuts.Progress) {
	if b.container == nil {
		return
	}
	b.one.Lock()
	first, begun := b.begun[s.Chain]
	if !begun {
		first = moment{time.Now(), s.Iteration}
		b.begun[s.Chain] = first
	}
	b.one.Unlock()
	phase := "draws"
	if s.Warmup {
		phase = "warm-up"
	}
	note := fmt.Sprintf(" %d of %d, %s, step %.3g, %d divergences", s.Iteration, s.Total, phase, s.StepSize, s.Divergences)
	if rest, ok := left(time.Since(first.at), s.Iteration-first.iteration, s.Total-s.Iteration); ok {
		note += ", " + Clock(rest) + " left"
	}
	b.Show(s.Chain, fmt.Sprintf("chain %d ", s.Chain), s.Iteration, s.Total, note)
}

// moment is when a chain was at an iteration.
type moment struct {
	at        time.Time
	iteration int
}

// left is how long the rest takes at the pace so far; false before there is one.
func left(elapsed time.Duration, done, rest int) (time.Duration, bool) {
	if done < 1 || rest < 1 {
		return 0, false
	}
	return time.Duration(float64(elapsed) / float64(done) * float64(rest)), true
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
