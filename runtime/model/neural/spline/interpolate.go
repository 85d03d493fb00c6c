package spline

import (
	"math"

	"likc/runtime/num/gemm"
)

// fan holds functions of one number: outputs of the network, and their derivatives, for trials that differ in only one parameter (see
// line). The number is that parameter.
type fan struct {
	size int // number of functions
	// The values of all functions at each Chebyshev node, their Chebyshev coefficients, and their interpolated values for at most
	// rowsTogether trials.
	nodes, series, values []float64
}

// newFan returns the memory for a number of functions.
func newFan(size int) fan { return fan{size: size, values: make([]float64, rowsTogether*size)} }

// grow allocates memory for the numbers of m nodes.
func (f *fan) grow(m int) {
	if len(f.nodes) < m*f.size {
		f.nodes, f.series = make([]float64, m*f.size), make([]float64, m*f.size)
	}
}

// cosinesOf returns cos(πk/(2m)) for k < 4m.
func (l *line) cosinesOf(m int) []float64 {
	if l.cosines[m] == nil {
		l.cosines[m] = make([]float64, 4*m)
		for k := range l.cosines[m] {
			l.cosines[m][k] = math.Cos(math.Pi * float64(k) / float64(2*m))
		}
	}
	return l.cosines[m]
}

// interpolate computes Chebyshev series from the numbers at m nodes, and reports whether m nodes are enough.
func (l *line) interpolate() bool {
	enough := l.interpolateFan(&l.choice)
	for side := range l.sides {
		enough = enough && (len(l.rows[side]) == 0 || l.interpolateFan(&l.sides[side]))
	}
	return enough
}

// interpolateFan computes the Chebyshev series of a fan's functions. It reports whether the last two coefficients of each are negligible.
func (l *line) interpolateFan(f *fan) bool {
	m, size := l.m, f.size
	cosines, weights := l.cosinesOf(m), l.weights[:m]
	clear(f.series[:m*size])
	for j := range m {
		for k := range weights {
			weights[k] = 2 / float64(m) * cosines[j*(2*k+1)%(4*m)]
			if j == 0 {
				weights[k] /= 2
			}
		}
		gemm.AddRow(f.series[j*size:(j+1)*size], weights, f.nodes[:m*size])
	}
	for n, first := range f.series[:size] {
		scale := max(1, math.Abs(first))
		if end := math.Abs(f.series[(m-1)*size+n]) + math.Abs(f.series[(m-2)*size+n]); !(end <= negligible*scale) {
			return false
		}
	}
	return true
}

// setBasis sets a row of the basis to the Chebyshev polynomials at x, a value of the parameter that differs along the line.
func (l *line) setBasis(row int, x float64) {
	basis := l.basis[row*l.m : (row+1)*l.m]
	at := (x - l.middle) / l.half
	basis[0], basis[1] = 1, at
	for j := 2; j < l.m; j++ {
		basis[j] = 2*at*basis[j-1] - basis[j-2]
	}
}

// evaluate sets f.values for n rows, from the first n rows of the basis (see setBasis) and the series.
func (l *line) evaluate(f *fan, n int) {
	clear(f.values[:n*f.size])
	gemm.AddRows(f.values[:n*f.size], l.basis[:n*l.m], f.series[:l.m*f.size], l.m, f.size)
}

// row returns the numbers of the k-th row.
func (f *fan) row(k int) []float64 { return f.values[k*f.size : (k+1)*f.size] }
