package nuts

import (
	"math"
	"math/rand/v2"
)

// independent is a normal density with the given standard deviations and mean zero.
type independent struct{ sd []float64 }

func (t independent) Dim() int { return len(t.sd) }

func (t independent) LogDensityGrad(q, grad []float64) (float64, error) {
	lp := 0.0
	for i, s := range t.sd {
		z := q[i] / s
		grad[i] = -z / s
		lp -= z * z / 2
	}
	return lp, nil
}

// spread returns a normal density whose standard deviations go from low to high, in equal ratios.
func spread(dim int, low, high float64) independent {
	t := independent{make([]float64, dim)}
	for i := range t.sd {
		part := 0.5
		if dim > 1 {
			part = float64(i) / float64(dim-1)
		}
		t.sd[i] = low * math.Pow(high/low, part)
	}
	return t
}

// isotropic is the standard normal density.
type isotropic int

func (t isotropic) Dim() int { return int(t) }

func (t isotropic) LogDensityGrad(q, grad []float64) (float64, error) {
	grad = grad[:len(q)]
	lp := 0.0
	for i, v := range q {
		grad[i] = -v
		lp -= v * v
	}
	return lp / 2, nil
}

// rotated is a normal density whose principal axes are not those of the coordinates.
type rotated struct {
	precision [][]float64
	variance  []float64 // marginal variances
}

// newRotated returns a rotated density with standard deviations from low to high along its axes. Random reflections turn the
// axes.
func newRotated(dim int, low, high float64, seed uint64) rotated {
	axes := spread(dim, low, high)
	rng := rand.New(rand.NewPCG(seed, 1))
	basis := make([][]float64, dim)
	for i := range basis {
		basis[i] = make([]float64, dim)
		basis[i][i] = 1
	}
	for range dim {
		reflect(basis, rng)
	}
	t := rotated{make([][]float64, dim), make([]float64, dim)}
	for i := range dim {
		t.precision[i] = make([]float64, dim)
		for j := range dim {
			for k, b := range basis {
				t.precision[i][j] += b[i] * b[j] / (axes.sd[k] * axes.sd[k])
			}
		}
		for k, b := range basis {
			t.variance[i] += b[i] * b[i] * axes.sd[k] * axes.sd[k]
		}
	}
	return t
}

// reflect reflects every vector at the same random plane.
func reflect(basis [][]float64, rng *rand.Rand) {
	normal, norm := make([]float64, len(basis)), 0.0
	for i := range normal {
		normal[i] = rng.NormFloat64()
		norm += normal[i] * normal[i]
	}
	for _, b := range basis {
		dot := 0.0
		for i, v := range normal {
			dot += v * b[i]
		}
		for i, v := range normal {
			b[i] -= 2 * dot / norm * v
		}
	}
}

func (t rotated) Dim() int { return len(t.variance) }

func (t rotated) LogDensityGrad(q, grad []float64) (float64, error) {
	lp := 0.0
	for i, row := range t.precision {
		sum := 0.0
		for j, v := range row {
			sum += v * q[j]
		}
		grad[i] = -sum
		lp -= q[i] * sum / 2
	}
	return lp, nil
}

// banana is x ~ N(0, 1), y ~ N(b(x² - 1), 1): E[y] = 0, var(y) = 1 + 2b².
type banana struct{ bend float64 }

func (t banana) Dim() int { return 2 }

func (t banana) LogDensityGrad(q, grad []float64) (float64, error) {
	x, y := q[0], q[1]
	r := y - t.bend*(x*x-1)
	grad[0] = -x + r*2*t.bend*x
	grad[1] = -r
	return -(x*x + r*r) / 2, nil
}

// funnel is Neal's funnel: v ~ N(0, scale²), and all other coordinates are N(0, exp(v)).
type funnel struct {
	dim   int
	scale float64
}

func (t funnel) Dim() int { return t.dim }

func (t funnel) LogDensityGrad(q, grad []float64) (float64, error) {
	v := q[0]
	precision := math.Exp(-v)
	sum := 0.0
	for i := 1; i < t.dim; i++ {
		sum += q[i] * q[i]
		grad[i] = -q[i] * precision
	}
	n := float64(t.dim - 1)
	s2 := t.scale * t.scale
	grad[0] = -v/s2 + precision*sum/2 - n/2
	return -v*v/(2*s2) - precision*sum/2 - n*v/2, nil
}
