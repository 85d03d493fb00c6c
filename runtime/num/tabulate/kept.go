package tabulate

import (
	"math"
	"sync/atomic"
)

// keptPlaces is about as many places as there are numbers beyond the last level of a table, at most.
const keptPlaces = 1 << 13

// keptSums are the accumulators at one ψ as the caller's loop gave them.
type keptSums struct {
	psi   float64
	value []float64
}

// keptTable has a place for every ψ, by its last bits; a ψ that comes later takes it over.
type keptTable [keptPlaces]atomic.Pointer[keptSums]

// Keep hands over all k accumulators as the caller's own loop found them where At did not serve. They are kept if ψ lies
// too near the edge for a piece, and At then answers with the very same: numbers are few there, and a chain that a density
// without bound has driven into the edge asks for each of them tens of times. Whoever hands over values hands over all of
// them, always from the same loop, so that answers are a function of ψ alone.
func (t *Table) Keep(psi float64, value ...float64) {
	level, _ := t.place(psi)
	if level < len(t.levels) || level == 0 || !(psi > t.domain.Lo && psi < t.domain.Hi) {
		return
	}
	kept := t.kept.Load()
	if kept == nil {
		t.kept.CompareAndSwap(nil, new(keptTable))
		kept = t.kept.Load()
	}
	kept.at(psi).Store(&keptSums{psi, append([]float64(nil), value...)})
}

// recall is At for what was kept.
func (t *Table) recall(psi float64, value []float64) bool {
	kept := t.kept.Load()
	if kept == nil {
		return false
	}
	sums := kept.at(psi).Load()
	if sums == nil || sums.psi != psi || len(sums.value) != len(value) {
		return false
	}
	copy(value, sums.value)
	return true
}

func (k *keptTable) at(psi float64) *atomic.Pointer[keptSums] {
	return &k[math.Float64bits(psi)%keptPlaces]
}
