package find

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"likc/cmd/likc/internal/run"
	"likc/search/discover"
	"likc/search/evolve"
	"likc/search/problem"

	"github.com/vbauerster/mpb/v8/cwriter"
)

// liveTable shows the front on a terminal while it is found, and nothing elsewhere.
type liveTable struct {
	w       io.Writer // nil for none
	columns int       // of the terminal
	rows    int
	flags   *searchFlags
	problem *problem.Problem
	start   time.Time
	before  int64 // evaluations before this run

	mutex   sync.Mutex
	last    evolve.Snapshot
	shown   int // lines on the screen
	ended   chan struct{}
	ticking sync.WaitGroup
}

func newLiveTable(stderr io.Writer, f *searchFlags, p *problem.Problem, search *discover.Search) *liveTable {
	t := &liveTable{flags: f, problem: p, before: search.Counters().Full, start: time.Now(), ended: make(chan struct{})}
	file, ok := stderr.(*os.File)
	if !ok || !cwriter.IsTerminal(int(file.Fd())) {
		return t
	}
	t.w, t.columns, t.rows = stderr, 100, 40
	if width, height, err := cwriter.GetSize(int(file.Fd())); err == nil {
		t.columns, t.rows = width, height
	}
	t.ticking.Go(t.tick)
	return t
}

// update takes the front after an epoch.
func (t *liveTable) update(s evolve.Snapshot) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.last = s
}

func (t *liveTable) tick() {
	each := time.NewTicker(time.Second)
	defer each.Stop()
	for {
		select {
		case <-t.ended:
			return
		case <-each.C:
			t.draw()
		}
	}
}

// draw replaces what is on the screen.
func (t *liveTable) draw() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	lines := append([]string{t.status()}, tableLines(t.problem, t.last.Front)...)
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
	io.WriteString(t.w, b.String())
}

// status says how fast the search goes and how long it has to go.
func (t *liveTable) status() string {
	c, spent := t.last.Counters, time.Since(t.start)
	speed := float64(c.Full-t.before) / spent.Seconds()
	s := fmt.Sprintf("%s  %d evaluations, %.0f/s, %.0f%% useful", run.Clock(spent), c.Full, speed, 100*c.UsefulShare())
	left := time.Duration(-1)
	if t.flags.problem.Evaluations > 0 && speed > 0 {
		left = time.Duration(float64(t.flags.problem.Evaluations-c.Full) / speed * 1e9)
	}
	if t.flags.run.Limit > 0 && (left < 0 || t.flags.run.Limit-spent < left) {
		left = t.flags.run.Limit - spent
	}
	if left >= 0 {
		s += ", " + run.Clock(left) + " left"
	}
	return s + "  (Ctrl-C saves)"
}

// close takes the table off the screen: the front is printed where results go.
func (t *liveTable) close() {
	if t.w == nil {
		return
	}
	close(t.ended)
	t.ticking.Wait()
	if t.shown > 0 {
		fmt.Fprintf(t.w, "\x1b[%dA\r\x1b[J", t.shown)
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

// tableLines returns a head, then a line an expression: size, loss, squared error, and the recovery of each parameter, which is
// its correlation less the fraction of estimates at an edge: J where all are estimated at once, R where one at a time.
func tableLines(p *problem.Problem, entries []evolve.Entry) []string {
	letter := "R"
	if p.Loss.HasJoint() {
		letter = "J"
	}
	head := fmt.Sprintf("%4s %9s %9s", "size", "loss", "mse")
	for _, name := range p.Header.ParamNames() {
		head += fmt.Sprintf(" %5s", letter+" "+name)
	}
	lines := []string{head + "  expression"}
	mse := slices.Index(p.Loss.Terms(), "mse")
	for _, e := range entries {
		l := fmt.Sprintf("%4d %9.4g %9.4g", e.Size(), e.Loss, e.Terms[mse])
		for _, r := range p.Loss.Recovery(e.Terms) {
			l += fmt.Sprintf(" %5.2f", r)
		}
		lines = append(lines, l+"  "+p.Text(e.Tree))
	}
	return lines
}
