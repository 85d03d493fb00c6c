package ssm

import "math"

// waves are the coefficients of the large-time series at one relative
// distance w: of L = Σ_k k r^(k²-1) sin(kπw) and of its derivatives in u, where
// r = exp(-π²u/2), and in w. Index k-1 belongs to the k-th term.
type waves struct {
	value, time, near [largeTerms]float64
}

// newWaves computes the coefficients for g. Angles are measured from the nearer boundary, and multiples follow from addition
// theorems, so that every sine keeps its relative accuracy next to a boundary.
func newWaves(g *passage) (c waves) {
	flip := 1.0
	w := g.near
	if g.near > 0.5 {
		w, flip = g.far, -1 // sin(kπ(1-w)) = -(-1)^k sin(kπw)
	}
	s1, c1 := math.Sincos(math.Pi * w)
	s, co := s1, c1
	sign := 1.0
	for k := 1; k <= largeTerms; k++ {
		n := float64(k)
		c.value[k-1] = sign * n * s
		c.time[k-1] = -(n*n - 1) * math.Pi * math.Pi / 2 * c.value[k-1]
		c.near[k-1] = flip * sign * n * n * math.Pi * co
		s, co = s*c1+co*s1, co*c1-s*s1
		sign *= flip
	}
	return c
}

// sum returns L and its derivatives in u and w. Exponents grow by 3, 5, 7, …,
// hence Horner's scheme with odd powers of r.
func (c *waves) sum(r float64) (l, lu, lw float64) {
	var odd [largeTerms]float64
	odd[0] = 1
	power := r
	for k := 1; k < largeTerms; k++ {
		power *= r * r
		odd[k] = power
	}
	for k := largeTerms - 1; k >= 0; k-- {
		l = (c.value[k] + l) * odd[k]
		lu = (c.time[k] + lu) * odd[k]
		lw = (c.near[k] + lw) * odd[k]
	}
	return l, lu, lw
}
