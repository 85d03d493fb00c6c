package discover

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"likc/runtime/fit/progress"
	"likc/search/find/evolve"
	"likc/search/find/problem"
)

// Screen shows the front on a terminal while a search runs. Without a terminal it shows nothing.
type Screen struct {
	search        *Search
	terminal      *os.File // nil if there is no terminal
	columns, rows int
	start         time.Time
	before        int64 // number of evaluations made before this run
	stop          func()

	mutex sync.Mutex
	last  evolve.Snapshot
	shown int // number of lines now on the screen
}

// NewScreen shows the front on stderr if it is a terminal.
func NewScreen(stderr io.Writer, search *Search) *Screen {
	t := &Screen{search: search, before: search.Counters().Full, start: time.Now()}
	if terminal, ok := progress.Terminal(stderr); ok {
		t.terminal = terminal
		t.columns, t.rows = progress.Size(terminal)
		t.stop = progress.EverySecond(t.draw)
	}
	return t
}

// Update shows the front as it is after an epoch.
func (t *Screen) Update(s evolve.Snapshot) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.last = s
}

// draw replaces the lines on the screen.
func (t *Screen) draw() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	lines := append([]string{t.status()}, listing(t.search.problem, t.last.Front)...)
	if len(lines) > t.rows-2 {
		lines = append(lines[:2], lines[len(lines)-(t.rows-4):]...)
	}
	var b strings.Builder
	if t.shown > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", t.shown)
	}
	for _, l := range lines {
		fmt.Fprintf(&b, "\r\x1b[K%s\n", cut(l, t.columns-1))
	}
	b.WriteString("\x1b[J")
	t.shown = len(lines)
	io.WriteString(t.terminal, b.String())
}

// status returns a line with the speed of the search and the time that is left.
func (t *Screen) status() string {
	c, spent := t.last.Counters, time.Since(t.start)
	speed := float64(c.Full-t.before) / spent.Seconds()
	s := fmt.Sprintf("%s  %d evaluations, %.0f/s, %.0f%% useful", progress.Clock(spent), c.Full, speed, 100*c.UsefulShare())
	left, budget, limit := time.Duration(-1), t.search.problem.Settings.Evaluations, t.search.settings.Limit
	if budget > 0 && speed > 0 {
		left = time.Duration(float64(budget-c.Full) / speed * 1e9)
	}
	if limit > 0 && (left < 0 || limit-spent < left) {
		left = limit - spent
	}
	if left >= 0 {
		s += ", " + progress.Clock(left) + " left"
	}
	return s + "  (Ctrl-C saves)"
}

// Close clears the lines, because the front is then printed to the normal output.
func (t *Screen) Close() {
	if t.terminal == nil {
		return
	}
	t.stop()
	if t.shown > 0 {
		fmt.Fprintf(t.terminal, "\x1b[%dA\r\x1b[J", t.shown)
	}
}

// cut shortens a line to the width of the screen.
func cut(s string, width int) string {
	r := []rune(s)
	if len(r) > width && width > 1 {
		return string(r[:width-1]) + "…"
	}
	return s
}

// Listing returns the front as lines of text. The first holds the headings; each other one describes an expression: size, loss,
// squared error if the loss has one, and then recovery for each parameter, or divergences.
func (d *Search) Listing() []string { return listing(d.problem, d.Front()) }

func listing(p *problem.Problem, entries []evolve.Entry) []string {
	heads, verb := p.Loss.Columns()
	head, mse := fmt.Sprintf("%4s %9s", "size", "loss"), slices.Index(p.Loss.Terms(), "mse")
	if mse >= 0 {
		head += fmt.Sprintf(" %9s", "mse")
	}
	for _, name := range heads {
		head += fmt.Sprintf(" %*s", len(fmt.Sprintf(verb, 0.0)), name)
	}
	lines := []string{head + "  expression"}
	for _, e := range entries {
		l := fmt.Sprintf("%4d %9.4g", e.Size(), e.Loss)
		if mse >= 0 {
			l += fmt.Sprintf(" %9.4g", e.Terms[mse])
		}
		for _, x := range p.Loss.Figures(e.Terms) {
			l += fmt.Sprintf(" "+verb, x)
		}
		lines = append(lines, l+"  "+p.Text(e.Tree))
	}
	return lines
}
