// Package progress shows on a terminal how far a computation has got. Without a terminal it shows nothing.
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

// Bars shows progress bars, one below the other. All methods except Close may be called from several goroutines.
type Bars struct {
	container *mpb.Progress // nil if there is no terminal
	mutex     sync.Mutex
	bars      map[int]*mpb.Bar      // by id
	begun     map[int]moment        // when the first progress of each chain was reported
	notes     map[int]*atomic.Value // accessed without the mutex, because bars are drawn at any time
}

// NewBars returns bars on w, which are shown if w is a terminal.
func NewBars(w io.Writer) *Bars {
	b := &Bars{bars: map[int]*mpb.Bar{}, begun: map[int]moment{}, notes: map[int]*atomic.Value{}}
	if f, ok := Terminal(w); ok {
		b.container = mpb.New(mpb.WithOutput(f), mpb.WithWidth(40))
	}
	return b
}

// Chain shows the state of one chain: its draws, divergences, step size, and the estimated time that is left.
func (b *Bars) Chain(s nuts.Progress) {
	if b.container == nil {
		return
	}
	b.mutex.Lock()
	first, begun := b.begun[s.Chain]
	if !begun {
		first = moment{time.Now(), s.Iteration}
		b.begun[s.Chain] = first
	}
	b.mutex.Unlock()
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

// moment is the time at which a chain had made a number of iterations.
type moment struct {
	at        time.Time
	iteration int
}

// left estimates the time for `rest` further iterations from the time for `done` ones. It returns false if done or rest is 0.
func left(elapsed time.Duration, done, rest int) (time.Duration, bool) {
	if done < 1 || rest < 1 {
		return 0, false
	}
	return time.Duration(float64(elapsed) / float64(done) * float64(rest)), true
}

// Subjects shows how many subjects are finished.
func (b *Bars) Subjects(done, total int) { b.Count("subjects", "", done, total) }

// Climbs shows how many searches for the mode are finished.
func (b *Bars) Climbs(done, total int) { b.Count("climbs", "", done, total) }

// Count shows in the first bar how many units are finished.
func (b *Bars) Count(name, units string, done, total int) {
	if units != "" {
		units = " " + units
	}
	b.Show(0, name+" ", done, total, fmt.Sprintf(" %d of %d%s", done, total, units))
}

// Show sets a bar. The first call creates it with the given name and total. Bars are in the order of their ids.
func (b *Bars) Show(id int, name string, done, total int, note string) {
	if b.container == nil {
		return
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
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

// Close ends the display. The bars stay on the terminal.
func (b *Bars) Close() {
	if b.container == nil {
		return
	}
	for _, bar := range b.bars {
		bar.Abort(false) // has no effect on bars that are complete
	}
	b.container.Wait()
}
