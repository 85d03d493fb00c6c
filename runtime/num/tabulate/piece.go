package tabulate

import (
	"math"
	"sync"
)

const (
	// pieceNodes is one more than the degree. On a geometric piece an edge
	// singularity lies three half-widths from the centre, so the error falls
	// like (3+√8)^-24 = 4e-19, which leaves room for its derivatives.
	pieceNodes  = 24
	pieceChecks = 8
	piecePoints = pieceNodes + pieceChecks
	// pieceTolerance is the error over Σ|g| admitted at the check points, a
	// half of what is promised between them.
	pieceTolerance = 5e-13
)

// pieceFit is the scratch of one fit.
type pieceFit struct {
	psi, u     [piecePoints]float64            // nodes, then check points, as rounded
	value, abs []float64                       // piecePoints×k, from one call of Sum
	resample   [pieceNodes][pieceNodes]float64 // values at rounded nodes → at Chebyshev nodes
}

// newPieceFit makes the scratch for k accumulators.
func newPieceFit(k int) *pieceFit {
	return &pieceFit{value: make([]float64, piecePoints*k), abs: make([]float64, piecePoints*k)}
}

// pieceBasis is what all fits share.
type pieceBasis struct {
	node   [pieceNodes]float64             // the Chebyshev nodes
	cosine [pieceNodes][pieceNodes]float64 // values at Chebyshev nodes → coefficients of T_n
	power  [pieceNodes][pieceNodes]float64 // T_n as powers, exact integers
}

// basisOfPieces is made once, for all tables.
var basisOfPieces = sync.OnceValue(func() *pieceBasis {
	b := new(pieceBasis)
	for m := range b.node {
		b.node[m] = math.Cos(math.Pi * (float64(m) + 0.5) / pieceNodes)
		b.cosine[0][m] = 1.0 / pieceNodes
		for n := 1; n < pieceNodes; n++ {
			b.cosine[n][m] = 2.0 / pieceNodes * math.Cos(math.Pi*float64(n)*(float64(m)+0.5)/pieceNodes)
		}
	}
	b.power[0][0], b.power[1][1] = 1, 1
	for n := 2; n < pieceNodes; n++ { // T_n = 2u T_{n-1} - T_{n-2}
		b.power[n][0] = -b.power[n-2][0]
		for p := 1; p < pieceNodes; p++ {
			b.power[n][p] = 2*b.power[n-1][p-1] - b.power[n-2][p]
		}
	}
	return b
})

// settle decides whether a region becomes a piece, is split, or is refused.
func (t *Table) settle(r tableRegion) *tableFate {
	if t.scratch == nil {
		t.scratch = newPieceFit(t.k)
	}
	f := t.scratch
	t.spread(r)
	t.sum(f.psi[:], f.value, f.abs)
	t.sweep.Add(piecePoints)
	coef := make([]float64, t.k*pieceNodes)
	f.weighResample()
	worst := 0.0
	for a := range t.k {
		c := (*[pieceNodes]float64)(coef[a*pieceNodes:])
		f.interpolate(c, a, t.k)
		worst = max(worst, f.check(c, a, t.k))
	}
	switch {
	case worst <= pieceTolerance:
		t.pieces.Add(1)
		return &tableFate{coef: coef}
	case r.depth == maxSplits || hopeless(worst, r.parent):
		return &tableFate{}
	}
	return &tableFate{halves: new([2]tableCell), worst: worst}
}

// hopeless tells a kink from an analytic function that is not yet resolved:
// halving an interval on which the latter was resolved to 1% divides its error
// by thousands, the former's by two or four.
func hopeless(worst, parent float64) bool {
	return math.IsNaN(worst) || parent < 1e-2 && worst > parent/16
}

// spread lays Chebyshev nodes of the first kind and, between them, check
// points of the second over a region. Near the edge ψ has few digits, so u is
// computed back from the rounded ψ: what is fitted is what At will see.
func (t *Table) spread(r tableRegion) {
	f := t.scratch
	for j, u := range basisOfPieces().node {
		f.psi[j], f.u[j] = t.round(r, u)
	}
	for j := pieceNodes; j < piecePoints; j++ {
		u := math.Cos(math.Pi * float64(j-pieceNodes) / (pieceChecks - 1))
		f.psi[j], f.u[j] = t.round(r, u)
	}
}

// round returns the ψ nearest to u in a region, and the u of that ψ.
func (t *Table) round(r tableRegion, u float64) (psi, rounded float64) {
	size := math.Ldexp(1, -r.depth)
	at := float64(r.path) * size
	s := at + size*(u+1)/2
	gap := s * t.width
	if t.domain.Edge != NoEdge {
		gap = math.Ldexp(t.width, -r.level-1) * (1 + s)
	}
	psi = min(max(t.anchor+t.sign*gap, t.domain.Lo), t.domain.Hi)
	s = t.sign * (psi - t.anchor) * t.scale
	if t.domain.Edge != NoEdge {
		s = math.Ldexp(s, r.level+1) - 1
	}
	return psi, 2*(s-at)/size - 1
}

// weighResample fills the matrix of the second barycentric formula
// (Berrut & Trefethen 2004, eq. 4.2) from the rounded nodes to the Chebyshev
// nodes.
func (f *pieceFit) weighResample() {
	var weight [pieceNodes]float64
	for j := range weight {
		product := 1.0
		for i := range weight {
			if i != j {
				product *= 2 * (f.u[j] - f.u[i])
			}
		}
		weight[j] = 1 / product
	}
	for m, x := range basisOfPieces().node {
		row, total := &f.resample[m], 0.0
		for j := range row {
			if row[j] = weight[j] / (x - f.u[j]); math.IsInf(row[j], 0) {
				*row = [pieceNodes]float64{}
				row[j], total = 1, 1
				break
			}
			total += row[j]
		}
		for j, scale := 0, 1/total; j < len(row); j++ {
			row[j] *= scale
		}
	}
}

// interpolate sets c to the powers of u of the polynomial through the nodes of
// accumulator a: resampled, then a discrete cosine transform, then T_n
// expanded. Powers are as good as the Chebyshev basis as long as the series
// falls faster than (1+√2)^-n, and check sees when it does not.
func (f *pieceFit) interpolate(c *[pieceNodes]float64, a, k int) {
	var at [pieceNodes]float64
	for m := range at {
		for j, w := range f.resample[m] {
			at[m] += w * f.value[j*k+a]
		}
	}
	b := basisOfPieces()
	for n := range c {
		series := 0.0
		for m, w := range b.cosine[n] {
			series += w * at[m]
		}
		for p, w := range b.power[n][:n+1] {
			c[p] += series * w
		}
	}
}

// check is the largest error over Σ|g| of accumulator a at the check points.
func (f *pieceFit) check(c *[pieceNodes]float64, a, k int) float64 {
	worst := 0.0
	for j := pieceNodes; j < piecePoints; j++ {
		miss := math.Abs(piecePolynomial(c, f.u[j]) - f.value[j*k+a])
		if miss != 0 {
			worst = max(worst, miss/f.abs[j*k+a])
		}
	}
	return worst
}

// piecePolynomial is Σ c_p u^p in four interleaved Horner chains, so that the
// additions of one hide behind those of the others.
func piecePolynomial(c *[pieceNodes]float64, u float64) float64 {
	u2 := u * u
	v := u2 * u2
	q0, q1, q2, q3 := c[20], c[21], c[22], c[23]
	q0, q1, q2, q3 = q0*v+c[16], q1*v+c[17], q2*v+c[18], q3*v+c[19]
	q0, q1, q2, q3 = q0*v+c[12], q1*v+c[13], q2*v+c[14], q3*v+c[15]
	q0, q1, q2, q3 = q0*v+c[8], q1*v+c[9], q2*v+c[10], q3*v+c[11]
	q0, q1, q2, q3 = q0*v+c[4], q1*v+c[5], q2*v+c[6], q3*v+c[7]
	q0, q1, q2, q3 = q0*v+c[0], q1*v+c[1], q2*v+c[2], q3*v+c[3]
	return (q0 + u*q1) + u2*(q2+u*q3)
}
