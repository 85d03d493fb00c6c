package study

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"likc/runtime/num/gemm"
	"likc/runtime/num/statistic"
	"likc/runtime/num/vec"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// points are unconstrained positions with weights, which sum to 1.
type points struct {
	at     [][]float64
	weight []float64
}

// These constants say how a cloud follows its points. Coordinates are such that the points have unit covariance.
const (
	freedom    = 5    // degrees of freedom of the t distributions
	neighbours = 4    // one of so many points counts as near
	fewest     = 4    // but at least so many for each dimension
	near       = 1    // width of the distribution around a point, as a share of that of the points near it
	thickness  = 0.02 // variance that is added in all directions, so that points near one another need not span a volume
	wide       = 1.2  // width of the distribution around all points
	wideShare  = 0.1  // its probability
)

// cloud is a mixture of t distributions over unconstrained positions. There is one around each of some points, with the covariance of the
// points near it, so that the cloud follows curved ridges. And there is a wide one around all points, for what they may have missed.
type cloud struct {
	mean  []float64
	root  mat.TriDense // L: an unconstrained position is the mean, plus L times a position of the cloud
	size  float64      // log of L's determinant
	drawn int          // number of positions that were drawn
	parts []part

	// A part's density depends on the length of z = offset + matrix·(q - mean), where q is the unconstrained position. All have one number a part.
	whiten  []float64 // [1+dim][dim][part]: first the offsets of the elements of z, then their factors of each coordinate
	heights []float64 // densities at the centres times the probabilities, up to a constant and L's determinant
	firsts  []float64 // the first coordinates of the unconstrained centres
}

// part is one t distribution of a cloud.
type part struct {
	share  float64   // probability
	at     []float64 // its centre, as an unconstrained position; nil for the wide one
	centre []float64
	root   mat.TriDense // the root of the covariance
}

// newCloud returns the cloud around some points.
func newCloud(p points) (*cloud, error) {
	if len(p.at) == 0 {
		return nil, errors.New("no points")
	}
	dim := len(p.at[0])
	k := &cloud{mean: make([]float64, dim)}
	for i, x := range p.at {
		for j := range x {
			k.mean[j] += p.weight[i] * x[j]
		}
	}
	var all mat.Cholesky
	if !all.Factorize(covariance(p.at, p.weight, k.mean)) {
		return nil, errors.New("the points lie in a plane")
	}
	all.LTo(&k.root)
	k.size = all.LogDet() / 2
	centres := make([][]float64, len(p.at))
	for i, x := range p.at {
		centres[i] = k.inward(x)
	}
	for i, c := range centres {
		k.add(part{share: (1 - wideShare) * p.weight[i], at: p.at[i], centre: c}, nearby(c, centres), near)
	}
	unit := mat.NewSymDense(dim, nil)
	for j := range dim {
		unit.SetSym(j, j, 1)
	}
	k.add(part{share: wideShare, centre: make([]float64, dim)}, unit, wide)
	return k, k.tabulate()
}

// covariance returns the weighted covariance of positions around a centre.
func covariance(at [][]float64, weight, centre []float64) *mat.SymDense {
	s := mat.NewSymDense(len(centre), nil)
	raw := s.RawSymmetric() // its upper triangle
	for n, x := range at {
		for i, c := range centre {
			off, row := weight[n]*(x[i]-c), raw.Data[i*raw.Stride:][:len(centre)]
			for j := i; j < len(row); j++ {
				row[j] += off * (x[j] - centre[j])
			}
		}
	}
	return s
}

// nearby returns the covariance, around one of some points, of those near it.
func nearby(centre []float64, all [][]float64) *mat.SymDense {
	dim, squares := len(centre), make([]float64, len(all))
	for i, x := range all {
		for j := range x {
			squares[i] += (x[j] - centre[j]) * (x[j] - centre[j])
		}
	}
	last, ordered := min(max(len(all)/neighbours, fewest*dim), len(all))-1, slices.Clone(squares)
	statistic.Partition(ordered, last)
	close := make([][]float64, 0, len(all))
	for i, x := range all {
		if squares[i] <= ordered[last] {
			close = append(close, x)
		}
	}
	equal := slices.Repeat([]float64{1 / float64(len(close))}, len(close))
	s := covariance(close, equal, centre)
	for j := range dim {
		s.SetSym(j, j, s.At(j, j)+thickness)
	}
	return s
}

// add adds a part to the cloud, with `width` times the root of a covariance.
func (k *cloud) add(p part, covariance *mat.SymDense, width float64) {
	var cholesky mat.Cholesky
	if !cholesky.Factorize(covariance) {
		return // the points are not finite
	}
	cholesky.LTo(&p.root)
	p.root.ScaleTri(width, &p.root)
	k.parts = append(k.parts, p)
}

// tabulate fills the columns for the density.
func (k *cloud) tabulate() error {
	dim, n := len(k.mean), len(k.parts)
	k.whiten, k.heights, k.firsts = make([]float64, (1+dim)*dim*n), make([]float64, n), make([]float64, n)
	var outer mat.TriDense
	if err := outer.InverseTri(&k.root); err != nil {
		return err
	}
	for i, p := range k.parts {
		var inverse, both mat.TriDense
		if err := inverse.InverseTri(&p.root); err != nil {
			return err
		}
		both.MulTri(&inverse, &outer)
		k.heights[i], k.firsts[i] = p.share, math.NaN()
		if p.at != nil {
			k.firsts[i] = p.at[0]
		}
		for row := range dim {
			k.heights[i] *= inverse.At(row, row)
			for j := range row + 1 {
				k.whiten[row*n+i] -= inverse.At(row, j) * p.centre[j]
				k.whiten[((1+j)*dim+row)*n+i] = both.At(row, j)
			}
		}
	}
	return nil
}

// inward returns an unconstrained position as one of the cloud.
func (k *cloud) inward(q []float64) []float64 {
	y := make([]float64, len(q))
	for j := range q {
		y[j] = q[j] - k.mean[j]
	}
	v := mat.NewVecDense(len(y), y)
	_ = v.SolveVec(&k.root, v) // an error only warns of a bad condition
	return y
}

// draw draws n unconstrained positions, and counts them: from each part as many as its probability says, but for a difference below 1.
func (k *cloud) draw(random *rand.Rand, n int) (all [][]float64) {
	k.drawn += n
	below, offset := 0.0, random.Float64()
	for _, p := range k.parts {
		below += p.share
		for len(all) < n && float64(len(all))+offset < below*float64(n) {
			all = append(all, k.outward(p.draw(random)))
		}
	}
	return all
}

// outward returns a position of the cloud as an unconstrained one.
func (k *cloud) outward(y []float64) []float64 {
	v := mat.NewVecDense(len(y), y)
	v.MulVec(&k.root, v)
	for j, m := range k.mean {
		y[j] += m
	}
	return y
}

// draw draws a position of the cloud from one part.
func (p *part) draw(random *rand.Rand) []float64 {
	chi := 0.0
	for range freedom {
		x := random.NormFloat64()
		chi += x * x
	}
	y := make([]float64, len(p.centre))
	for j := range y {
		y[j] = random.NormFloat64() / math.Sqrt(chi/freedom)
	}
	v := mat.NewVecDense(len(y), y)
	v.MulVec(&p.root, v)
	for j, x := range p.centre {
		y[j] += x
	}
	return y
}

// block is the number of positions for which z is computed together, in all parts. With 250 parts these numbers fit into a processor's second cache.
const block = 10

// logs returns the cloud's log densities at unconstrained positions, up to a constant that is the same for all clouds. A part whose centre is
// the position itself does not count: the density would be too high there, by more in a tail, and the weight of the position too small.
func (k *cloud) logs(at [][]float64) (logs []float64) {
	dim, n := len(k.mean), len(k.parts)
	all, row := make([]float64, block*dim*n), make([]float64, 0, block*(1+dim))
	square, relative := make([]float64, n), make([]float64, n)
	for some := range slices.Chunk(at, block) {
		row, all := row[:0], all[:len(some)*dim*n]
		for _, q := range some {
			row = append(row, 1)
			for j, x := range q {
				row = append(row, x-k.mean[j])
			}
		}
		clear(all)
		gemm.AddRows(all, row, k.whiten, 1+dim, dim*n)
		for i, q := range some {
			clear(square)
			for z := range slices.Chunk(all[i*dim*n:(i+1)*dim*n], n) {
				vec.FMA(square, z, z, square)
			}
			tails(relative, square, dim)
			logs = append(logs, k.log(q, relative))
		}
	}
	return logs
}

// log returns the log density at a position from the parts' relative densities: those at the position over those at the centres. The relative
// density of a part that does not count is set to 0.
func (k *cloud) log(q, relative []float64) float64 {
	share := 1.0
	for i, first := range k.firsts {
		if first == q[0] && slices.Equal(k.parts[i].at, q) {
			share -= k.parts[i].share
			relative[i] = 0
		}
	}
	return math.Log(floats.Dot(k.heights, relative)/share) - k.size
}

// tails sets dst to (1 + square/freedom)^(-(freedom + dim)/2), which is the density of a t distribution over that at its centre. A square is that
// of the length of z. It overwrites the squares.
func tails(dst, square []float64, dim int) {
	vec.MulScalar(square, square, 1.0/freedom)
	vec.AddScalar(square, square, 1)
	n := freedom + dim
	if n%2 == 1 {
		vec.Sqrt(dst, square)
	} else {
		for i := range dst {
			dst[i] = 1
		}
	}
	for n /= 2; n > 0; n /= 2 {
		if n%2 == 1 {
			vec.Mul(dst, dst, square)
		}
		vec.Mul(square, square, square)
	}
	vec.ScalarDiv(dst, dst, 1)
}
