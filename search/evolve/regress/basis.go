package regress

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// basis is an orthonormal basis of the span of columns, made by modified Gram–Schmidt orthogonalisation, which is done again
// for a column of which little is left [daniel1976].
//
// Reference: [daniel1976] J. W. Daniel et al., Reorthogonalization and stable algorithms for updating the Gram–Schmidt QR
// factorization, Math. Comp. 30.
type basis struct {
	n int
	q [][]float64 // of which the first n are the basis
	r [][]float64 // r[k][j], j ≤ k, is the coordinate of column k along q[j]
}

func newBasis(columns, rows int) *basis {
	b := &basis{}
	for range columns {
		b.q = append(b.q, make([]float64, rows))
		b.r = append(b.r, make([]float64, columns))
	}
	return b
}

// begin leaves the constant column alone in the basis.
func (b *basis) begin() {
	b.n = 0
	for i := range b.next() {
		b.next()[i] = 1
	}
	b.add()
}

// next is where the column that add takes is written.
func (b *basis) next() []float64 { return b.q[b.n] }

// dependent is the share of a column's norm outside the span below which it counts as rounding.
const dependent = 1e-10

// little is the share of a column's norm below which the rest, after projection, is not orthogonal to working precision.
const little = 0.5

// add takes the next column in, unless it depends on those before it. It reports whether its norm is finite.
func (b *basis) add() (finite bool) {
	column, along := b.next(), b.r[b.n]
	before := floats.Norm(column, 2)
	if !(before < math.MaxFloat64) {
		return false
	}
	clear(along)
	norm := before
	for range 2 {
		for j := range b.n {
			c := floats.Dot(b.q[j], column)
			along[j] += c
			floats.AddScaled(column, -c, b.q[j])
		}
		last := norm
		if norm = floats.Norm(column, 2); norm > little*last {
			break
		}
	}
	if norm <= dependent*before {
		return true
	}
	floats.Scale(1/norm, column)
	along[b.n] = norm
	b.n++
	return true
}

// reduce takes from y its projection on the span, and puts the coordinates of that in along.
func (b *basis) reduce(y, along []float64) {
	for j := range b.n {
		along[j] = floats.Dot(b.q[j], y)
		floats.AddScaled(y, -along[j], b.q[j])
	}
}

// solve turns coordinates along the basis into coefficients of the columns, in place.
func (b *basis) solve(along []float64) {
	for k := b.n - 1; k >= 0; k-- {
		along[k] /= b.r[k][k]
		for j := range k {
			along[j] -= along[k] * b.r[k][j]
		}
	}
}
