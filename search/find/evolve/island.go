package evolve

import (
	"math/rand/v2"
	"sync/atomic"

	"likc/search/find/tree"
)

// member is one expression of a population.
type member struct {
	tree.Tree
	Loss       float64 // the loss, with the penalties for violations
	Hash       uint64  // hash of the tree's form
	Print      uint64  // fingerprint: hash of the tree's values; 0 if they are not finite
	Birth      uint64  // number of the member among all that the island ever had; higher for younger members
	Violations int
}

// copy makes m a copy of o, without allocating if m has enough memory.
func (m *member) copy(o *member) {
	t := m.Tree
	*m = *o
	m.Tree = t
	m.Tree.Copy(o.Tree)
}

// island is one population, as it is between two epochs.
type island struct {
	Members []member
	Births  uint64
}

// copy makes i a copy of o, without allocating if i has enough memory.
func (i *island) copy(o *island) {
	i.Births = o.Births
	i.resize(len(o.Members))
	for k := range o.Members {
		i.Members[k].copy(&o.Members[k])
	}
}

// resize changes the number of members. It reuses the memory of members that were dropped.
func (i *island) resize(n int) {
	for len(i.Members) < n && cap(i.Members) > len(i.Members) {
		i.Members = i.Members[:len(i.Members)+1]
	}
	for len(i.Members) < n {
		i.Members = append(i.Members, member{})
	}
	i.Members = i.Members[:n]
}

// oldest returns the index of the oldest member.
func (i *island) oldest() int {
	oldest := 0
	for k := range i.Members {
		if i.Members[k].Birth < i.Members[oldest].Birth {
			oldest = k
		}
	}
	return oldest
}

// memberWith returns the index of the member whose values have the given fingerprint, or -1.
func (i *island) memberWith(fingerprint uint64) int {
	for k := range i.Members {
		if i.Members[k].Print == fingerprint && fingerprint != 0 {
			return k
		}
	}
	return -1
}

// replace overwrites member k with a copy of m, as the youngest member.
func (i *island) replace(k int, m *member) {
	i.Births++
	i.Members[k].copy(m)
	i.Members[k].Birth = i.Births
}

// outcome is the state of an island after an epoch, and what the epoch found.
type outcome struct {
	island
	forms    table[uint64]
	values   table[value]
	finds    hall
	counters Counters
}

// begin sets o to the state of an island before an epoch.
func (o *outcome) begin(from *island) {
	o.island.copy(from)
	o.forms.clear()
	o.values.clear()
	o.finds.clear()
	o.counters = Counters{}
}

// worker runs epochs of islands, one at a time, with its own working memory.
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
	median      float64   // median loss of the population at the start of the epoch
	child, twin member    // the trees that are being made: child by every operator, twin too by crossover
	fresh       tree.Tree // a subtree that a mutation inserts
	terms       []float64
	order       []int     // members of a tournament
	nodes       []int     // nodes that a mutation can change
	losses      []float64 // working memory for the median
}

func newWorker(s *Search) *worker {
	w := &worker{checker: newChecker(s.rules), search: s, settings: &s.settings, scorer: s.objective.NewScorer()}
	w.random = rand.New(&w.source)
	w.terms = make([]float64, len(s.objective.Terms()))
	return w
}

// Random streams of islands have numbers below migrationStream; those of migration have higher ones.
const migrationStream = 1 << 32

// seed seeds a random stream for one epoch. stream is the number of an island, or for migration migrationStream plus it.
func seed(source *rand.PCG, seed uint64, epoch int, stream uint64) {
	source.Seed(scramble(seed)+uint64(epoch), scramble(stream+1))
}

// scramble returns the finaliser of splitmix64 (G. L. Steele et al., OOPSLA 2014). It makes nearby seeds give unrelated
// streams.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// run runs one epoch of island i with at most quota full evaluations.
func (w *worker) run(i int, quota int64, stop *atomic.Bool) {
	s := w.settings
	w.island, w.out = i, &w.search.outcomes[i]
	w.out.begin(&w.search.islands[i])
	w.quota, w.spent = quota, quota <= 0
	w.mostNodes = s.largest(i)
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

// step makes one mutation or crossover.
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

// attempt calls try until its candidate meets the constraints, a limited number of times.
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

// enter puts a candidate into the population, in the position of the oldest member. With Distinct, it replaces a longer member
// with the same values, and a longer candidate than that member does not enter.
func (w *worker) enter(m *member) {
	replaced := w.out.oldest()
	if w.settings.Distinct {
		if k := w.out.memberWith(m.Print); k >= 0 {
			if m.Size() >= w.out.Members[k].Size() {
				return
			}
			replaced = k
		}
	}
	w.out.counters.Accepted++
	w.out.replace(replaced, m)
}
