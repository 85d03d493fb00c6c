package quadrature

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// SumRule approximates the sum of a function f over given points by a weighted sum over fewer points: Σ f(x_i) ≈ Σ W[k]
// f(X[k]).
//
// It is the Gauss rule of the points (Golub and Welsch, 1969): with n nodes it is exact for polynomials of degree 2n - 1, and its nodes
// lie between the least and the largest point. A rule whose nodes are all distinct points is exact for every function.
type SumRule struct {
	X, W []float64
	last [2][]float64 // for the two highest orthonormal polynomials, the weights of f(X[k]) in the coefficient of f; nil for an exact rule
}

// HighCoefficient returns the larger absolute coefficient of a function at the rule's two highest orthonormal polynomials: the root mean
// square, over the points, of that part of the function. values are the function at the nodes. If the coefficients fall geometrically, the
// error of the rule is about the square of the result. It is 0 for an exact rule, and NaN if a value is NaN.
func (r *SumRule) HighCoefficient(values []float64) (rest float64) {
	for _, weights := range r.last {
		if weights != nil {
			rest = max(rest, math.Abs(floats.Dot(weights, values)))
		}
	}
	return rest
}

// SumRules returns rules for the points x, which must be finite. There is one rule for each of the sizes, which are in ascending order, if
// it is smaller than the number of distinct points. The last rule is the exact one, on all distinct points.
func SumRules(x []float64, sizes ...int) (rules []SumRule) {
	distinct, counts := count(x)
	for len(sizes) > 0 && sizes[len(sizes)-1] >= len(distinct) {
		sizes = sizes[:len(sizes)-1]
	}
	if len(sizes) > 0 {
		middle, half := (distinct[0]+distinct[len(distinct)-1])/2, (distinct[len(distinct)-1]-distinct[0])/2
		scaled := make([]float64, len(distinct)) // the points, scaled to [-1, 1]
		for i, at := range distinct {
			scaled[i] = (at - middle) / half
		}
		diagonal, beside := jacobi(scaled, counts, sizes[len(sizes)-1])
		for _, n := range sizes {
			r := gauss(diagonal[:n], beside[:n-1], float64(len(x)))
			for k, at := range r.X {
				r.X[k] = middle + half*at
			}
			rules = append(rules, r)
		}
	}
	return append(rules, SumRule{X: distinct, W: counts})
}

// count returns the distinct points, in ascending order, and how often each occurs.
func count(x []float64) (distinct, counts []float64) {
	for _, at := range slices.Sorted(slices.Values(x)) {
		if n := len(distinct); n == 0 || distinct[n-1] != at {
			distinct, counts = append(distinct, at), append(counts, 0)
		}
		counts[len(counts)-1]++
	}
	return distinct, counts
}

// jacobi returns the diagonal and the secondary diagonal of a tridiagonal n×n matrix. The matrix describes multiplication by x, in the
// basis of the first n polynomials that are orthonormal at the weighted points. Each polynomial is x times the previous one, minus its
// components along all earlier polynomials. Components are subtracted twice because of rounding.
func jacobi(x, weights []float64, n int) (diagonal, beside []float64) {
	polynomial := make([]float64, len(x)) // at each point, the polynomial times the square root of the weight
	for i, w := range weights {
		polynomial[i] = math.Sqrt(w)
	}
	floats.Scale(1/floats.Norm(polynomial, 2), polynomial)
	all := [][]float64{polynomial}
	for {
		next := floats.MulTo(make([]float64, len(x)), x, polynomial)
		diagonal = append(diagonal, floats.Dot(next, polynomial))
		if len(diagonal) == n {
			return diagonal, beside
		}
		for range 2 {
			for _, earlier := range all {
				floats.AddScaled(next, -floats.Dot(next, earlier), earlier)
			}
		}
		norm := floats.Norm(next, 2)
		floats.Scale(1/norm, next)
		beside, polynomial, all = append(beside, norm), next, append(all, next)
	}
}

// gauss returns the Gauss rule of a matrix that jacobi returned; its weights add up to total. The nodes are the eigenvalues of the matrix,
// and the weights follow from the first components of its eigenvectors.
func gauss(diagonal, beside []float64, total float64) SumRule {
	n := len(diagonal)
	m := mat.NewSymDense(n, nil)
	for i, d := range diagonal {
		m.SetSym(i, i, d)
		if i > 0 {
			m.SetSym(i-1, i, beside[i-1])
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(m, true) {
		panic("quadrature: the eigenvalues of a symmetric matrix of finite numbers were not found")
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	r := SumRule{X: eigen.Values(nil), W: make([]float64, n), last: [2][]float64{make([]float64, n), make([]float64, n)}}
	for k := range n {
		first := vectors.At(0, k)
		r.W[k] = total * first * first
		for i := range r.last {
			r.last[i][k] = first * vectors.At(n-1-i, k)
		}
	}
	return r
}
