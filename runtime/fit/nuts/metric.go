package nuts

import (
	"fmt"
	"math"
)

// metric is an inverse metric M⁻¹ = AAᵀ, which moves states (see [state]). g is the gradient of the log density.
type metric interface {
	prepare(s *state)                             // must be called after other code has set the gradient of s
	kickAndDrift(s *state, eps float64)           // p += ½eps·Aᵀg, then q += eps·Ap
	kick(s *state, half float64) (energy float64) // p += half·Aᵀg; returns the kinetic energy
	inverse() [][]float64                         // M⁻¹: its diagonal as one row, otherwise all rows of the matrix
}

// diagonal is the metric with A = diag(scale).
type diagonal struct{ scale []float64 }

func newDiagonal(dim int) *diagonal {
	d := &diagonal{make([]float64, dim)}
	for i := range d.scale {
		d.scale[i] = 1
	}
	return d
}

func (d *diagonal) prepare(*state) {}

func (d *diagonal) kickAndDrift(s *state, eps float64) {
	half := eps / 2
	scale := d.scale
	q, p, g := s.q[:len(scale)], s.p[:len(scale)], s.grad[:len(scale)]
	for i, a := range scale {
		v := p[i] + half*a*g[i]
		p[i] = v
		q[i] += eps * a * v
	}
}

func (d *diagonal) kick(s *state, half float64) float64 {
	sum := 0.0
	scale := d.scale
	p, g := s.p[:len(scale)], s.grad[:len(scale)]
	for i, a := range scale {
		v := p[i] + half*a*g[i]
		p[i] = v
		sum += v * v
	}
	return sum / 2
}

func (d *diagonal) inverse() [][]float64 {
	row := make([]float64, len(d.scale))
	for i, a := range d.scale {
		row[i] = a * a
	}
	return [][]float64{row}
}

// setVariances sets the diagonal of M⁻¹ to v.
func (d *diagonal) setVariances(v []float64) error {
	for i, x := range v {
		if !(x > 0) || math.IsInf(x, 0) {
			return fmt.Errorf("metric: variance of coordinate %d is %v", i+1, x)
		}
		d.scale[i] = math.Sqrt(x)
	}
	return nil
}

// dense is the metric with A = L, the Cholesky factor of M⁻¹. It is stored so that draws need no factorisation.
type dense struct {
	dim   int
	lower []float64 // row-major; zeros above the diagonal are not read
}

func newDense(dim int) *dense {
	d := &dense{dim, make([]float64, dim*dim)}
	for i := range dim {
		d.lower[i*dim+i] = 1
	}
	return d
}

// prepare sets the force Lᵀg, row by row so that memory is read in order.
func (d *dense) prepare(s *state) {
	clear(s.force)
	for i, g := range s.grad {
		row := d.lower[i*d.dim : i*d.dim+i+1]
		force := s.force[:len(row)]
		for j, l := range row {
			force[j] += l * g
		}
	}
}

func (d *dense) kickAndDrift(s *state, eps float64) {
	for i, f := range s.force {
		s.p[i] += eps / 2 * f
	}
	for i := range s.q {
		row := d.lower[i*d.dim : i*d.dim+i+1]
		p, sum := s.p[:len(row)], 0.0
		for j, l := range row {
			sum += l * p[j]
		}
		s.q[i] += eps * sum
	}
}

func (d *dense) kick(s *state, half float64) float64 {
	d.prepare(s)
	for i, f := range s.force {
		s.p[i] += half * f
	}
	return kinetic(s.p)
}

func (d *dense) inverse() [][]float64 {
	rows := make([][]float64, d.dim)
	for i := range rows {
		rows[i] = make([]float64, d.dim)
		for j := range rows[i] {
			for k := 0; k <= min(i, j); k++ {
				rows[i][j] += d.lower[i*d.dim+k] * d.lower[j*d.dim+k]
			}
		}
	}
	return rows
}

// setCovariance sets the inverse metric to c, which is symmetric and row-major.
func (d *dense) setCovariance(c []float64) error {
	n := d.dim
	lower := make([]float64, n*n)
	for i := range n {
		for j := 0; j <= i; j++ {
			sum := c[i*n+j]
			for k := range j {
				sum -= lower[i*n+k] * lower[j*n+k]
			}
			if i != j {
				lower[i*n+j] = sum / lower[j*n+j]
				continue
			}
			if !(sum > 0) || math.IsInf(sum, 0) {
				return fmt.Errorf("metric: covariance is not positive definite at coordinate %d", i+1)
			}
			lower[i*n+i] = math.Sqrt(sum)
		}
	}
	copy(d.lower, lower)
	return nil
}
