package evolve

import "math"

// quota returns the number of evaluations that island i may make in this epoch, so that the search uses exactly its budget.
func (s *Search) quota(i int) int64 {
	if s.settings.Budget == 0 {
		return math.MaxInt64
	}
	n, left := int64(len(s.islands)), s.settings.Budget-s.counters.Full
	share := left / n
	if (int64(i)+int64(s.epoch))%n < left%n {
		share++
	}
	return share
}

// commit merges the islands' outcomes of the epoch, in order, and lets members migrate. It reports whether the hall of fame or the
// archive changed.
func (s *Search) commit() (changed bool) {
	before := s.counters.Full
	if s.forms.n > s.settings.TableEntries {
		s.forms.reset()
		s.values.reset()
	}
	for i := range s.outcomes {
		o := &s.outcomes[i]
		s.islands[i], o.island = o.island, s.islands[i]
		s.counters.add(o.counters)
		s.counters.Useful += int64(s.learn(o))
		changed = s.hall.merge(&o.finds, s.counters.Full, s.nicher != nil) || changed
		s.frequency.count(s.islands[i].Members)
	}
	s.frequency.shrink(s.settings.FrequencyWindow)
	s.frequency.weigh(s.settings.FrequencyScaling)
	s.migrate()
	s.epoch++
	s.renew()
	s.idle++
	if s.counters.Full > before {
		s.idle = 0
	}
	return changed
}

// renew empties the islands whose life has ended.
func (s *Search) renew() {
	for i := range s.islands {
		if s.settings.Life > 0 && s.settings.age(i, s.epoch) == 0 {
			s.islands[i].resize(0)
		}
	}
}

// learn merges the scores of an island into the search's tables. It returns the number of useful evaluations: those of feasible,
// finite expressions that equal no expression evaluated earlier.
func (s *Search) learn(o *outcome) (useful int) {
	for hash, print := range o.forms.all {
		s.forms.put(hash, print)
	}
	for print, v := range o.values.all {
		old, known := s.values.get(print)
		if !known && v.useful() {
			useful++
		}
		if known {
			v = old.merged(v)
		}
		s.values.put(print, v)
	}
	return useful
}
