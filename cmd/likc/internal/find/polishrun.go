package find

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"likc/cmd/likc/internal/cli"
	"likc/runtime/front"
	"likc/runtime/workers"
	"likc/search/evolve"
	"math"
	"slices"
	"sync"

	postfix "likc/search/tree"

	"github.com/spf13/cobra"
)

// polishRun is a run and what it has so far.
type polishRun struct {
	flags    *polishFlags
	problem  *problem
	polisher *evolve.Polisher
	settings string                 // hash
	kept     map[string]*front.Line // what an earlier run left, by the expression that a climb began at
	starts   []polishStart          // by rank
}

// polishStart is where a climb begins, and its result.
type polishStart struct {
	tree  postfix.Tree
	text  string
	loss  float64
	terms []float64
	line  *front.Line // nil until it is climbed from
}

// open reads everything.
func (f *polishFlags) open(cmd *cobra.Command, args []string) (*polishRun, error) {
	lines, err := cli.Reading(func() ([]front.Line, error) { return readFronts(args) })
	if err != nil {
		return nil, err
	}
	p, err := f.search.problem()
	if err != nil {
		return nil, err
	}
	if err := p.goOn(lines); err != nil {
		return nil, err
	}
	climb := f.climb()
	p.identity.Climb = climb
	r := &polishRun{flags: f, problem: p, settings: p.identity.hash()}
	if r.polisher, err = evolve.NewPolisher(p.loss, p.evolution, *climb); err != nil {
		return nil, cli.Usage(err)
	}
	for i, t := range p.from {
		if err := r.polisher.Check(t); err != nil {
			return nil, cli.Usagef("%s: %w", lines[i].Where(), err)
		}
	}
	r.kept, err = f.earlier(r.settings)
	return r, err
}

// each calls work for 0 to n-1 on all threads, each with a scorer of its own, until ctx is done.
func (r *polishRun) each(ctx context.Context, n int, work func(i int, scorer evolve.Scorer)) {
	threads := r.flags.search.threads
	scorers := make([]evolve.Scorer, workers.Threads(n, threads))
	for i := range scorers {
		scorers[i] = r.problem.loss.NewScorer()
	}
	workers.Do(ctx, n, threads, func(worker, i int) { work(i, scorers[worker]) })
}

// equalLosses is the share by which losses of equal expressions may differ, for order and rounding.
const equalLosses = 1e-5

// rank scores all expressions and keeps those to climb from, the best first.
func (r *polishRun) rank(ctx context.Context) error {
	all := make([]polishStart, len(r.problem.from))
	r.each(ctx, len(all), func(i int, scorer evolve.Scorer) {
		t, terms := r.problem.from[i], make([]float64, len(r.problem.loss.Terms()))
		loss := r.polisher.Score(scorer, t, terms)
		all[i] = polishStart{tree: t, text: t.Expr(r.problem.loss.Symbols()).String(), loss: loss, terms: terms}
	})
	if ctx.Err() != nil {
		return errors.New("interrupted: no climb was begun yet")
	}
	slices.SortStableFunc(all, func(a, b polishStart) int { return cmp.Compare(a.loss, b.loss) })
	for _, s := range all {
		if n := len(r.starts); math.IsInf(s.loss, 1) || n > 0 && s.loss-r.starts[n-1].loss <= equalLosses*math.Abs(s.loss) {
			continue
		}
		s.line = r.kept[s.text]
		r.starts = append(r.starts, s)
	}
	if len(r.starts) == 0 {
		return fmt.Errorf("none of %s is finite, has all symbols when simplified and enough recovery in profiles for joint recovery to be measured: "+
			"nothing to climb from", cli.Count(len(all), "expression"))
	}
	return r.holds()
}

// wanted is how many of the starts are climbed from, done how many of those have been.
func (r *polishRun) wanted() int {
	if top := r.flags.top; top > 0 {
		return min(top, len(r.starts))
	}
	return len(r.starts)
}

func (r *polishRun) done() (n int) {
	for _, s := range r.starts[:r.wanted()] {
		if s.line != nil {
			n++
		}
	}
	return n
}

// run climbs from the starts that are left, and writes the front after each.
func (r *polishRun) run(ctx context.Context, show func(done, total int)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var left []int
	for i := range r.wanted() {
		if r.starts[i].line == nil {
			left = append(left, i)
		}
	}
	var mutex sync.Mutex
	failed := r.write()
	if failed != nil {
		return failed
	}
	show(r.done(), r.wanted())
	r.each(ctx, len(left), func(k int, scorer evolve.Scorer) {
		e, err := r.polisher.Polish(ctx, scorer, r.starts[left[k]].tree, uint64(left[k]))
		if err != nil {
			return
		}
		line := r.line(e)
		mutex.Lock()
		defer mutex.Unlock()
		r.starts[left[k]].line = line
		show(r.done(), r.wanted())
		if err := r.write(); err != nil && failed == nil {
			failed = err
			cancel()
		}
	})
	return failed
}
