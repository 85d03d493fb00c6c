package objective

import (
	"math"

	"likc/search/find/columns"
	"likc/search/find/tree"
)

// probeRows is the largest number of data rows from which an expression's fingerprint is computed: a hash of its values. Each row is of
// another group, if there are enough groups; a group is the trials of one simulated subject.
const probeRows = 96

// probeBits is the number of significant bits to which fingerprinted values are rounded.
const probeBits = 16

// newProbe makes the panel of the rows of fingerprints. It has one trial of each of the last groups: the first trial of the last
// group, the second trial of the group before, and so on. Further rows have each parameter at each point of its grid, in one
// group per point, because some expressions differ only at such points, such as t/t at t = 0.
func newProbe[F columns.Float](p *valuer, r *Rows, s sample, gridPoints int) (panel *columns.Panel[F], data int) {
	groups, trials := len(r.RT), len(r.RT[0])
	data = min(probeRows, groups*trials)
	trial, theta := make([]float64, 1+len(r.More)), make([]float64, len(p.params))
	return newPanel[F](len(p.symbols), data+len(p.params)*gridPoints, 1, func(dst []float64, _, row int) {
		if row >= data {
			j, m, g := (row-data)/gridPoints, (row-data)%gridPoints, row%len(s.theta)
			copy(theta, s.theta[g])
			theta[j] = p.grid(j, gridPoints)[m]
			p.at(dst, theta, s.trials[g][0], s.choice[g][0])
			return
		}
		g, k := groups-1-row%groups, (row/groups+row)%trials
		trial[0] = r.RT[g][k]
		for i, c := range r.More {
			trial[1+i] = c[g][k]
		}
		p.at(dst, r.Theta[g], trial, 1)
	}), data
}

// Fingerprint hashes the tree's values on the probe rows, rounded to 16 significant bits. It also reports whether the values on the
// data rows are finite. In a test with 60,000 expressions bred from published and random ones, 0.5 % of 12,878 matches had losses
// that differed by more than 0.1 %. In these expressions, the terms that differed were lost in rounding on every probe row.
func (s *scorer[F]) Fingerprint(t tree.Tree) (hash uint64, finite bool) {
	s.evaluator.Start(t, s.table.probe)
	hash = 0x9e3779b97f4a7c15
	for i, v := range s.evaluator.Block(0) {
		x := float64(v)
		if x-x != 0 {
			if i < s.table.probeData {
				return 0, false
			}
			x = math.Inf(1)
		}
		const dropped = 52 - (probeBits - 1)
		bits := (math.Float64bits(x+0) + 1<<(dropped-1)) >> dropped
		hash = (hash ^ bits) * 0xff51afd7ed558ccd
		hash ^= hash >> 32
	}
	return hash, true
}
