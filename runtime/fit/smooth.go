package fit

import (
	"encoding/json"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"likc/runtime/num/finite"
)

// SmoothCheck is Neyman's smooth test of predictions, for estimated parameters. The time of a response becomes its position among the
// predicted times of the same response, from 0 to 1. A component is a sum over the trials with one response: of the first or the second
// normalised Legendre polynomial of the position, or of 1. The statistic is the squared distance of the components from their
// expectations, in units of their covariance.
type SmoothCheck struct {
	P         finite.Number `json:"p"` // probability of a statistic at least as large, for one set of trials, if the model is right
	ChiSquare finite.Number `json:"chi_square"`
	Freedom   int           `json:"degrees_of_freedom"`
	Farthest  *Shape        `json:"farthest,omitempty"` // the component that is farthest from its expectation
}

// Shape says in what respect the trials differ most from predicted ones.
type Shape struct {
	Kind     ShapeKind     `json:"kind"`
	Omission bool          `json:"omission,omitempty"` // whether it concerns trials without a response
	Choice   json.Number   `json:"choice,omitempty"`   // the model's code of the choice; missing for a model without choice
	Response string        `json:"response,omitempty"` // the data's own name of the choice, such as key = left
	Scores   finite.Number `json:"scores"`             // distance from the expectation in standard deviations; positive for later, wider or more
}

// ShapeKind is what a component measures.
type ShapeKind string

// These are the kinds of components of a response: the number of its trials, and the mean and the spread of the positions of their times.
const (
	Number   ShapeKind = "number"
	Position ShapeKind = "times"
	Spread   ShapeKind = "spread"
)

// shapeKinds lists the components of a response in their order.
var shapeKinds = [...]ShapeKind{Number, Position, Spread}

// legendre returns the summands of a response's components, for a time at a position from 0 to 1.
func legendre(position float64) [len(shapeKinds)]float64 {
	x := 2*position - 1
	return [...]float64{1, math.Sqrt(3) * x, math.Sqrt(5) * (3*x*x - 1) / 2}
}

// deviations holds components less their expectations, and what determines their covariance.
type deviations struct {
	sum       []float64     // the components of the data, less their expectations
	within    *mat.SymDense // covariance of the components at fixed parameters
	posterior *mat.SymDense // posterior covariance of their expectations
	copies    float64       // number of simulated copies of the data whose mean is the expectation
	expected  []float64     // for each component: the expected number of trials in its sum
}

// Sums of few trials are not normal, so components of fewer expected trials are left out.
const (
	fewSummed  = 20 // expected trials in a sum of polynomials
	fewCounted = 5  // expected trials of a response
)

// margin is the share of C that is added to the covariance C - V. V is known only to first order and from draws. Without a margin, its
// error would decide in directions whose variance the fitted parameters take up almost wholly.
const margin = 0.03

// covariance returns the covariance of the components less their expectations: C - V, where C is the covariance at fixed parameters and V
// the posterior covariance of the expectations. Added are the variance (C + V)/copies of the simulated expectation, and a margin.
//
// The reason for C - V is that an error of the parameters moves the expectation. To first order, the covariance of this movement with
// the components equals V, and so does its variance; so 2V is subtracted and V added. For a parameter with a prior, such as a
// participant's in a hierarchy, this holds on average over parameters from the prior.
func (d *deviations) covariance() *mat.SymDense {
	n := len(d.sum)
	out := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			c, v := d.within.At(i, j), d.posterior.At(i, j)
			out.SetSym(i, j, c-v+(c+v)/d.copies+margin*c)
		}
	}
	return out
}

// used returns the indices of the components that have enough trials.
func (d *deviations) used() (all []int) {
	for i := range d.sum {
		few := fewSummed
		if shapeKinds[i%len(shapeKinds)] == Number {
			few = fewCounted
		}
		if d.expected[i] >= float64(few) && d.within.At(i, i) > 0 {
			all = append(all, i)
		}
	}
	return all
}

// test returns the statistic; nil if all components have too few trials. In the directions that it adds up, components are independent,
// and their variance at fixed parameters is 1.
func (d *deviations) test() *SmoothCheck {
	used := d.used()
	if used == nil {
		return nil
	}
	n, full := len(used), d.covariance()
	unit, sum := make([]float64, n), mat.NewVecDense(n, nil)
	for a, i := range used {
		unit[a] = math.Sqrt(d.within.At(i, i))
		sum.SetVec(a, d.sum[i]/unit[a])
	}
	scaled := func(c *mat.SymDense) *mat.SymDense {
		out := mat.NewSymDense(n, nil)
		for a, i := range used {
			for b, j := range used[:a+1] {
				out.SetSym(a, b, c.At(i, j)/unit[a]/unit[b])
			}
		}
		return out
	}
	basis := whitening(scaled(d.within))
	var onto, turned mat.Dense
	var along mat.VecDense
	turned.Product(basis.T(), scaled(full), basis)
	axes, variances := symmetric(&turned)
	onto.Mul(basis, axes)
	along.MulVec(onto.T(), sum)
	c := &SmoothCheck{Freedom: len(variances)}
	for a, variance := range variances {
		c.ChiSquare += finite.Number(along.AtVec(a) * along.AtVec(a) / max(variance, margin))
	}
	c.P = finite.Number(distuv.ChiSquared{K: float64(c.Freedom)}.Survival(float64(c.ChiSquare)))
	return c
}

// symmetric returns the eigenvectors and the ascending eigenvalues of a matrix that is symmetric but for rounding.
func symmetric(x mat.Matrix) (vectors *mat.Dense, values []float64) {
	n, _ := x.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			s.SetSym(i, j, (x.At(i, j)+x.At(j, i))/2)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(s, true) {
		return mat.NewDense(n, n, nil), make([]float64, n) // cannot happen with finite numbers
	}
	vectors = new(mat.Dense)
	eigen.VectorsTo(vectors)
	return vectors, eigen.Values(nil)
}

// whitening returns a matrix B with BᵀCB = 1 that spans the space of a covariance C of unit diagonal.
func whitening(c *mat.SymDense) *mat.Dense {
	const singular = 1e-6 // counts of all responses add up to the number of trials
	vectors, values := symmetric(c)
	n, from := len(values), 0
	for from < n-1 && values[from] < singular {
		from++
	}
	basis := mat.NewDense(n, n-from, nil)
	for a := range n - from {
		for i := range n {
			basis.Set(i, a, vectors.At(i, from+a)/math.Sqrt(values[from+a]))
		}
	}
	return basis
}
