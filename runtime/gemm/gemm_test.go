package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
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

func TestAddRow(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for range 300 {
		n, k := 1+r.IntN(140), 1+r.IntN(70)
		x, b, got := normals(r, k), normals(r, k*n), append(normals(r, n), 7)
		want := append([]float64(nil), got...)
		for j, v := range x {
			for c := range n {
				want[c] += v * b[j*n+c]
			}
		}
		AddRow(got[:n], x, b)
		for c := range want {
			if math.Abs(got[c]-want[c]) > 1e-13*float64(k+1) {
				t.Fatalf("%d×%d: column %d is %v, want %v", k, n, c, got[c], want[c])
			}
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

// compare computes the product in double precision.
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

func BenchmarkAddRow(b *testing.B) {
	r := rand.New(rand.NewPCG(2, 1))
	x, y, dst := normals(r, 64), normals(r, 64*64), make([]float64, 64)
	for name, way := range map[string]func(dst, x, b []float64){"chosen": addRow, "portable": portableRow} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				way(dst, x, y)
			}
		})
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
