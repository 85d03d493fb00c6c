package bound

import (
	"math"
	"slices"

	"likc/runtime/model/kernel"
)

// rowsZ holds log Z of rows, the logs of the integrals that normalise their densities, and working memory.
type rowsZ struct {
	values       []float64   // log Z of each parameter vector
	slopes       [][]float64 // derivatives of log Z, by parameter
	theta, slope []float64   // one parameter vector and its gradient
	series       *series     // nil before the first use
}

func newRowsZ(dim int) *rowsZ {
	return &rowsZ{slopes: make([][]float64, dim), theta: make([]float64, dim), slope: make([]float64, dim)}
}

// grow makes memory for n parameter vectors.
func (s *rowsZ) grow(n int) {
	s.values = slices.Grow(s.values[:0], n)[:n]
	for j := range s.slopes {
		s.slopes[j] = slices.Grow(s.slopes[j][:0], n)[:n]
	}
}

// rows sets log Z of each of n rows and, if slopes is set, its gradient. It returns the number of parameter vectors: 1 or n. theta
// is as in [kernel.Rows]. If rows differ in only one parameter, log Z is interpolated in that parameter, provided that this is
// accurate. Otherwise log Z is computed for every row whose parameters differ from those of the row before.
func (z *logZ) rows(s *rowsZ, theta [][]float64, n int, slopes bool) (vectors int) {
	varying, at := 0, 0
	for j, param := range theta {
		if len(param) > 1 {
			varying, at = varying+1, j
		} else {
			s.theta[j] = param[0]
		}
	}
	if varying == 0 {
		n = 1
	}
	s.grow(n)
	if varying == 1 && z.interpolate(s, theta[at][:n], at, slopes) {
		return n
	}
	for i := range n {
		changed := i == 0
		for j, param := range theta {
			x := kernel.At(param, i)
			changed, s.theta[j] = changed || x != s.theta[j], x
		}
		if changed {
			s.values[i] = z.atOne(s, slopes)
		} else {
			s.values[i] = s.values[i-1]
		}
		for j := range s.slopes {
			s.slopes[j][i] = s.slope[j]
		}
	}
	return n
}

// atOne returns log Z at s.theta and, if slopes is set, sets s.slope to its gradient.
func (z *logZ) atOne(s *rowsZ, slopes bool) float64 {
	if !slopes {
		return z.at(s.theta, nil)
	}
	return z.at(s.theta, s.slope)
}

// Series of Chebyshev polynomials with 9, 17, 33 and 65 terms are tried.
const (
	mostTerms   = 65
	fewestTerms = 9
)

// accuracy is the largest size of a series's last two coefficients, as a share of the largest coefficient, or of 1. The error of the
// series is about as large.
const accuracy = 1e-11

// series holds log Z and its derivatives as functions of one parameter between two bounds: as values at Chebyshev's points, and as
// sums of Chebyshev polynomials.
type series struct {
	points       [][]float64                  // for each function: its values at cos(πk/64)
	coefficients [][]float64                  // for each function: the factors of the polynomials
	cosines      [2 * (mostTerms - 1)]float64 // cos(πk/64)
}

func newSeries(functions int) *series {
	s := &series{}
	for range functions {
		s.points, s.coefficients = append(s.points, make([]float64, mostTerms)), append(s.coefficients, make([]float64, mostTerms))
	}
	for k := range s.cosines {
		s.cosines[k] = math.Cos(math.Pi * float64(k) / (mostTerms - 1))
	}
	return s
}

// interpolate computes log Z of rows that differ only in parameter j, from log Z at a few values of it. It returns false if that
// would not be accurate, or not faster.
func (z *logZ) interpolate(s *rowsZ, x []float64, j int, slopes bool) bool {
	lo, hi := slices.Min(x), slices.Max(x)
	if !(hi > lo) || math.IsInf(hi-lo, 0) {
		return false
	}
	if s.series == nil {
		s.series = newSeries(1 + len(s.theta))
	}
	functions := 1
	if slopes {
		functions += len(s.slope)
	}
	for terms := fewestTerms; terms <= mostTerms && 2*terms < len(x); terms = 2*terms - 1 {
		stride := (mostTerms - 1) / (terms - 1)
		for k := 0; k < mostTerms; k += stride {
			if terms > fewestTerms && k%(2*stride) == 0 {
				continue // the value is known from the shorter series
			}
			s.theta[j] = (lo+hi)/2 + (hi-lo)/2*s.series.cosines[k]
			s.series.points[0][k] = z.atOne(s, slopes)
			for i := range functions - 1 {
				s.series.points[i+1][k] = s.slope[i]
			}
		}
		if s.series.expand(functions, terms) {
			s.sum(x, lo, hi, functions, terms)
			return true
		}
	}
	return false
}

// expand computes the coefficients of series with the given number of terms, and reports whether they are accurate.
func (s *series) expand(functions, terms int) bool {
	stride := (mostTerms - 1) / (terms - 1)
	for f := range functions {
		c, largest := s.coefficients[f][:terms], 1.0
		for k := range c {
			sum := (s.points[f][0] + s.points[f][mostTerms-1]*s.cosines[(k%2)*(mostTerms-1)]) / 2
			for m := 1; m < terms-1; m++ {
				sum += s.points[f][m*stride] * s.cosines[k*m*stride%len(s.cosines)]
			}
			c[k] = 2 * sum / float64(terms-1)
			largest = max(largest, math.Abs(c[k]))
		}
		c[0], c[terms-1] = c[0]/2, c[terms-1]/2
		if !(math.Abs(c[terms-1])+math.Abs(c[terms-2]) <= accuracy*largest) {
			return false
		}
	}
	return true
}

// sum sets log Z of each row and, if there are several series, its gradient.
func (s *rowsZ) sum(x []float64, lo, hi float64, functions, terms int) {
	for i, at := range x {
		t := (2*at - lo - hi) / (hi - lo)
		s.values[i] = clenshaw(s.series.coefficients[0][:terms], t)
		for f := range functions - 1 {
			s.slopes[f][i] = clenshaw(s.series.coefficients[f+1][:terms], t)
		}
	}
}

// clenshaw returns a sum of Chebyshev polynomials at t in [-1, 1].
func clenshaw(c []float64, t float64) float64 {
	var one, two float64
	for k := len(c) - 1; k > 0; k-- {
		one, two = c[k]+2*t*one-two, one
	}
	return c[0] + t*one - two
}
