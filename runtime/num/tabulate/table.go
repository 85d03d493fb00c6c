// Package tabulate serves one-parameter sums over a bound dataset,
//
//	A(ψ) = Σ_i g(x_i; ψ),
//
// in constant time: [lo, hi] is cut into pieces, geometrically towards the
// edge of the support if there is one, and each piece that is visited becomes
// one polynomial of degree 23, interpolated at Chebyshev nodes and admitted
// only if it agrees with direct sums to 1e-12 of Σ|g|. Sums that are too rough
// are refused, and the caller then streams over its trials.
//
// The package imports the standard library alone because its source text is
// copied into generated packages.
package tabulate

import (
	"math"
	"sync"
	"sync/atomic"
)

// Edge says which end of a domain, if any, is the edge of the support, where
// the sum may be singular.
type Edge int

// The three kinds of domain.
const (
	NoEdge Edge = iota // [Lo, Hi], smooth at both ends
	EdgeHi             // [Lo, Hi): for example Σ 1/(x_i - ψ) with Hi = min x_i
	EdgeLo             // (Lo, Hi]: for example Σ log(x_i + ψ) with Lo = -min x_i
)

// Domain is the interval of ψ that a table may serve. An empty interval, or
// one with an infinite end, makes a table that serves nothing.
type Domain struct {
	Lo, Hi float64
	Edge   Edge
	// Visits is the number of evaluations in a piece from which on the piece
	// is built. With 1 (or less) every answer is a function of ψ alone, so
	// concurrent chains reproduce bit for bit; with 2, one-off evaluations
	// build nothing, but which answers are streamed depends on what was
	// evaluated before, by any goroutine.
	Visits int
}

// Sum adds k accumulators over all trials at each of the given ψ, in one pass
// over the data: value[j*k+a] = Σ_i g_a(x_i; psi[j]) and
// abs[j*k+a] = Σ_i |g_a(x_i; psi[j])|. Both arrive unset. A Table calls its
// Sum from one goroutine at a time, with 32 values of ψ.
type Sum func(psi, value, abs []float64)

// Table holds the pieces of k accumulators that share ψ. It is safe for
// concurrent use: lookups are lock-free, building takes a lock. Derivatives
// are accumulators of their own, because differentiating a series on a piece of
// half-width h costs up to n²/h in accuracy: over 1,000 trials Σ1/τ came out of
// Σ log τ to 3e-9 near the edge, and as a sum of its own to 3e-14.
type Table struct {
	k             int
	domain        Domain
	anchor, sign  float64 // gap = sign*(ψ - anchor)
	width, scale  float64 // Hi - Lo and its reciprocal
	levels        []tableCell
	sum           Sum
	building      sync.Mutex
	scratch       *pieceFit // guarded by building
	kept          atomic.Pointer[keptTable]
	pieces, sweep atomic.Int64
}

// tableCell is one interval of the domain. Its fate, once known, never
// changes.
type tableCell struct {
	fate   atomic.Pointer[tableFate]
	visits atomic.Int32
}

// tableFate is immutable: coefficients if the cell is one piece, halves if it
// is split, neither if it is too rough to tabulate.
type tableFate struct {
	coef   []float64 // pieceNodes for each accumulator, in powers of u ∈ [-1, 1]
	halves *[2]tableCell
	worst  float64 // error over Σ|g| at the check points
}

// tableRegion names a cell: a level, halved depth times, the path-th part.
type tableRegion struct {
	level, depth, path int
	parent             float64 // the parent's worst error
}

const (
	maxLevels = 48 // gap ≥ width·2^-48
	maxSplits = 6  // of one level
)

// NewTable makes an empty table of k accumulators over a domain.
func NewTable(k int, domain Domain, sum Sum) *Table {
	t := &Table{k: k, domain: domain, anchor: domain.Lo, sign: 1, sum: sum}
	if domain.Edge == EdgeHi {
		t.anchor, t.sign = domain.Hi, -1
	}
	t.width = domain.Hi - domain.Lo
	t.scale = 1 / t.width
	t.levels = make([]tableCell, t.countLevels())
	return t
}

// countLevels stops where ψ itself has too few digits left to tell the nodes
// of a piece apart.
func (t *Table) countLevels() int {
	if !(t.width > 0) || math.IsInf(t.width, 0) || math.IsInf(t.scale, 0) {
		return 0
	}
	if t.domain.Edge == NoEdge {
		return 1
	}
	anchor := math.Abs(t.anchor)
	finest := 0x1p12 * (math.Nextafter(anchor, math.Inf(1)) - anchor)
	n := 0
	for n < maxLevels && math.Ldexp(t.width, -n-1) > finest {
		n++
	}
	return n
}

// At sets value[a] = A_a(psi) for all k accumulators. It reports false, and
// leaves value alone, where the table cannot serve: outside the domain, too
// near the edge, before the piece's Visits-th visit, or where the sum is too
// rough. The caller then streams, and may Keep what that gives. At does not
// allocate except to build.
func (t *Table) At(psi float64, value []float64) bool {
	level, s := t.place(psi)
	if level >= len(t.levels) {
		return t.recall(psi, value)
	}
	cell := &t.levels[level]
	region := tableRegion{level: level, parent: math.Inf(1)}
	for {
		fate := cell.fate.Load()
		if fate == nil {
			if fate = t.visit(cell, region); fate == nil {
				return false
			}
		}
		if fate.coef != nil {
			u := 2*s - 1
			for a := range value {
				value[a] = piecePolynomial((*[pieceNodes]float64)(fate.coef[a*pieceNodes:]), u)
			}
			return true
		}
		if fate.halves == nil {
			return false
		}
		s *= 2
		half := 0
		if s >= 1 {
			half, s = 1, s-1
		}
		cell = &fate.halves[half]
		region.depth, region.path, region.parent = region.depth+1, 2*region.path+half, fate.worst
	}
}

// Pieces is the number of pieces that serve.
func (t *Table) Pieces() int { return int(t.pieces.Load()) }

// Passes is the number of direct sums over the data made so far: 32 for each
// piece that was tried.
func (t *Table) Passes() int { return int(t.sweep.Load()) }

// place finds the level of ψ and its place s ∈ [0, 1] there. Level k towards
// an edge holds gap/width ∈ [2^-(k+1), 2^-k): the exponent is the level, the
// mantissa the place. A ψ that is not served has a level past the last.
func (t *Table) place(psi float64) (level int, s float64) {
	if len(t.levels) == 0 || !(psi >= t.domain.Lo && psi <= t.domain.Hi) {
		return len(t.levels), 0
	}
	g := t.sign * (psi - t.anchor) * t.scale
	if t.domain.Edge == NoEdge {
		return 0, min(g, 1)
	}
	if g >= 1 {
		return 0, 1
	}
	const oneBits, mantissa = 0x3FF << 52, 1<<52 - 1
	bits := math.Float64bits(g)
	return 1022 - int(bits>>52&0x7FF), math.Float64frombits(oneBits|bits&mantissa) - 1
}

// visit counts a visit to a cell without a fate, and settles it when due.
func (t *Table) visit(cell *tableCell, region tableRegion) *tableFate {
	if int(cell.visits.Add(1)) < t.domain.Visits {
		return nil
	}
	t.building.Lock()
	defer t.building.Unlock()
	fate := cell.fate.Load()
	if fate == nil {
		fate = t.settle(region)
		cell.fate.Store(fate)
	}
	return fate
}
