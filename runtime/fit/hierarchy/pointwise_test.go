package hierarchy

import (
	"math"
	"math/rand/v2"
	"testing"
)

// At several draws, the log densities of single trials add up to the log-likelihood.
func TestPointwise(t *testing.T) {
	for _, model := range []string{"ddm", "expr2", "../../../testdata/densities/found60.lik"} {
		s := newStudy(t, model, NonCentred, "v ~ x * cond + (1 | subject)", "a ~ 1 + (1 | subject)")
		p, rng := s.Bound(), rand.New(rand.NewPCG(9, 1))
		coefs := make([][]float64, 3)
		for k := range coefs {
			for _, c := range s.coords {
				x := 0.2 * rng.NormFloat64()
				if !math.IsInf(c.Upper, 1) {
					x = c.Lower + (c.Upper-c.Lower)*(0.3+0.2*rng.Float64())
				}
				coefs[k] = append(coefs[k], x)
			}
		}
		dst := make([][]float64, p.N())
		for i := range dst {
			dst[i] = make([]float64, len(coefs))
		}
		p.LogDensity(dst[:40], coefs, 0)
		p.LogDensity(dst[40:], coefs, 40)
		for k := range coefs {
			want, got := p.LogLik(coefs[k]), 0.0
			for i := range dst {
				got += dst[i][k]
			}
			if !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
				t.Errorf("%s, draw %d: %v, want %v", model, k, got, want)
			}
		}
	}
}
