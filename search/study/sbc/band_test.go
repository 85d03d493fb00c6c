package sbc

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestBandCoverage: of samples of uniform ranks, 95 % or slightly more lie within the band at every point.
func TestBandCoverage(t *testing.T) {
	for _, c := range []struct{ n, highest int }{{50, 19}, {200, 99}} {
		band := NewBand(c.n, c.highest, 0.95)
		rng := rand.New(rand.NewPCG(1, uint64(c.n)))
		const samples = 8000
		inside := 0
		for range samples {
			ranks := make([]int, c.n)
			for i := range ranks {
				ranks[i] = rng.IntN(c.highest + 1)
			}
			if judge("", ranks, c.highest, &band).Inside {
				inside++
			}
		}
		share := float64(inside) / samples
		exact := newBinomial(c.n).coverage(band)
		sd := math.Sqrt(exact * (1 - exact) / samples)
		t.Logf("n %d: γ %.5f, coverage %.4f by recursion, %.4f of samples", c.n, band.Gamma, exact, share)
		if math.Abs(share-exact) > 4*sd {
			t.Errorf("n %d: %.4f of uniform samples are inside, the recursion says %.4f ± %.4f", c.n, share, exact, sd)
		}
		if exact < 0.95 || exact > 0.965 {
			t.Errorf("n %d: coverage %.4f, want at least 0.95 and little more", c.n, exact)
		}
	}
}

// TestBandOnePlace: with one evaluation point, the band is a central binomial interval. For n = 10, p = 1/2, P(2 ≤ K ≤ 8) is
// 0.9785 and P(3 ≤ K ≤ 7) is 0.8906.
func TestBandOnePlace(t *testing.T) {
	band := NewBand(10, 1, 0.95)
	if band.Low[0] != 2 || band.High[0] != 8 {
		t.Errorf("from %d to %d, want 2 to 8", band.Low[0], band.High[0])
	}
	if got := newBinomial(10).coverage(band); math.Abs(got-0.978515625) > 1e-12 {
		t.Errorf("coverage %v, want 0.978515625", got)
	}
}

// TestJudge judges ranks that deviate from uniform ones in known ways.
func TestJudge(t *testing.T) {
	const n, highest = 200, 99
	band := NewBand(n, highest, 0.95)
	even, low, narrow := make([]int, n), make([]int, n), make([]int, n)
	for i := range n {
		even[i], low[i], narrow[i] = i/2, i/3, 30+i/5
	}
	for _, c := range []struct {
		name       string
		ranks      []int
		inside     bool
		dispersion float64 // dispersion of ranks that are spread evenly over a share w of the range: w², for large n
	}{{"even", even, true, 1}, {"biased", low, false, 4. / 9}, {"too narrow", narrow, false, 0.16}} {
		p := judge(c.name, c.ranks, highest, &band)
		if p.Inside != c.inside || math.Abs(float64(p.Dispersion)-c.dispersion) > 0.01 {
			t.Errorf("%s: inside %v, dispersion %.3f, want %v, %.3f", c.name, p.Inside, p.Dispersion, c.inside, c.dispersion)
		}
		if (p.P < 0.01) == c.inside {
			t.Errorf("%s: p = %v", c.name, p.P)
		}
	}
}
