package dictionary

import (
	"cmp"
	"context"
	"math"
	"slices"

	"likc/runtime/sys/workers"
)

// These constants limit how much a search tries.
const (
	byGain, byPrice = 5, 6 // a forward step tries this many terms with the largest gain, and this many with the largest gain per node
	tryingSteps     = 4    // the most Newton steps of such a trial
	leaving         = 5    // a backward step tries to drop each of this many terms
	exchanged       = 4    // number of terms for which an exchange looks for a replacement
	exchanges       = 4    // the most exchanges at one size
	mostExchanged   = 30   // no terms are exchanged in larger sets than this
	earlyExchanged  = 8    // up to this number of terms, forward steps also exchange terms
	leastExchange   = 0.01 // an exchange must lower the objective by this much
	kept            = 800  // number of terms that backward steps consider
)

// search is one run over a design.
type search struct {
	*design
	settings *Settings
	start    Start
	best     []float64 // for each column, the largest decrease of the loss that any forward step expected of it
	done     int       // number of steps made in all runs so far
}

// objective returns the quantity that steps lower: log KL plus the price of the nodes.
func (s *search) objective(f *fit) float64 {
	return s.target.loss(f.mean) + s.settings.Price*f.size()
}

// run returns the fits of the backward steps, one for each number of terms. If ctx ends before these are done, it returns the fits of
// all finished steps, at least one.
func (s *search) run(ctx context.Context) []*fit {
	s.best = make([]float64, len(s.terms))
	if len(s.startColumns()) == 0 {
		return nil // no term that the library starts with can be used
	}
	forward := s.forward(ctx)
	if ctx.Err() != nil {
		return forward
	}
	small, f := s.pool(forward[len(forward)-1])
	backward := small.backward(ctx, f)
	if ctx.Err() != nil {
		return append(forward, backward...)
	}
	return backward
}

// steps returns the number of steps of a run.
func (s *Settings) steps() int { return 2 * s.Terms }

// progress counts a step and reports it.
func (s *search) progress() {
	if s.done++; s.settings.Progress != nil {
		s.settings.Progress(s.done, s.settings.Runs*s.settings.steps())
	}
}

// startColumns returns the columns of the terms that the library starts with.
func (s *search) startColumns() (columns []int) {
	for _, t := range s.start.Terms {
		if j := slices.Index(s.terms, t); j >= 0 {
			columns = append(columns, j)
		}
	}
	return columns
}

// begin fits the terms that the library starts with.
func (s *search) begin() *fit {
	columns := s.startColumns()
	by := make([]float64, len(columns))
	for i, j := range columns {
		by[i] = s.start.By[slices.Index(s.start.Terms, s.terms[j])] * s.scale[j]
	}
	f := newFit(s.design, columns, by)
	f.minimise(fullSteps)
	return f
}

// forward adds terms until there are as many as the settings ask for. It returns the fit after each step, the smallest first.
func (s *search) forward(ctx context.Context) []*fit {
	f := s.begin()
	all := []*fit{f}
	for len(f.columns) < s.settings.Terms && ctx.Err() == nil {
		gains := s.gains(ctx, f, s.settings.Without.Conditions)
		for j, g := range gains {
			s.best[j] = max(s.best[j], s.target.raised(f.mean, g, false))
		}
		next := s.choose(ctx, s.trialsWith(f, s.candidates(gains)))
		if next == nil {
			break
		}
		next.minimise(fullSteps)
		if f = next; len(f.columns) <= earlyExchanged {
			f = s.exchange(ctx, f)
		}
		all = append(all, f)
		s.progress()
	}
	return all
}

// candidates returns the columns with the largest gains, and those with the largest gains per node.
func (s *search) candidates(gains []float64) []int {
	all := make([]int, 0, len(gains))
	for j, g := range gains {
		if g > 0 {
			all = append(all, j)
		}
	}
	largest := func(n int, of func(j int) float64) []int {
		slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(of(b), of(a)) })
		return slices.Clone(all[:min(n, len(all))])
	}
	chosen := largest(byGain, func(j int) float64 { return gains[j] })
	for _, j := range largest(byPrice, func(j int) float64 { return gains[j] / s.size[j] }) {
		if !slices.Contains(chosen, j) {
			chosen = append(chosen, j)
		}
	}
	return chosen
}

// trial is a set of columns to fit, with starting coefficients.
type trial struct {
	columns []int
	start   []float64
}

// trialsWith returns trials that add one of the given columns to a fit.
func (s *search) trialsWith(f *fit, more []int) (all []trial) {
	for _, j := range more {
		all = append(all, trial{append(slices.Clone(f.columns), j), append(slices.Clone(f.coefficient), 0)})
	}
	return all
}

// trialWithout returns the trial that drops the i-th column of a fit.
func (f *fit) trialWithout(i int) trial {
	return trial{slices.Delete(slices.Clone(f.columns), i, i+1), slices.Delete(slices.Clone(f.coefficient), i, i+1)}
}

// choose fits all trials roughly and returns the best fit; nil if there is none.
func (s *search) choose(ctx context.Context, all []trial) *fit {
	fits := make([]*fit, len(all))
	workers.Do(ctx, len(all), s.threads, func(_, i int) {
		fits[i] = newFit(s.design, all[i].columns, all[i].start)
		fits[i].minimise(tryingSteps)
	})
	var best *fit
	for _, f := range fits {
		if f != nil && !math.IsInf(f.mean, 1) && (best == nil || s.objective(f) < s.objective(best)) {
			best = f
		}
	}
	return best
}

// backward drops terms one by one, with exchanges at each size, and returns the fits, the largest set first.
func (s *search) backward(ctx context.Context, f *fit) []*fit {
	all := []*fit{f}
	for len(f.columns) > 1 && ctx.Err() == nil {
		var trials []trial
		for _, i := range s.leastMissed(f, leaving) {
			trials = append(trials, f.trialWithout(i))
		}
		next := s.choose(ctx, trials)
		if next == nil {
			break
		}
		next.minimise(fullSteps)
		f = next
		if n := len(f.columns); n > 1 && n <= mostExchanged {
			f = s.exchange(ctx, f)
		}
		all = append(all, f)
		s.progress()
	}
	return all
}

// pool returns a search over fewer terms, those of the fit and those with the largest gains in forward steps. It also returns the
// fit in the new search's columns.
func (s *search) pool(f *fit) (*search, *fit) {
	order := make([]int, len(s.terms))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.best[b], s.best[a]) })
	chosen := slices.Clone(f.columns)
	for _, j := range order[:min(kept, len(order))] {
		if !slices.Contains(f.columns, j) {
			chosen = append(chosen, j)
		}
	}
	small := *s
	small.design = s.subset(chosen)
	columns := make([]int, len(f.columns))
	for i := range columns {
		columns[i] = i
	}
	inside := newFit(small.design, columns, f.coefficient)
	inside.minimise(fullSteps)
	return &small, inside
}

// leastMissed returns the positions of the n terms of a fit that raise the objective least when dropped, as the Wald test predicts.
func (s *search) leastMissed(f *fit, n int) []int {
	solver := f.solver()
	k := len(f.columns)
	missed, order := make([]float64, k), make([]int, k)
	for i := range k {
		unit := make([]float64, k)
		unit[i] = 1
		v := solver.solve(unit)[i]
		missed[i] = s.target.raised(f.mean, f.coefficient[i]*f.coefficient[i]/(2*v), true) - s.settings.Price*s.size[f.columns[i]]
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(missed[a], missed[b]) })
	return order[:min(n, k)]
}

// exchange replaces terms as long as each replacement lowers the objective.
func (s *search) exchange(ctx context.Context, f *fit) *fit {
	for range exchanges {
		better := s.exchangeOne(ctx, f)
		if better == nil {
			break
		}
		better.minimise(fullSteps)
		f = better
	}
	return f
}

// exchangeOne replaces one of the least useful terms by a better one; it returns nil if there is none.
func (s *search) exchangeOne(ctx context.Context, f *fit) *fit {
	for _, i := range s.leastMissed(f, exchanged) {
		if ctx.Err() != nil {
			return nil
		}
		t := f.trialWithout(i)
		rest := newFit(s.design, t.columns, t.start)
		if rest.minimise(tryingSteps); math.IsInf(rest.mean, 1) {
			continue
		}
		gains := s.gains(ctx, rest, s.settings.Without.Conditions)
		gains[f.columns[i]] = 0
		next := s.choose(ctx, s.trialsWith(rest, s.candidates(gains)))
		if next != nil && s.objective(next) < s.objective(f)-leastExchange {
			return next
		}
	}
	return nil
}
