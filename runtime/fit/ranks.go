package fit

import "slices"

// fewRanked is the smallest number of predicted times of a group of rows among which observed times are ranked. Times of a group with
// fewer are ranked among those of all groups.
const fewRanked = 200

// ranks holds sorted predicted times.
type ranks struct {
	all     [][]float64   // for each choice: the times of all rows
	grouped [][][]float64 // for each group of rows and choice: their times; nil for too few
}

// rank sorts the drawn times.
func (s *shapes) rank() {
	n := len(s.codes)
	s.ordered = ranks{make([][]float64, n), make([][][]float64, len(s.groups))}
	for g := range s.groups {
		s.ordered.grouped[g] = make([][]float64, n)
	}
	for i, r := range s.drawn {
		if r.kind < n {
			g := s.group[i%s.Trials()]
			s.ordered.all[r.kind] = append(s.ordered.all[r.kind], r.rt)
			s.ordered.grouped[g][r.kind] = append(s.ordered.grouped[g][r.kind], r.rt)
		}
	}
	for k := range n {
		slices.Sort(s.ordered.all[k])
		for _, times := range s.ordered.grouped {
			if len(times[k]) < fewRanked {
				times[k] = nil
			}
			slices.Sort(times[k])
		}
	}
}

// position returns the share of predicted times of the same choice that are earlier. Equal times count half.
func (r *ranks) position(of response, group int) float64 {
	times := r.grouped[group][of.kind]
	if times == nil {
		times = r.all[of.kind]
	}
	if len(times) == 0 {
		return 0.5
	}
	before, found := slices.BinarySearch(times, of.rt)
	upto := before
	for found && upto < len(times) && times[upto] == of.rt {
		upto++
	}
	return float64(before+upto) / 2 / float64(len(times))
}
