package study

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRanked: the number of each rank is the one that sorting puts there, with equal ones and infinities too.
func TestRanked(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for n := 1; n < 40; n++ {
		x := make([]float64, n)
		for i := range x {
			x[i] = math.Log(float64(random.IntN(n))) // -Inf for 0
		}
		sorted := slices.Sorted(slices.Values(x))
		for rank, want := range sorted {
			if got := ranked(slices.Clone(x), rank); got != want {
				t.Fatalf("of %v the number of rank %d is %v", x, rank, got)
			}
		}
	}
}

// TestNearParts: the density of each part, and of the whole, is that of its t distributions one by one. A part around the position does not count.
func TestNearParts(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 2))
	for dim := 1; dim <= 7; dim++ {
		p := points{}
		for range 60 {
			x := make([]float64, dim)
			for j := range x {
				x[j] = 50 + random.NormFloat64()
				if j > 0 {
					x[j] += 0.99 * (x[0] - x[j])
				}
			}
			p.at, p.weight = append(p.at, x), append(p.weight, 1./60)
		}
		k, err := newCloud(p)
		if err != nil {
			t.Fatal(err)
		}
		at := append(k.draw(random, 25), p.at[7]) // not a multiple of the block
		for i, got := range k.logs(at) {
			sum, share, y := 0.0, 1.0, k.inward(slices.Clone(at[i]))
			for _, p := range k.parts {
				if slices.Equal(p.centre, y) {
					share -= p.share
					continue
				}
				off, square := make([]float64, dim), 0.0
				for r := range dim { // forward substitution by the root
					off[r] = y[r] - p.centre[r]
					for j := range r {
						off[r] -= p.root.At(r, j) * off[j]
					}
					off[r] /= p.root.At(r, r)
					square += off[r] * off[r]
				}
				height := p.share
				for r := range dim {
					height /= p.root.At(r, r)
				}
				sum += height * math.Pow(1+square/freedom, -float64(freedom+dim)/2)
			}
			if want := math.Log(sum/share) - k.size; !(math.Abs(got-want) < 1e-10) {
				t.Errorf("%d dimensions, position %d: log density %v, one by one %v", dim, i, got, want)
			}
		}
	}
}
