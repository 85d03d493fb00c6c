package evolve

import (
	"math"
	"math/rand/v2"
	"slices"
)

// migrate replaces a few members of each population by the best members of other populations and by entries of the front.
func (s *Search) migrate() {
	var source rand.PCG
	random := rand.New(&source)
	front := s.Front()
	size := float64(s.settings.PopulationSize)
	for i := range s.islands {
		seed(&source, s.settings.Seed, s.epoch, migrationStream+uint64(i))
		to := &s.islands[i]
		if len(to.Members) == 0 || s.settings.sheltered(i, s.epoch) {
			continue
		}
		for range poisson(random, size*s.settings.MigrationFraction) {
			from := &s.islands[random.IntN(len(s.islands))]
			if best := from.top(s.settings.Top); len(best) > 0 {
				s.settle(random, i, &from.Members[best[random.IntN(len(best))]])
			}
		}
		for range poisson(random, size*s.settings.HallFraction) {
			if len(front) > 0 {
				e := front[random.IntN(len(front))]
				s.settle(random, i, &member{Tree: e.Tree, Loss: e.Loss, Hash: e.Tree.Hash(), Print: e.Print})
			}
		}
	}
}

// settle overwrites a random member of island i with a copy of m, unless m is too large or the island has it already.
func (s *Search) settle(random *rand.Rand, i int, m *member) {
	to := &s.islands[i]
	k := random.IntN(len(to.Members))
	if m.Size() > s.settings.largest(i) || s.settings.Distinct && to.memberWith(m.Print) >= 0 || m == &to.Members[k] {
		return
	}
	to.replace(k, m)
}

// top returns the indices of the n members with the lowest losses.
func (i *island) top(n int) []int {
	order := make([]int, len(i.Members))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := i.Members[a].Loss, i.Members[b].Loss
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return order[:min(n, len(order))]
}

// poisson draws from the Poisson distribution by multiplying uniforms, which suits a small mean (D. E. Knuth, The Art of
// Computer Programming, vol. 2, Addison-Wesley 1969, section 3.4.1).
func poisson(random *rand.Rand, mean float64) int {
	n, limit := 0, math.Exp(-mean)
	for p := random.Float64(); p > limit; p *= random.Float64() {
		n++
	}
	return n
}
