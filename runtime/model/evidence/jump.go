package evidence

import (
	"math"
	"slices"
)

const (
	nearJump = 10  // panels on each side of a jump, ever shorter towards it: a density goes on as the root of the time since then
	toJump   = 2.5 // ratio of the lengths of successive panels beside a jump
	sliver   = 0.2 // an edge that is closer to a jump than this share of its panel gives way to it
)

// splitAtJumps puts edges, which are ends of panels, just before the times at which functions of time jump, between ever shorter panels.
func (s *stream) splitAtJumps(w *work, edges []float64) []float64 {
	w.jumps = w.jumps[:0]
	if s.jumps.size() == 0 {
		return edges
	}
	s.jumps.run(&w.tape, w.mem, nil, w.symbols)
	jumps := w.jumps
	for k := range s.jumps.size() {
		jumps = append(jumps, s.jumps.numberOf(&w.tape, k)*(1-1e-15))
	}
	slices.Sort(jumps)
	jumps = slices.Compact(jumps)
	w.jumps = jumps
	for _, jump := range jumps {
		e, _ := slices.BinarySearch(edges, jump) // the jump lies in the panel that ends at edge e
		if !(jump > 0) || e == len(edges) || edges[e] == jump || len(edges) > mostPanels-2*nearJump {
			continue
		}
		if e == 1 { // no evidence has reached a boundary yet
			edges = slices.Insert(edges, 1, jump)
			continue
		}
		from, to := e-1, e
		wide := sliver * (edges[to] - edges[from])
		if edges[to]-jump < wide && to+1 < len(edges) {
			to++
		}
		if jump-edges[from] < wide && from > 1 && !slices.Contains(jumps, edges[from]) {
			from--
		}
		var between []float64
		for m := 1; m <= nearJump; m++ {
			between = append(between, jump-(jump-edges[from])/math.Pow(toJump, float64(m)))
		}
		between = append(between, jump)
		for m := nearJump; m >= 1; m-- {
			between = append(between, jump+(edges[to]-jump)/math.Pow(toJump, float64(m)))
		}
		edges = slices.Replace(edges, from+1, to, between...)
	}
	return edges
}
