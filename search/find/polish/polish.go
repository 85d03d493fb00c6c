// Package polish improves the best expressions of earlier searches by local search. One local search is called a climb. Its loss gives
// most weight to the recovery of the weakest parameter when all parameters are estimated at once. The front, which is the list of the
// results, is written whenever a climb ends. The next run with the same settings does only the missing climbs.
package polish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"likc/runtime/model/front"
	"likc/runtime/num/notation"
	"likc/runtime/sys/store"
	"likc/runtime/sys/workers"
	"likc/search/find/evolve"
	"likc/search/find/problem"
	"likc/search/find/tree"
)

// Settings determine a run.
type Settings struct {
	Climb   evolve.Climb // settings of each climb
	Top     int          // number of climbs, from the best expressions; 0: from all
	Threads int          // number of climbs at the same time; 0: one for each processor. Results do not depend on it
	Output  string       // the file of the front; "" for none
	Force   bool         // whether to overwrite a front of other settings in Output, or to drop its climbs beyond Top
}

// These are settings of a climb; λ is the weight of recovery in the loss, and a node is one operator, symbol or constant of an expression.
const (
	// DefaultPrice is the decrease of the loss that pays for one more node, at λ = 1: half a thousandth of the weakest correlation. With a
	// tenth of it, climbs use all allowed nodes to fit the noise of recovery over 300 subjects.
	DefaultPrice = 0.02 / 50
	margin       = 0.002 / 50 // see [evolve.Climb.Margin]; at λ = 1
	pairs        = 12_000     // see [evolve.Climb.Pairs]
)

// Climb returns the settings of a climb whose loss gives recovery the weight lambda. price is the least increase of recovery for
// which a climb adds a node.
func Climb(seed uint64, evaluations int64, price, lambda float64) evolve.Climb {
	return evolve.Climb{Seed: seed, Evaluations: evaluations, Price: price * lambda, Margin: margin * lambda, Pairs: pairs}
}

// DefaultDensityPrice is the price of a node in a search for densities: the divergence, in nats per trial, by which the node must lower
// the loss.
const (
	DefaultDensityPrice = 1e-5
	densityMargin       = 1e-6 // see [evolve.Climb.Margin]
	densityGrow         = 20   // see [evolve.Climb.Grow]
)

// DensityClimb returns the settings of a climb for densities. price is the divergence, in nats per trial, by which each node must
// lower the loss.
func DensityClimb(seed uint64, evaluations int64, price float64) evolve.Climb {
	return evolve.Climb{Seed: seed, Evaluations: evaluations, Price: price, Margin: densityMargin, Pairs: pairs, Grow: densityGrow}
}

// Run is a run of climbs, with its results so far.
type Run struct {
	problem  *problem.Problem // what is searched for: the loss, the symbols and the starting expressions
	settings Settings
	polisher *evolve.Polisher       // makes climbs
	hash     string                 // the hash of the problem
	kept     map[string]*front.Line // lines of an earlier run, by the expression at which the climb began
	starts   []start                // the expressions to climb from, best first
	release  func()                 // unlocks the output
}

// start is an expression at which a climb begins, and the climb's result.
type start struct {
	tree  tree.Tree   // the expression
	text  string      // the expression as it is printed
	loss  float64     // its loss
	terms []float64   // the terms of its loss
	line  *front.Line // result of the climb; nil until the climb has ended
}

// Open prepares a run that starts from the expressions of the given lines. It locks the output until Close.
func Open(p *problem.Problem, lines []front.Line, s Settings) (*Run, error) {
	r := &Run{problem: p, settings: s, release: func() {}}
	if err := p.StartFrom(lines); err != nil {
		return nil, err
	}
	p.Identity.Climb = &s.Climb
	r.hash = p.Identity.Hash()
	var err error
	if r.polisher, err = evolve.NewPolisher(p.Loss, p.Evolution, s.Climb); err != nil {
		return nil, &problem.Error{Refused: true, Err: err}
	}
	for i, t := range p.From {
		if err := r.polisher.Check(t); err != nil {
			return nil, &problem.Error{Refused: true, Err: fmt.Errorf("%s: %w", lines[i].Where(), err)}
		}
	}
	if s.Output != "" {
		if r.release, err = store.Lock(s.Output); err != nil {
			return nil, err
		}
	}
	if r.kept, err = r.earlier(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Close unlocks the output.
func (r *Run) Close() { r.release() }

// Columns returns the headings of a climb's figures, and their format.
func (r *Run) Columns() (heads []string, verb string) { return r.problem.Loss.Columns() }

// each calls work for 0 to n-1 on all threads until ctx is done. Each thread has its own scorer, which computes losses.
func (r *Run) each(ctx context.Context, n int, work func(i int, scorer evolve.Scorer)) {
	threads := r.settings.Threads
	scorers := make([]evolve.Scorer, workers.Threads(n, threads))
	for i := range scorers {
		scorers[i] = r.problem.Loss.NewScorer()
	}
	workers.Do(ctx, n, threads, func(worker, i int) { work(i, scorers[worker]) })
}

// equalLosses is the relative difference that the losses of equal expressions may have, because of rounding.
const equalLosses = 1e-5

// Rank scores all expressions, and chooses those to climb from: the finite ones, best first, and one of each group with equal
// losses. It returns an error if the output has climbs beyond Top.
func (r *Run) Rank(ctx context.Context) error {
	all := make([]start, len(r.problem.From))
	r.each(ctx, len(all), func(i int, scorer evolve.Scorer) {
		t, terms := r.problem.From[i], make([]float64, len(r.problem.Loss.Terms()))
		loss := r.polisher.Score(scorer, t, terms)
		all[i] = start{tree: t, text: r.problem.Text(t), loss: loss, terms: terms}
	})
	if ctx.Err() != nil {
		return errors.New("interrupted: no climb was begun yet")
	}
	slices.SortStableFunc(all, func(a, b start) int { return cmp.Compare(a.loss, b.loss) })
	for _, s := range all {
		if n := len(r.starts); math.IsInf(s.loss, 1) || n > 0 && s.loss-r.starts[n-1].loss <= equalLosses*math.Abs(s.loss) {
			continue
		}
		s.line = r.kept[s.text]
		r.starts = append(r.starts, s)
	}
	if len(r.starts) == 0 {
		return fmt.Errorf("none of %s is finite, has all symbols when simplified and enough recovery in profiles for joint recovery to be measured: "+
			"nothing to climb from", notation.Count(len(all), "expression"))
	}
	return r.fits()
}

// Wanted returns the number of climbs of the run. Rank must be called first.
func (r *Run) Wanted() int {
	if top := r.settings.Top; top > 0 {
		return min(top, len(r.starts))
	}
	return len(r.starts)
}

// Done returns the number of wanted climbs that are finished.
func (r *Run) Done() (n int) {
	for _, s := range r.starts[:r.Wanted()] {
		if s.line != nil {
			n++
		}
	}
	return n
}

// Climb does the missing climbs until ctx ends. After each one it writes the front and calls show.
func (r *Run) Climb(ctx context.Context, show func(done, wanted int)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var missing []int
	for i := range r.Wanted() {
		if r.starts[i].line == nil {
			missing = append(missing, i)
		}
	}
	var mutex sync.Mutex
	failed := r.write()
	if failed != nil {
		return failed
	}
	show(r.Done(), r.Wanted())
	r.each(ctx, len(missing), func(k int, scorer evolve.Scorer) {
		e, err := r.polisher.Polish(ctx, scorer, r.starts[missing[k]].tree, uint64(missing[k]))
		if err != nil {
			return
		}
		line := r.problem.Line(e, r.hash)
		line.Tier = r.problem.Tier(e.Tree)
		mutex.Lock()
		defer mutex.Unlock()
		r.starts[missing[k]].line = &line
		show(r.Done(), r.Wanted())
		if err := r.write(); err != nil && failed == nil {
			failed = err
			cancel()
		}
	})
	return failed
}
