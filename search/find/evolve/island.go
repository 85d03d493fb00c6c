package evolve

import (
	"math/rand/v2"
	"sync/atomic"

	"likc/search/find/tree"
)

// member is one expression of a population.
type member struct {
	tree.Tree
	Loss       float64 // with the penalties of violations
	Hash       uint64  // the hash of the form
	Print      uint64  // the hash of the values; 0 if they are not finite
	Birth      uint64  // counts up within an island
	Violations int
}

// copy makes m a copy of o in m's own memory.
func (m *member) copy(o *member) {
	t := m.Tree
	*m = *o
	m.Tree = t
	m.Tree.Copy(o.Tree)
}

// island is one population, at a barrier.
type island struct {
	Members []member
	Births  uint64
}

// copy makes i a copy of o in i's own memory.
func (i *island) copy(o *island) {
	i.Births = o.Births
	i.resize(len(o.Members))
	for k := range o.Members {
		i.Members[k].copy(&o.Members[k])
	}
}

// resize changes the number of members and keeps the memory of those that it takes in or drops.
func (i *island) resize(n int) {
	for len(i.Members) < n && cap(i.Members) > len(i.Members) {
		i.Members = i.Members[:len(i.Members)+1]
	}
	for len(i.Members) < n {
		i.Members = append(i.Members, member{})
	}
	i.Members = i.Members[:n]
}

// oldest is the place of the member that was born first.
func (i *island) oldest() int {
	oldest := 0
	for k := range i.Members {
		if i.Members[k].Birth < i.Members[oldest].Birth {
			oldest = k
		}
	}
	return oldest
}

// holder is the place of the member with the values that print stands for, or -1.
func (i *island) holder(print uint64) int {
	for k := range i.Members {
		if i.Members[k].Print == print && print != 0 {
			return k
		}
	}
	return -1
}

// replace puts a copy of m in place k, as the youngest member.
func (i *island) replace(k int, m *member) {
	i.Births++
	i.Members[k].copy(m)
	i.Members[k].Birth = i.Births
}

// outcome is what one epoch makes of an island.
type outcome struct {
	island
	forms    table[uint64]
	values   table[value]
	finds    hall
	counters Counters
}

// begin makes o the outcome of an epoch that has done nothing yet.
func (o *outcome) begin(from *island) {
	o.island.copy(from)
	o.forms.clear()
	o.values.clear()
	o.finds.clear()
	o.counters = Counters{}
}

// worker runs epochs of islands, one at a time, with scratch of its own.
type worker struct {
	*checker
	search   *Search
	settings *Settings
	scorer   Scorer
	source   rand.PCG
	random   *rand.Rand

	island      int
	out         *outcome
	quota       int64
	spent       bool
	median      float64 // the median loss of the population when the epoch began
	child, twin member
	fresh       tree.Tree // the subtree that a mutation puts in
	terms       []float64
	order       []int     // members of a tournament
	nodes       []int     // nodes that a mutation can change
	losses      []float64 // for the median
}

func newWorker(s *Search) *worker {
	w := &worker{checker: newChecker(s.rules), search: s, settings: &s.settings, scorer: s.objective.NewScorer()}
	w.random = rand.New(&w.source)
	w.terms = make([]float64, len(s.objective.Terms()))
	return w
}

// Places in the sequence of streams behind those of the islands.
const migrationStream = 1 << 32

// seed starts the stream of one place (an island, or the migration) in one epoch.
func seed(source *rand.PCG, seed uint64, epoch int, place uint64) {
	source.Seed(scramble(seed)+uint64(epoch), scramble(place+1))
}

// scramble is the finaliser of splitmix64 (G. L. Steele et al., OOPSLA 2014): nearby seeds must not make nearby streams.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// run takes island i through one epoch with at most quota full evaluations.
func (w *worker) run(i int, quota int64, stop *atomic.Bool) {
	s := w.settings
	w.island, w.out = i, &w.search.outcomes[i]
	w.out.begin(&w.search.islands[i])
	w.quota, w.spent = quota, quota <= 0
	w.most = s.largest(i)
	seed(&w.source, s.Seed, w.search.epoch, uint64(i))
	w.median = w.medianLoss()
	w.fill(stop)
	tournaments := s.Cycles * ((s.PopulationSize + s.TournamentSize - 1) / s.TournamentSize)
	for range tournaments {
		if w.spent || len(w.out.Members) == 0 || stop.Load() {
			return
		}
		w.step()
	}
	w.fit()
}

// step is one mutation or crossover.
func (w *worker) step() {
	if w.random.Float64() < w.settings.Crossover {
		w.cross()
		return
	}
	parent := w.tournament()
	kind, ok := w.draw(parent.Tree)
	if !ok || !w.attempt(func() bool { return mutate[kind](w, parent.Tree) && w.allowed(w.child.Tree) }) {
		return
	}
	if kind == nothing {
		w.out.counters.Drawn++
		w.out.counters.Unscored++
		w.out.replace(w.out.oldest(), parent)
		return
	}
	if kind != grown {
		w.refit(&w.child)
	}
	if w.score(&w.child, parent.Violations) && w.accepted(parent.Size(), w.child.Size()) {
		w.enter(&w.child)
	}
}

// attempt tries to make a candidate until it meets the constraints.
func (w *worker) attempt(try func() bool) bool {
	for range w.settings.Attempts {
		if try() {
			return true
		}
		w.out.counters.Drawn++
		w.out.counters.Infeasible++
	}
	return false
}

// enter puts a candidate in the population.
func (w *worker) enter(m *member) {
	place := w.out.oldest()
	if w.settings.Distinct {
		if k := w.out.holder(m.Print); k >= 0 {
			if m.Size() >= w.out.Members[k].Size() {
				return
			}
			place = k
		}
	}
	w.out.counters.Accepted++
	w.out.replace(place, m)
}
