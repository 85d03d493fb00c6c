package find

import (
	"fmt"
	"io"
	"likc/cmd/likc/internal/run"
	"likc/compiler/expr"
	"likc/runtime/front"
	"likc/search/evolve"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8/cwriter"
)

// searchTable shows the front on a terminal while it is found, and nothing elsewhere.
type searchTable struct {
	w       io.Writer // nil for none
	columns int       // of the terminal
	rows    int
	flags   *searchFlags
	terms   []string
	params  []string
	symbols []string
	start   time.Time
	before  int64 // evaluations of an earlier run that is resumed

	mutex   sync.Mutex
	last    evolve.Snapshot
	shown   int // lines on the screen
	ended   chan struct{}
	ticking sync.WaitGroup
}

func newSearchTable(stderr io.Writer, f *searchFlags, terms []string, header *expr.Model, c evolve.Counters, resumed bool) *searchTable {
	t := &searchTable{flags: f, terms: terms, params: header.ParamNames(), start: time.Now(), ended: make(chan struct{})}
	t.symbols = append(slices.Clone(t.params), header.Trials...)
	if resumed {
		t.before = c.Full
	}
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
func (t *searchTable) update(s evolve.Snapshot) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.last = s
}

func (t *searchTable) tick() {
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
func (t *searchTable) draw() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	lines := append([]string{t.status()}, frontTable(t.last.Front, t.terms, t.params, t.symbols)...)
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
func (t *searchTable) status() string {
	c, spent := t.last.Counters, time.Since(t.start)
	speed := float64(c.Full-t.before) / spent.Seconds()
	s := fmt.Sprintf("%s  %d evaluations, %.0f/s, %.0f%% useful", run.Clock(spent), c.Full, speed, 100*c.UsefulShare())
	left := time.Duration(-1)
	if t.flags.evals > 0 && speed > 0 {
		left = time.Duration(float64(t.flags.evals-c.Full) / speed * 1e9)
	}
	if t.flags.limit > 0 && (left < 0 || t.flags.limit-spent < left) {
		left = t.flags.limit - spent
	}
	if left >= 0 {
		s += ", " + run.Clock(left) + " left"
	}
	return s + "  (Ctrl-C saves)"
}

// close takes the table off the screen: the front is printed where results go.
func (t *searchTable) close() {
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

// frontTable has a line an expression: size, loss, squared error, recovery of each parameter (ρ less edge fraction), J of all
// at once where the loss looks at that, else R of profiles.
func frontTable(entries []evolve.Entry, terms, params, symbols []string) []string {
	head := fmt.Sprintf("%4s %9s %9s", "size", "loss", "mse")
	letter, _, _ := recoveryTerms(terms)
	for _, p := range params {
		head += fmt.Sprintf(" %5s", letter+" "+p)
	}
	lines := []string{head + "  expression"}
	for _, e := range entries {
		l := fmt.Sprintf("%4d %9.4g %9.4g", e.Size(), e.Loss, e.Terms[slices.Index(terms, "mse")])
		for _, r := range recovered(e.Terms, terms, params) {
			l += fmt.Sprintf(" %5.2f", r)
		}
		lines = append(lines, l+"  "+e.Tree.Expr(symbols).String())
	}
	return lines
}

// recoveryTerms are the prefixes of the terms that say best what is recovered, and the letter that stands for them.
func recoveryTerms(terms []string) (letter, rho, edge string) {
	if slices.ContainsFunc(terms, func(name string) bool { return strings.HasPrefix(name, "joint_") }) {
		return "J", "joint_", "joint_edge_"
	}
	return "R", "rho_", "edge_"
}

// recovered is the correlation less the edge fraction of each parameter.
func recovered(values []float64, terms, params []string) (r []float64) {
	_, rho, edge := recoveryTerms(terms)
	at := func(name string) float64 { return values[slices.Index(terms, name)] }
	for _, p := range params {
		r = append(r, at(rho+p)-at(edge+p))
	}
	return r
}

// print writes the front that was found.
func (f *searchFlags) print(w io.Writer, found *frontWriter) error {
	if f.asJSON {
		return front.Write(w, found.lines(found.front(), true))
	}
	p := found.problem
	for _, l := range frontTable(found.front(), p.loss.Terms(), p.header.ParamNames(), p.loss.Symbols()) {
		if _, err := fmt.Fprintln(w, l); err != nil {
			return err
		}
	}
	c := found.search.Counters()
	_, err := fmt.Fprintf(w, "\n%d evaluations, %.0f%% of them useful\n", c.Full, 100*c.UsefulShare())
	return err
}
