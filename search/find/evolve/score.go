package evolve

import "math"

// value is what the search knows about all expressions with the same fingerprint.
type value struct {
	Loss     float64 // the loss without penalties
	Niche    uint16
	Size     uint8 // the size of the shortest tree that was scored
	Hidden   uint8 // number of required symbols that vanish in simplification
	Feasible bool  // whether every required symbol is there
	Staged   bool  // whether the evaluation was given up early; Loss is then a lower bound
}

func (v value) useful() bool {
	return v.Feasible && v.Hidden == 0 && !v.Staged && !math.IsInf(v.Loss, 1)
}

// merged returns the combination of v and the result u of a later evaluation.
func (v value) merged(u value) value {
	if v.Staged && !u.Staged || !v.Feasible && u.Feasible {
		u.Size = min(u.Size, v.Size)
		return u
	}
	v.Size = min(u.Size, v.Size)
	return v
}

// score sets a candidate's loss, by looking it up or by evaluation. It returns whether the candidate may enter the population. It
// may not if it has more than `most` violations. Depending on the settings, it also may not if it is not finite or far worse than
// the population.
func (w *worker) score(m *member, most int) bool {
	counters := &w.out.counters
	counters.Drawn++
	m.Violations = w.violations(m.Tree)
	if w.settings.RejectRegressions && m.Violations > most {
		counters.Infeasible++
		return false
	}
	known := w.identify(m)
	if m.Print == 0 {
		if known && w.settings.Memo {
			counters.Memo++
		} else {
			counters.NonFinite++
		}
		m.Loss = math.Inf(1)
		return !w.settings.DropNonFinite
	}
	v, seen := recall(&w.out.values, &w.search.values, m.Print)
	switch {
	case seen && known && w.settings.Memo:
		counters.Memo++
	case seen && w.settings.Semantic && !w.promising(m, v):
		counters.Semantic++
	default:
		var ok bool
		if v, ok = w.evaluate(m, seen); !ok {
			return false
		}
	}
	m.Violations += int(v.Hidden)
	m.Loss = v.Loss + w.settings.Penalty*float64(m.Violations)
	return !v.Staged && !(w.settings.DropNonFinite && math.IsInf(m.Loss, 1)) && (m.Loss <= w.limit() || m.Violations > 0)
}

// identify sets a candidate's hash and fingerprint, 0 if its values are not finite. It returns whether the hash was known.
func (w *worker) identify(m *member) (known bool) {
	m.Hash = m.Tree.Hash()
	if m.Print, known = recall(&w.out.forms, &w.search.forms, m.Hash); known {
		return true
	}
	print, finite := w.scorer.Fingerprint(m.Tree)
	m.Print = 0
	if finite {
		m.Print = nonZero(print)
	}
	w.out.forms.put(m.Hash, m.Print)
	return false
}

// recall looks up a key in the table of the epoch, then in the table of the search.
func recall[V any](own, all *table[V], key uint64) (V, bool) {
	if v, ok := own.get(key); ok {
		return v, true
	}
	return all.get(key)
}

// promising reports whether a tree with known values is shorter than all earlier ones and would enter the hall of fame or the
// archive. Then it is evaluated again, because entries must have exact losses.
func (w *worker) promising(m *member, v value) bool {
	return m.Violations == 0 && m.Size() < int(v.Size) && v.Hidden == 0 && w.enters(m.Size(), v.Niche, v.Loss)
}

// enters reports whether a loss is the best of its size, or of its size and niche.
func (w *worker) enters(size int, niche uint16, loss float64) bool {
	all, own := &w.search.hall, &w.out.finds
	return loss < min(all.loss(size), own.loss(size)) ||
		w.search.nicher != nil && loss < min(all.archived(size, niche), own.archived(size, niche))
}

// limit returns the loss above which a candidate may not enter the population.
func (w *worker) limit() float64 {
	if w.settings.LimitFactor == 0 || math.IsInf(w.median, 1) {
		return math.Inf(1)
	}
	return w.settings.LimitFactor * math.Abs(w.median)
}

// evaluate scores a candidate on all rows; it returns false if the quota is spent.
func (w *worker) evaluate(m *member, seen bool) (value, bool) {
	counters := &w.out.counters
	if counters.Full >= w.quota {
		counters.Unscored++
		w.spent = true
		return value{}, false
	}
	limit := max(w.limit(), w.search.hall.bound(m.Size())) // a candidate that could be on the front is scored exactly
	loss := w.scorer.Score(m.Tree, limit, w.terms)
	if math.IsNaN(loss) {
		loss = math.Inf(1)
	}
	limited := loss
	if w.search.strict != nil {
		loss -= w.search.strict.Penalty() * float64(m.Violations)
	}
	v := value{Loss: loss, Size: uint8(m.Size()), Feasible: m.Violations == 0}
	finite := !math.IsInf(loss, 1)
	switch v.Staged = finite && limited > limit; {
	case v.Staged:
		counters.Staged++
	default:
		counters.Full++
		tally(&counters.Repeated, seen)
		tally(&counters.Rejected, !finite)
		tally(&counters.Missing, !v.Feasible)
		if finite && v.Feasible {
			w.offer(m, &v)
		}
		if v.useful() && !seen && m.Hash%sampled == 0 {
			counters.Sampled++
			tally(&counters.Hollow, w.vanishing(w.search.strict, m.Tree) > 0)
		}
	}
	w.out.values.put(m.Print, v)
	return v, true
}

// sampled is the number of useful evaluations for each one whose tree is simplified to see whether a symbol vanishes. This takes a
// tenth of the time of an evaluation.
const sampled = 32

func tally(counter *int64, event bool) {
	if event {
		*counter++
	}
}

// offer adds a scored candidate to the epoch's finds, if its loss is the best of its size or niche and no required symbol vanishes
// in simplification.
func (w *worker) offer(m *member, v *value) {
	if w.search.nicher != nil {
		v.Niche = w.search.nicher.Niche(w.terms)
	}
	if !w.enters(m.Size(), v.Niche, v.Loss) {
		return
	}
	w.out.counters.Simpler++
	if v.Hidden = w.vanishing(w.search.strict, m.Tree); v.Hidden > 0 {
		w.out.counters.Vanishing++
		return
	}
	e := Entry{Tree: m.Tree.Clone(), Loss: v.Loss, Terms: append([]float64(nil), w.terms...), Niche: v.Niche, Print: m.Print}
	w.out.finds.put(e, w.search.nicher != nil)
}

// hopeful limits which candidates have their constants fitted before they are scored: only those with a loss of at most this many
// times the median.
const hopeful = 5

// refit replaces subtrees of constants by one constant. With the probability that the settings give, it also fits a candidate's
// constants roughly.
func (w *worker) refit(m *member) {
	if w.settings.Refit == 0 || m.Constants() == 0 || w.random.Float64() >= w.settings.Refit || w.violations(m.Tree) > 0 {
		return
	}
	m.Tree.Fold()
	if r, ok := w.scorer.(Refitter); ok && r.Refit(&m.Tree, hopeful*w.median) {
		w.out.counters.Fits++
	}
}

// fit fits the constants of some members, chosen at random.
func (w *worker) fit() {
	fitter, ok := w.scorer.(Fitter)
	if !ok || w.settings.Constants != Fitted {
		return
	}
	for i := range w.out.Members {
		m := &w.out.Members[i]
		if m.Constants() == 0 || w.random.Float64() >= w.settings.FitShare {
			continue
		}
		w.child.copy(m)
		w.out.counters.Fits++
		if fitter.FitConstants(&w.child.Tree) && w.score(&w.child, m.Violations) && w.child.Loss < m.Loss {
			w.out.replace(i, &w.child)
		}
	}
}
