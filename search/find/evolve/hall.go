package evolve

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"likc/search/find/tree"
)

// Entry is an expression in the hall of fame or the archive. It was fully evaluated, and every required symbol remains after
// simplification.
type Entry struct {
	Tree        tree.Tree
	Loss        float64
	Terms       []float64 // the terms of the loss, in the order of the objective's terms
	Niche       uint16
	Print       uint64 // hash of the values of the expression on a few rows: see [Scorer]
	Evaluations int64  // full evaluations that the search had made by the end of the epoch that found it
}

// Size returns the number of nodes.
func (e Entry) Size() int { return e.Tree.Size() }

// archiveKey is the position of an expression in the archive.
type archiveKey struct {
	Size  int
	Niche uint16
}

// hall holds the hall of fame, one entry for each size, and the archive, one for each size and niche. An empty Tree means no entry.
type hall struct {
	Best    []Entry // the best entry of each size
	Archive map[archiveKey]Entry
}

func newHall(maxSize int) hall {
	return hall{make([]Entry, maxSize+1), map[archiveKey]Entry{}}
}

func (h *hall) clear() {
	clear(h.Best)
	clear(h.Archive)
}

// loss returns the loss of the best entry of a size; +Inf if there is none.
func (h *hall) loss(size int) float64 { return h.Best[size].lossOr() }

// lossOr returns the loss of an entry; +Inf for an empty one.
func (e *Entry) lossOr() float64 {
	if len(e.Tree.Codes) == 0 {
		return math.Inf(1)
	}
	return e.Loss
}

// archived returns the loss of the archive's entry for a size and niche; +Inf if there is none.
func (h *hall) archived(size int, niche uint16) float64 {
	e := h.Archive[archiveKey{size, niche}]
	return e.lossOr()
}

// best returns the lowest loss over all sizes.
func (h *hall) best() float64 { return h.bound(len(h.Best) - 1) }

// bound returns the lowest loss over the sizes up to the given one.
func (h *hall) bound(size int) float64 {
	best := math.Inf(1)
	for i := range h.Best[:size+1] {
		best = min(best, h.loss(i))
	}
	return best
}

// put stores e as the best of its size if its loss is lower than the present entry's. With byNiche, it also stores e as the best of
// its size and niche in the archive. It reports whether e was stored.
func (h *hall) put(e Entry, byNiche bool) (changed bool) {
	size := e.Size()
	if e.Loss < h.loss(size) {
		h.Best[size], changed = e, true
	}
	if byNiche && e.Loss < h.archived(size, e.Niche) {
		h.Archive[archiveKey{size, e.Niche}], changed = e, true
	}
	return changed
}

// merge stores the entries that an epoch found, with the number of evaluations at its end.
func (h *hall) merge(finds *hall, evaluations int64, byNiche bool) (changed bool) {
	for _, e := range finds.Best {
		if len(e.Tree.Codes) > 0 {
			e.Evaluations = evaluations
			changed = h.put(e, byNiche) || changed
		}
	}
	for _, e := range finds.archive() {
		e.Evaluations = evaluations
		changed = h.put(e, byNiche) || changed
	}
	return changed
}

// archive returns the archive's entries by size and niche.
func (h *hall) archive() []Entry {
	order := func(a, b archiveKey) int { return cmp.Or(a.Size-b.Size, int(a.Niche)-int(b.Niche)) }
	var list []Entry
	for _, p := range slices.SortedFunc(maps.Keys(h.Archive), order) {
		list = append(list, h.Archive[p])
	}
	return list
}

// Front returns the Pareto front of the hall of fame: its entries whose loss is below that of all shorter ones.
func (s *Search) Front() []Entry { return pareto(s.hall.Best) }

// FrontWithin returns the Pareto front of the entries of the archive whose niche has all of the given bits.
func (s *Search) FrontWithin(niche uint16) []Entry {
	best := make([]Entry, len(s.hall.Best))
	for _, e := range s.hall.archive() {
		if e.Niche&niche == niche && e.Loss < best[e.Size()].lossOr() {
			best[e.Size()] = e
		}
	}
	return pareto(best)
}

// pareto returns the entries, in order of size, whose loss is below that of all shorter ones.
func pareto(bySize []Entry) (front []Entry) {
	best := math.Inf(1)
	for _, e := range bySize {
		if e.lossOr() < best {
			best = e.Loss
			front = append(front, e)
		}
	}
	return front
}

// Archive returns the best entry of each size and niche, in that order; none if the objective has no niches.
func (s *Search) Archive() []Entry { return s.hall.archive() }
