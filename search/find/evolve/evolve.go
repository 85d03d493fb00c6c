// Package evolve searches for expressions by evolution. Populations on separate islands hold tournaments; the winners mutate and cross
// over, their children replace the oldest members, and some members migrate. A hall of fame keeps the best expression of each size.
// The algorithm and its terms are those of PySR [cranmer2023]. The preset "pysr" has PySR's default settings, the preset "likc"
// those that worked better in measurements. What is regressed is up to the [Objective].
//
// A search is deterministic. It runs in epochs. During an epoch, islands share nothing except the state at its beginning, and each has
// its own random stream. At its end, what they found is merged in the order of the islands. So the number of threads changes only
// the time, and a checkpoint needs only the state between two epochs.
//
// Reference: [cranmer2023] M. Cranmer, Interpretable Machine Learning for Science with PySR and SymbolicRegression.jl,
// arXiv 2305.01582, 2023.
package evolve

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"

	"likc/compiler/expr"
	"likc/runtime/sys/workers"
	"likc/search/find/tree"
)

// Objective is the loss that a search minimises.
type Objective interface {
	Symbols() []string // the leaves
	Terms() []string   // names of the terms that a score consists of
	NewScorer() Scorer // a scorer with its own working memory, for one goroutine
}

// Scorer computes the loss of trees. Its results may depend only on the tree.
type Scorer interface {
	// Score sets dst to the terms of the loss and returns the loss; +Inf for a rejected tree. Once the loss is certain to be above
	// limit, any value above limit may be returned. The limit +Inf asks for the exact loss.
	Score(t tree.Tree, limit float64, dst []float64) (loss float64)
	// Fingerprint returns a hash of the tree's rounded values on a few rows, and whether they are finite.
	Fingerprint(t tree.Tree) (hash uint64, finite bool)
}

// Nicher is an objective that sorts expressions into niches, for example by the parameters that they recover. The archive keeps the
// best expression of each size and niche.
type Nicher interface{ Niche(terms []float64) uint16 }

// Strict is an objective that knows properties of the symbols, such as signs, and includes the penalties in its losses. For other
// objectives, simplification assumes nothing about the symbols, and losses contain no penalty.
type Strict interface {
	Simplify(e *expr.Expr) *expr.Expr // the canonical form, by all that is known of the symbols
	Penalty() float64                 // the part of a loss for each symbol that the unsimplified tree lacks, and for each constant
}

// Blocker is an objective that has blocks: small trees worth drawing as if they were symbols.
type Blocker interface{ Blocks() []tree.Tree }

// Fitter is a scorer that can fit constants: it changes t.Values so that the loss falls and returns true, or leaves them unchanged
// and returns false.
type Fitter interface{ FitConstants(t *tree.Tree) bool }

// Refitter is a fitter that can also fit quickly and roughly. It does not fit a tree whose roughly estimated loss is above limit.
type Refitter interface {
	Refit(t *tree.Tree, limit float64) bool
}

// Grower is a scorer that can extend a tree where it helps most. It adds a term drawn from the set, so that the tree has at most
// `most` nodes, and returns true; or it leaves the tree unchanged.
type Grower interface {
	Grow(r *rand.Rand, set *tree.Set, t *tree.Tree, most int) bool
}

// Tidier is a scorer that can improve or simplify the constants of a search's results. It changes t.Values, sets dst to the terms
// and returns the loss.
type Tidier interface {
	Tidy(t *tree.Tree, dst []float64) (loss float64)
}

// Reason says why a run ended.
type Reason string

// These are the reasons.
const (
	Spent       Reason = "budget"      // the budget of evaluations is spent
	Reached     Reason = "target"      // the target loss is reached
	Exhausted   Reason = "exhausted"   // nothing new to evaluate is found any more
	Deadline    Reason = "deadline"    // the context's deadline has passed
	Interrupted Reason = "interrupted" // the context was cancelled
)

// Search is one search. Its methods are for one goroutine, and start as many threads as the settings say.
type Search struct {
	objective Objective
	nicher    Nicher // nil for an objective without niches
	strict    Strict // nil for an objective that is not Strict
	settings  Settings
	rules     *rules
	guesses   []guess

	epoch     int
	idle      int // number of last epochs without an evaluation
	islands   []island
	frequency frequency
	hall      hall
	forms     table[uint64] // hash of a tree's form → fingerprint, 0 if its values are not finite
	values    table[value]  // fingerprint → score
	counters  Counters

	outcomes []outcome // for each island, the outcome of the epoch under way
	workers  []*worker
}

// New returns a search that has not begun.
func New(o Objective, settings Settings) (*Search, error) {
	if err := settings.Check(); err != nil {
		return nil, err
	}
	r, err := rulesOf(o, &settings)
	if err != nil {
		return nil, err
	}
	s := &Search{objective: o, settings: settings, rules: r}
	s.nicher, _ = o.(Nicher)
	s.strict, _ = o.(Strict)
	if _, ok := o.NewScorer().(Fitter); !ok && settings.Constants == Fitted {
		return nil, errors.New("settings: constants: the objective cannot fit them")
	}
	s.islands = make([]island, settings.Populations)
	s.outcomes = make([]outcome, settings.Populations)
	s.frequency = newFrequency(settings.MaxSize, settings.FrequencyScaling)
	s.hall = newHall(settings.MaxSize)
	for i := range s.outcomes {
		s.outcomes[i].finds = newHall(settings.MaxSize)
	}
	return s, nil
}

// SetThreads changes the number of threads; 0 means one for each core. It does not change the results.
func (s *Search) SetThreads(n int) { s.settings.Threads = n }

// Snapshot is the state of a search after an epoch.
type Snapshot struct {
	Epoch    int
	Counters Counters
	Front    []Entry
	Changed  bool // whether the last epoch changed the hall of fame or the archive
}

// Run searches until the budget is spent, the target is reached or ctx ends, and returns the reason. After each epoch it calls
// observe, unless that is nil; observe may save the state. When ctx ends, the epoch under way is dropped at once. The search is then
// in the state after the last complete epoch, and a later Run continues as if nothing had happened.
func (s *Search) Run(ctx context.Context, observe func(Snapshot)) Reason {
	var stop atomic.Bool
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()
	for {
		if reason := s.finished(); reason != "" {
			return reason
		}
		if ctx.Err() != nil || !s.runEpoch(&stop) {
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return Deadline
			}
			return Interrupted
		}
		changed := s.commit()
		if observe != nil {
			observe(Snapshot{s.epoch, s.counters, s.Front(), changed})
		}
	}
}

// maxIdle is the number of epochs in a row without an evaluation after which the search counts as exhausted.
const maxIdle = 200

func (s *Search) finished() Reason {
	switch {
	case s.settings.Budget > 0 && s.counters.Full >= s.settings.Budget:
		return Spent
	case s.settings.Target != nil && s.hall.best() <= *s.settings.Target:
		return Reached
	case s.idle >= maxIdle:
		return Exhausted
	}
	return ""
}

// runEpoch computes the outcomes of all islands; it returns false if it was stopped.
func (s *Search) runEpoch(stop *atomic.Bool) bool {
	for len(s.workers) < workers.Threads(len(s.islands), s.settings.Threads) {
		s.workers = append(s.workers, newWorker(s))
	}
	workers.Do(context.Background(), len(s.islands), s.settings.Threads, func(worker, i int) {
		if !stop.Load() {
			s.workers[worker].run(i, s.quota(i), stop)
		}
	})
	return !stop.Load()
}

// Counters returns the counts so far.
func (s *Search) Counters() Counters { return s.counters }
