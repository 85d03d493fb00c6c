package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"likc/runtime/num/isa"
)

// benchmark measures a kernel on every instruction set, in ns per element, for columns that fit in the L1 cache, in the
// L2 cache and in memory. "loop" is a plain Go loop, for comparison.
func benchmark(b *testing.B, run, loop func(dst, x []float64)) {
	for _, n := range []int{256, 4096, 1000000} {
		rng := rand.New(rand.NewPCG(1, 2))
		x, dst := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = math.Exp(rng.NormFloat64())
		}
		timed := func(name string, f func(dst, x []float64)) {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for range b.N {
					f(dst, x)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
			})
		}
		timed("loop", loop)
		for level := isa.AVX2; level <= isa.Best(); level++ {
			restore := Use(level)
			timed(level.String(), run)
			restore()
		}
	}
}

func looped(f func(float64) float64) func(dst, x []float64) {
	return func(dst, x []float64) {
		for i, v := range x {
			dst[i] = f(v)
		}
	}
}

func BenchmarkExp(b *testing.B) {
	benchmark(b, Exp, func(dst, x []float64) {
		for i, v := range x {
			dst[i] = math.Exp(v)
		}
	})
}

func BenchmarkLog(b *testing.B) {
	benchmark(b, Log, func(dst, x []float64) {
		for i, v := range x {
			dst[i] = math.Log(v)
		}
	})
}

func BenchmarkExpm1(b *testing.B) { benchmark(b, Expm1, looped(math.Expm1)) }

func BenchmarkLog1p(b *testing.B) { benchmark(b, Log1p, looped(math.Log1p)) }

func BenchmarkErf(b *testing.B) { benchmark(b, Erf, looped(math.Erf)) }

func BenchmarkSqrt(b *testing.B) { benchmark(b, Sqrt, sqrtPortable) }

func BenchmarkAdd(b *testing.B) {
	benchmark(b, func(dst, x []float64) { Add(dst, x, dst) }, func(dst, x []float64) { addPortable(dst, x, dst) })
}

func BenchmarkScalarDiv(b *testing.B) {
	benchmark(b, func(dst, x []float64) { ScalarDiv(dst, x, 1) }, func(dst, x []float64) { scalarDivPortable(dst, x, 1) })
}

func BenchmarkSum(b *testing.B) {
	total := 0.0
	benchmark(b, func(_, x []float64) { total += Sum(x) }, func(_, x []float64) {
		s := 0.0
		for _, v := range x {
			s += v
		}
		total += s
	})
}

func BenchmarkSumPortable(b *testing.B) {
	x := make([]float64, 4096)
	total := 0.0
	for range b.N {
		total += sumPortable(x)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4096, "ns/element")
}

func BenchmarkExp32(b *testing.B) { benchmark32(b, Exp32, expPortable[float32]) }

func BenchmarkLog32(b *testing.B) { benchmark32(b, Log32, logPortable[float32]) }

func benchmark32(b *testing.B, run, loop func(dst, x []float32)) {
	x, dst := make([]float32, 4096), make([]float32, 4096)
	for i := range x {
		x[i] = float32(i+1) / 500
	}
	timed := func(name string, f func(dst, x []float32)) {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				f(dst, x)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4096, "ns/element")
		})
	}
	timed("loop", loop)
	timed(isa.Best().String(), run)
}

func BenchmarkPow(b *testing.B) {
	power := func(dst, x []float64) { Pow(dst, x, x) }
	benchmark(b, power, looped(func(x float64) float64 { return math.Pow(x, x) }))
}

func BenchmarkSin(b *testing.B) { benchmark(b, Sin, looped(math.Sin)) }
