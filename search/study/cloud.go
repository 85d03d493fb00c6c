package study

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

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
}

// part is one t distribution of a cloud.
type part struct {
	share   float64 // probability
	centre  []float64
	root    mat.TriDense // the root of the covariance
	inverse []float64    // lower triangle of the root's inverse, row after row
	height  float64      // density at the centre, up to a constant, times the probability
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
		k.add((1-wideShare)*p.weight[i], c, nearby(c, centres), near)
	}
	unit := mat.NewSymDense(dim, nil)
	for j := range dim {
		unit.SetSym(j, j, 1)
	}
	k.add(wideShare, make([]float64, dim), unit, wide)
	return k, nil
}

// covariance returns the weighted covariance of positions around a centre.
func covariance(at [][]float64, weight, centre []float64) *mat.SymDense {
	s := mat.NewSymDense(len(centre), nil)
	for n, x := range at {
		for i := range centre {
			for j := range i + 1 {
				s.SetSym(i, j, s.At(i, j)+weight[n]*(x[i]-centre[i])*(x[j]-centre[j]))
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
	sorted := slices.Sorted(slices.Values(squares))
	farthest := sorted[min(max(len(all)/neighbours, fewest*dim), len(all))-1]
	var close [][]float64
	for i, x := range all {
		if squares[i] <= farthest {
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
func (k *cloud) add(share float64, centre []float64, covariance *mat.SymDense, width float64) {
	var cholesky mat.Cholesky
	if !cholesky.Factorize(covariance) {
		return // the points are not finite
	}
	p := part{share: share, centre: centre}
	cholesky.LTo(&p.root)
	p.root.ScaleTri(width, &p.root)
	var inverse mat.TriDense
	if inverse.InverseTri(&p.root) != nil {
		return
	}
	p.height = share
	for i := range centre {
		for j := range i + 1 {
			p.inverse = append(p.inverse, inverse.At(i, j))
		}
		p.height *= inverse.At(i, i)
	}
	k.parts = append(k.parts, p)
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

// logDrawn returns the log of the density, as log returns it, times the number of positions that were drawn.
func (k *cloud) logDrawn(q []float64) float64 { return math.Log(float64(k.drawn)) + k.log(q) }

// log returns the cloud's log density at an unconstrained position, up to a constant that is the same for all clouds. A part whose centre is
// the position itself does not count: the density would be too high there, by more in a tail, and the weight of the position too small.
func (k *cloud) log(q []float64) float64 {
	y, sum, share := k.inward(q), 0.0, 1.0
	for i := range k.parts {
		if p := &k.parts[i]; slices.Equal(y, p.centre) {
			share -= p.share
		} else {
			sum += p.density(y)
		}
	}
	return math.Log(sum/share) - k.size
}

// density returns the density of a part, up to the same constant.
func (p *part) density(y []float64) float64 {
	square, row := 0.0, p.inverse
	for i := range y {
		z := 0.0
		for j := range i + 1 {
			z += row[j] * (y[j] - p.centre[j])
		}
		row = row[i+1:]
		square += z * z
	}
	return p.height * tail(1+square/freedom, freedom+len(y))
}

// tail returns x^(-n/2) for a natural number n.
func tail(x float64, n int) float64 {
	power, value := 1/x, 1.0
	if n%2 == 1 {
		value = math.Sqrt(power)
	}
	for n /= 2; n > 0; n /= 2 {
		if n%2 == 1 {
			value *= power
		}
		power *= power
	}
	return value
}
