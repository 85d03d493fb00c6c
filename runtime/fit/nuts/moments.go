package nuts

// moments holds running means and variances of vectors, computed by Welford's recurrence.
type moments struct {
	count    float64
	mean, m2 []float64 // means, and sums of squared deviations
}

func newMoments(dim int) *moments {
	return &moments{mean: make([]float64, dim), m2: make([]float64, dim)}
}

func (m *moments) reset() {
	m.count = 0
	clear(m.mean)
	clear(m.m2)
}

func (m *moments) add(x []float64) {
	m.count++
	mean, m2 := m.mean[:len(x)], m.m2[:len(x)]
	for i, v := range x {
		d := v - mean[i]
		mean[i] += d / m.count
		m2[i] += d * (v - mean[i])
	}
}

// variance returns the variance of coordinate i, with divisor n-1.
func (m *moments) variance(i int) float64 { return m.m2[i] / (m.count - 1) }

// comoments holds running means and covariances.
type comoments struct {
	moments
	cross  []float64 // sums of products of deviations, row-major, lower triangle
	before []float64 // deviations from the mean as it was before the last vector
}

func newComoments(dim int) *comoments {
	return &comoments{*newMoments(dim), make([]float64, dim*dim), make([]float64, dim)}
}

func (c *comoments) reset() {
	c.moments.reset()
	clear(c.cross)
}

func (c *comoments) add(x []float64) {
	for i, v := range x {
		c.before[i] = v - c.mean[i]
	}
	c.moments.add(x)
	n := len(x)
	for i := range x {
		after := x[i] - c.mean[i]
		row := c.cross[i*n : i*n+i+1]
		for j := range row {
			row[j] += after * c.before[j]
		}
	}
}

// shrunk writes the covariances to the n×n slice `into`. They are shrunk towards a thousandth of the identity, as in Stan.
// [stan].
func (c *comoments) shrunk(into []float64) {
	n := len(c.mean)
	weight, floor := shrinkage(c.count)
	for i := range n {
		for j := 0; j <= i; j++ {
			v := weight * c.cross[i*n+j] / (c.count - 1)
			if i == j {
				v += floor
			}
			into[i*n+j], into[j*n+i] = v, v
		}
	}
}

// shrinkage returns the factors for a covariance estimated from n draws: weight·covariance + floor·I. [stan].
func shrinkage(n float64) (weight, floor float64) { return n / (n + 5), 1e-3 * 5 / (n + 5) }
