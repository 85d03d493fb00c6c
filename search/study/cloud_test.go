package study

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestOneByOne: the density of a cloud is that of its t distributions, computed one by one. A part around the position does not count.
func TestOneByOne(t *testing.T) {
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
		logs := k.logs(at)
		if len(logs) != len(at) {
			t.Fatalf("%d densities of %d positions", len(logs), len(at))
		}
		for i, got := range logs {
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
