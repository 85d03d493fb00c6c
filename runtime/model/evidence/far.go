package evidence

import (
	"math"
	"slices"

	"likc/runtime/num/gemm"
)

// block is an interval of time whose flux a later panel sees from afar: a panel, or several that have been joined.
type block struct {
	from, to float64
	rough    bool // whether boundaries or clock are no polynomial on it and the next block together
}

// blocks holds the flux of early panels as sources: for each block, one for each node of a rule on it. Panels are joined once all later
// nodes are so far away that kernels are polynomials on all of them. So late panels see few blocks, however many panels there were.
type blocks struct {
	list    []block
	panels  int                  // number of panels that are in blocks
	columns [columns]([]float64) // numbers of the sources, by the constants below
}

// The columns of sources. Those that say so are there for each boundary, columnsOf apart. After each column comes that of its derivatives, which
// those of fluxes have with their sign, and the others with the opposite sign.
const (
	clockOf   = 0 // the clock
	boundOf   = 2 // the position, for each boundary
	fluxOf    = 4 // the flux times its weight, for each boundary
	columnsOf = 4
	columns   = boundOf + 2*columnsOf
)

// column returns the numbers in a column of boundary k, and their derivatives.
func (b *blocks) column(first, k int) (values, derivatives []float64) {
	at := first + k*columnsOf
	return b.columns[at], b.columns[at+1]
}

// width returns how many numbers of a column belong to each source, of dim parameters.
func (b *blocks) width(column, dim int) int { return 1 + column%2*(dim-1) }

// bent is the largest difference of a boundary from a polynomial where blocks are joined, as a share of the boundaries' distance, and of the
// clock as a share of all its time. That of a derivative is larger by steeply, as a share of the largest derivative.
const (
	bent    = 1e-12
	steeply = 1e4
)

// prepareBlocks takes the memory of blocks for n nodes.
func (v *volterra) prepareBlocks(n int) {
	v.far = blocks{list: v.far.list[:0]}
	for c := range v.far.columns[:boundOf+v.bounds*columnsOf] {
		v.far.columns[c] = v.mem.take(n * v.far.width(c, v.dim))[:0]
	}
	v.joining, v.bending = v.mem.take(order*max(v.dim, 1)), v.mem.take(2*order*max(v.dim, 1))
	v.largest = [3][]float64{v.mem.take(v.dim), v.mem.take(v.dim), v.mem.take(v.dim)}
	for k, derivatives := range [3][]float64{v.clock.d, v.bound[0].d, v.bound[1].d} {
		for i, d := range derivatives {
			p := i % v.dim
			v.largest[k][p] = max(v.largest[k][p], math.Abs(d))
		}
	}
}

// extend adds the panels before the given one that are not in blocks yet, as blocks of their own.
func (v *volterra) extend(panels int) {
	b, dim := &v.far, v.dim
	for e := max(b.panels, v.firstActive/order); e < panels; e++ {
		from, to := e*order, (e+1)*order
		b.list = append(b.list, block{from: v.edges[e], to: v.edges[e+1]})
		b.add(clockOf, v.clock.v, from, to, 1)
		b.add(clockOf+1, v.minusClock, from, to, dim)
		for k := range v.bounds {
			b.add(boundOf+k*columnsOf, v.bound[k].v, from, to, 1)
			b.add(boundOf+k*columnsOf+1, v.minus[k], from, to, dim)
		}
		for k := range v.sides {
			b.add(fluxOf+k*columnsOf, v.weighted[k], from, to, 1)
			b.add(fluxOf+k*columnsOf+1, v.dweighted[k], from, to, dim)
		}
	}
	b.panels = max(b.panels, panels)
}

// add adds numbers from up to but without to to a column, each with dim numbers of its own.
func (b *blocks) add(column int, x []float64, from, to, dim int) {
	b.columns[column] = append(b.columns[column], x[from*dim:to*dim]...)
}

// drop removes the blocks that end by a time.
func (b *blocks) drop(time float64, dim int) {
	n := 0
	for n < len(b.list) && b.list[n].to <= time {
		n++
	}
	b.list = slices.Delete(b.list, 0, n)
	for c, x := range b.columns {
		if w := b.width(c, dim); n > 0 && len(x) > 0 {
			b.columns[c] = slices.Delete(x, 0, n*order*w)
		}
	}
}

// join joins neighbours that are far enough from panel e.
func (v *volterra) join(e int) {
	b, now, clock := &v.far, v.edges[e], v.clock.v[e*order]
	for i := 0; i+1 < len(b.list); {
		first, second := &b.list[i], b.list[i+1]
		clocks := b.columns[clockOf]
		end := clocks[(i+2)*order-1]
		if first.rough || now-second.to < v.set.joined*(second.to-first.from) || clock-end < v.set.joined*(end-clocks[i*order]) {
			i++
			continue
		}
		if !v.joinTwo(i) {
			first.rough = true
			i++
			continue
		}
		i = max(i-1, 0)
	}
}

// joinTwo replaces blocks i and i+1 by one. It reports false, and does nothing, if boundaries or clock are no polynomial on both.
func (v *volterra) joinTwo(i int) bool {
	b := &v.far
	two := [2]block{b.list[i], b.list[i+1]}
	v.matrices(&two)
	from, to := i*order, (i+2)*order
	if !v.smooth(from, to) {
		return false
	}
	for c, x := range b.columns {
		w, matrix := b.width(c, v.dim), &v.points
		if c >= boundOf && c/2%2 == 0 {
			matrix = &v.moments // the column holds fluxes
		}
		if w == 0 || len(x) == 0 {
			continue
		}
		old, joined := x[from*w:to*w], v.joining[:order*w]
		clear(joined)
		gemm.AddRows(joined, matrix[:], old, 2*order, w)
		copy(old, joined)
		b.columns[c] = slices.Delete(x, (from+order)*w, to*w)
	}
	b.list[i] = block{from: two[0].from, to: two[1].to, rough: two[1].rough}
	b.list = slices.Delete(b.list, i+1, i+2)
	return true
}

// matrices sets the matrices that join two blocks, row-major: a row for each node of both together, and a column for each node of the two. points
// gives values at the new nodes, and moments fluxes. back, transposed, takes from values at the old nodes those of polynomials through the new ones.
func (v *volterra) matrices(two *[2]block) {
	v.points, v.moments = [order * 2 * order]float64{}, [order * 2 * order]float64{}
	var l [order]float64
	from, middle, whole := two[0].from, two[0].to, two[1].to-two[0].from
	for q, x := range rule.x {
		half, part := 0, two[0]
		at := from + whole*x
		if at > middle {
			half, part = 1, two[1]
		}
		rule.lagrange((at-part.from)/(part.to-part.from), &l)
		copy(v.points[(2*q+half)*order:], l[:])
	}
	for half, part := range two {
		for j, x := range rule.x {
			rule.lagrange((part.from+(part.to-part.from)*x-from)/whole, &l)
			for q, y := range l {
				v.moments[(2*q+half)*order+j] = y
				v.back[(half*order+j)*order+q] = -y
			}
		}
	}
}

// smooth reports whether the clock, the boundaries and their derivatives at the nodes of two blocks, sources from up to but without to, are those of
// the polynomials through the values at the nodes of both blocks together. A derivative matters as much as the flux of its source.
func (v *volterra) smooth(from, to int) bool {
	most := [3]float64{bent * v.s.v[len(v.s.v)-1], bent * v.away[0], bent * v.away[0]}
	if v.bounds == 2 {
		most[1] = bent * (v.bound[0].v[0] - v.bound[1].v[0])
		most[2] = most[1]
	}
	for k := range 1 + v.bounds {
		column := clockOf
		if k > 0 {
			column = boundOf + (k-1)*columnsOf
		}
		values, derivatives := v.far.columns[column], v.far.columns[column+1]
		for _, y := range v.bends(values[from:to], 1) {
			if !(math.Abs(y) <= most[k]) {
				return false
			}
		}
		for i, y := range v.bends(derivatives[from*v.dim:to*v.dim], v.dim) {
			at := from + i/v.dim
			flux := v.far.columns[fluxOf][at]
			if v.sides == 2 {
				flux = max(flux, v.far.columns[fluxOf+columnsOf][at])
			}
			if !(math.Abs(y)*flux <= steeply*bent*v.largest[k][i%v.dim]) {
				return false
			}
		}
	}
	return true
}

// bends returns the differences of dim columns of values at the nodes of two blocks from polynomials: see smooth.
func (v *volterra) bends(values []float64, dim int) []float64 {
	at, out := v.joining[:order*dim], v.bending[:2*order*dim]
	clear(at)
	gemm.AddRows(at, v.points[:], values, 2*order, dim)
	copy(out, values)
	gemm.AddRows(out, v.back[:], at, order, dim)
	return out
}
