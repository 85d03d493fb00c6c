package objective

import (
	"math"

	"likc/search/columns"
	"likc/search/tree"
)

// probeRows is the number of rows of a fingerprint, each of another group.
const probeRows = 96

// probeBits is the number of significant bits that values are rounded to.
const probeBits = 16

// newProbe takes one trial of each of the last groups, in turn its first,
// second and so on, as one block.
func newProbe[F columns.Float](p *points, r *Rows) *columns.Panel[F] {
	groups, trials := len(r.RT), len(r.RT[0])
	n := min(probeRows, groups*trials)
	trial := make([]float64, 1+len(r.More))
	return newPanel[F](len(p.symbols), n, 1, func(dst []float64, _, row int) {
		g, k := groups-1-row%groups, (row/groups+row)%trials
		trial[0] = r.RT[g][k]
		for i, c := range r.More {
			trial[1+i] = c[g][k]
		}
		p.at(dst, r.Theta[g], trial, 1)
	})
}

// Fingerprint hashes the tree's values on the probe rows, rounded to 16
// significant bits, and reports whether they are finite.
func (s *scorer[F]) Fingerprint(t tree.Tree) (hash uint64, finite bool) {
	s.evaluator.Start(t, s.table.probe)
	hash = 0x9e3779b97f4a7c15
	for _, v := range s.evaluator.Block(0) {
		x := float64(v)
		if x-x != 0 {
			return 0, false
		}
		const dropped = 52 - (probeBits - 1)
		bits := (math.Float64bits(x+0) + 1<<(dropped-1)) >> dropped
		hash = (hash ^ bits) * 0xff51afd7ed558ccd
		hash ^= hash >> 32
	}
	return hash, true
}
