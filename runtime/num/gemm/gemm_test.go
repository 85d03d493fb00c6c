package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

func TestProduct(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	ways := map[string]func([]float32, int, int, int, []float32, int, int, []float32){"chosen": product, "blas": throughBLAS}
	for range 400 {
		m, n, k := 1+r.IntN(40), 1+r.IntN(100), 1+r.IntN(40)
		a, b := random(r, m*k), random(r, k*n)
		for name, way := range ways {
			for _, strides := range [][2]int{{k, 1}, {1, m}} {
				dst := make([]float32, m*n+1)
				dst[m*n] = 7
				way(dst[:m*n], m, n, k, a, strides[0], strides[1], b)
				if dst[m*n] != 7 {
					t.Fatalf("%s: writes past the end of %d×%d", name, m, n)
				}
				compare(t, fmt.Sprintf("%s %d×%d×%d %v", name, m, n, k, strides), dst, m, n, k, a, strides, b)
			}
		}
	}
}

// TestAddRows compares AddRows with plain sums, which are rounded differently. n and k range from 1 to more than two tiles.
func TestAddRows(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for range 300 {
		m, n, k := 1+r.IntN(14), 1+r.IntN(140), 1+r.IntN(70)
		a, b, got := normals(r, m*k), normals(r, k*n), append(normals(r, m*n), 7)
		want := append([]float64(nil), got...)
		for i := range m {
			for j, v := range a[i*k : (i+1)*k] {
				for c := range n {
					want[i*n+c] += v * b[j*n+c]
				}
			}
		}
		alone := append([]float64(nil), got[:n]...)
		AddRows(got[:m*n], a, b, k, n)
		for c := range want {
			if math.Abs(got[c]-want[c]) > 1e-13*float64(k+1) {
				t.Fatalf("%d×%d·%d×%d: element %d is %v, want %v", m, k, k, n, c, got[c], want[c])
			}
		}
		AddRow(alone, a[:k], b)
		if !slices.Equal(alone, got[:n]) {
			t.Fatalf("%d×%d·%d×%d: the first row depends on the others", m, k, k, n)
		}
	}
}

func normals(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// compare checks dst against a product that it computes in double precision.
func compare(t *testing.T, name string, dst []float32, m, n, k int, a []float32, strides [2]int, b []float32) {
	t.Helper()
	for i := range m {
		for j := range n {
			sum, size := 0.0, 1.0
			for l := range k {
				term := float64(a[i*strides[0]+l*strides[1]]) * float64(b[l*n+j])
				sum += term
				size += math.Abs(term)
			}
			if got := float64(dst[i*n+j]); !(math.Abs(got-sum) <= 1e-6*size) {
				t.Fatalf("%s: element %d, %d is %v, want %v", name, i, j, got, sum)
			}
		}
	}
}

func random(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

func BenchmarkAddRows(b *testing.B) {
	r := rand.New(rand.NewPCG(2, 1))
	for _, m := range []int{1, 2, 5, 20} {
		for _, n := range []int{33, 64} {
			x, y, dst := normals(r, m*64), normals(r, 64*n), make([]float64, m*n)
			b.Run(fmt.Sprintf("%d×64·64×%d", m, n), func(b *testing.B) {
				for b.Loop() {
					AddRows(dst, x, y, 64, n)
				}
				b.ReportMetric(2*float64(m*n*64)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFlop/s")
			})
		}
	}
}

func BenchmarkProduct(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	ways := []struct {
		name string
		way  func([]float32, int, int, int, []float32, int, int, []float32)
	}{{"chosen", product}, {"blas", throughBLAS}}
	for _, w := range ways {
		for _, m := range []int{1, 4, 128} {
			const n = 128
			x, y, dst := random(r, m*n), random(r, n*n), make([]float32, m*n)
			b.Run(fmt.Sprintf("%s/rows=%d", w.name, m), func(b *testing.B) {
				for b.Loop() {
					w.way(dst, m, n, n, x, n, 1, y)
				}
				b.ReportMetric(2*float64(m*n*n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFlop/s")
			})
		}
	}
}
