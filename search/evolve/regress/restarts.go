package regress

import (
	"context"
	"math"

	"likc/compiler/expr"
	"likc/search/evolve"
)

// The schedule of restarts: rounds of searches of growing size under each link, each round with twice the candidates of the
// one before. What is short is found where only short expressions live; what is long has the last searches of a round.
const (
	sizes           = 4   // in a round
	growth          = 1.5 // of the size from one to the next
	firstCandidates = 100000
)

// Law is what a search says of the target.
type Law struct {
	Expr *expr.Expr
	Size int     // of the tree, without coefficients and link
	Loss float64 // the share of the target's variance that it leaves
}

// Found is what the searches of a schedule found and spent.
type Found struct {
	Front       []Law // the best of each size, where it is better than all shorter ones
	Searches    int
	Drawn, Full int64         // candidates, and those evaluated on all rows
	Reason      evolve.Reason // why the last search ended
}

// Search searches for the target again and again, each time with a seed of its own, under the schedule's next link that the
// target permits and at its next size up to s.MaxSize, until the loss under a link reaches the target loss, the budget is
// spent or ctx is done.
func Search(ctx context.Context, symbols []string, column [][]float64, target []float64, s evolve.Settings) (*Found, error) {
	identity, err := NewLinear(symbols, column, target, Identity)
	if err != nil {
		return nil, err
	}
	if s.Required == nil {
		s.Required = symbols // without the leaf 1
	}
	objectives := []*Linear{identity}
	for k := Identity + 1; k < links; k++ {
		if l, err := NewLinear(symbols, column, target, k); err == nil {
			objectives = append(objectives, l)
		}
	}
	f, best := &Found{}, make([]Law, s.MaxSize+1)
	for ; f.Reason == ""; f.Searches++ {
		if err := f.next(ctx, objectives, s, best); err != nil {
			return nil, err
		}
	}
	lowest := math.Inf(1)
	for _, law := range best {
		if law.Expr != nil && law.Loss < lowest {
			lowest = law.Loss
			f.Front = append(f.Front, law)
		}
	}
	return f, nil
}

// next runs the schedule's next search.
func (f *Found) next(ctx context.Context, objectives []*Linear, s evolve.Settings, best []Law) error {
	objective := objectives[f.Searches%len(objectives)]
	step := f.Searches / len(objectives)
	smaller := math.Pow(growth, float64(sizes-1-step%sizes))
	s.MaxSize = min(s.MaxSize, max(int(float64(s.MaxSize)/smaller), 2*len(objective.symbols)-1))
	s.StartSize = min(s.StartSize, s.MaxSize)
	s.Seed += uint64(f.Searches)
	if s.Budget > 0 {
		s.Budget -= f.Full
	}
	search, err := evolve.New(objective, s)
	if err != nil {
		return err
	}
	reason := f.run(ctx, search, firstCandidates<<(step/sizes))
	for _, e := range search.Front() {
		loss := objective.Remainder(e.Tree)
		if old := &best[e.Size()]; old.Expr == nil || loss < old.Loss {
			*old = Law{objective.Expr(e.Tree), e.Size(), loss}
		}
	}
	if reason == evolve.Reached || reason == evolve.Spent || ctx.Err() != nil {
		f.Reason = reason
	}
	return nil
}

// run takes a search to its end, or to that of its candidates.
func (f *Found) run(ctx context.Context, search *evolve.Search, candidates int64) evolve.Reason {
	limited, stop := context.WithCancel(ctx)
	defer stop()
	reason := search.Run(limited, func(s evolve.Snapshot) {
		if s.Counters.Drawn >= candidates {
			stop()
		}
	})
	f.Drawn += search.Counters().Drawn
	f.Full += search.Counters().Full
	return reason
}
