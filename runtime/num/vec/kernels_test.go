package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"likc/compiler/expr"
	"likc/runtime/num/isa"
)

// kernel is one function of the package, with the function that it must compute for each element. Exact
// kernels must give the same bits; the other kernels may differ by ulps.
type kernel[T float] struct {
	name    string
	columns int
	exact   bool
	run     func(dst []T, in [][]T, c T)
	element func(in []T, c T) T
	ulps    float64 // largest error of an inexact kernel; 0 means two ulp, and the same sign of zero
	small   float64 // largest absolute error where terms cancel
}

type (
	kernel64 = kernel[float64]
	kernel32 = kernel[float32]
)

func unary(name string, exact bool, run func(dst, x []float64), f func(float64) float64) kernel64 {
	return kernel64{name, 1, exact,
		func(dst []float64, in [][]float64, _ float64) { run(dst, in[0]) },
		func(in []float64, _ float64) float64 { return f(in[0]) }, 0, 0}
}

func unary32(name string, exact bool, run func(dst, x []float32), f func(float64) float64) kernel32 {
	return kernel32{name, 1, exact,
		func(dst []float32, in [][]float32, _ float32) { run(dst, in[0]) },
		func(in []float32, _ float32) float32 { return float32(f(float64(in[0]))) }, 0, 0}
}

func binary[T float](name string, run func(dst, x, y []T), f func(x, y T) T) kernel[T] {
	return kernel[T]{name, 2, true,
		func(dst []T, in [][]T, _ T) { run(dst, in[0], in[1]) },
		func(in []T, _ T) T { return f(in[0], in[1]) }, 0, 0}
}

func scalar[T float](name string, run func(dst, x []T, c T), f func(x, c T) T) kernel[T] {
	return kernel[T]{name, 1, true,
		func(dst []T, in [][]T, c T) { run(dst, in[0], c) },
		func(in []T, c T) T { return f(in[0], c) }, 0, 0}
}

// trueExp returns exp(x), also where math.Exp overflows too early on amd64.
func trueExp(x float64) float64 {
	if x > 700 && x < 720 {
		y, _ := bigExp(x).Float64()
		return y
	}
	return math.Exp(x)
}

// trueLog returns log(x), also for subnormal numbers, for which math.Log is wrong on amd64.
func trueLog(x float64) float64 {
	if x > 0 && x < 1e-300 {
		y, _ := bigLog(exact(x), roughLog(x)).Float64()
		return y
	}
	return math.Log(x)
}

func plus[T float](x, y T) T  { return x + y }
func minus[T float](x, y T) T { return x - y }
func times[T float](x, y T) T { return x * y }
func over[T float](x, y T) T  { return x / y }

var kernels = []kernel64{
	binary("Add", Add, plus), binary("Sub", Sub, minus), binary("Mul", Mul, times), binary("Div", Div, over),
	binary("Min", Min, math.Min), binary("Max", Max, math.Max),
	{"FMA", 3, true,
		func(dst []float64, in [][]float64, _ float64) { FMA(dst, in[0], in[1], in[2]) },
		func(in []float64, _ float64) float64 { return math.FMA(in[0], in[1], in[2]) }, 0, 0},
	scalar("AddScalar", AddScalar, plus), scalar("MulScalar", MulScalar, times),
	scalar("ScalarDiv", ScalarDiv, func(x, c float64) float64 { return c / x }),
	unary("Square", true, Square, func(x float64) float64 { return x * x }),
	unary("Abs", true, Abs, math.Abs), unary("Neg", true, Neg, func(x float64) float64 { return -x }),
	unary("Sqrt", true, Sqrt, math.Sqrt),
	unary("Exp", false, Exp, trueExp), unary("Log", false, Log, trueLog),
	{"Pow", 2, false,
		func(dst []float64, in [][]float64, _ float64) { Pow(dst, in[0], in[1]) },
		func(in []float64, _ float64) float64 { return truePow(in[0], in[1]) }, 700, 0x1p-1073},
	unary("Expm1", false, Expm1, math.Expm1), unary("Log1p", false, Log1p, math.Log1p),
	turned("Sin", Sin, math.Sin), turned("Cos", Cos, math.Cos),
	unary("Erf", false, Erf, math.Erf),
	scalarOf("LogNormCDF", LogNormCDF, expr.LogNormCDF, 8), scalarOf("InverseMills", InverseMills, expr.InverseMills, 8),
	scalarOf("NormCDF", NormCDF, expr.NormCDF, 4000), // the scalar function has an error of up to x² ulp, for x down to -38
	{"Log1mExp", 1, false,
		func(dst []float64, in [][]float64, _ float64) { Log1mExp(dst, in[0]) },
		func(in []float64, _ float64) float64 {
			if in[0] < 0 && in[0] > -1e-300 {
				return trueLog(-in[0])
			}
			return valueOf(expr.Log1mExp, in)
		}, 4, 0},
	{"LogAddExp", 2, false,
		func(dst []float64, in [][]float64, _ float64) { LogAddExp(dst, in[0], in[1]) },
		func(in []float64, _ float64) float64 { return valueOf(expr.LogAddExp, in) }, 4, 0x1p-52},
	binary("Less", Less, func(x, y float64) float64 { return valueOf(expr.Less, []float64{x, y}) }),
	binary("LessEqual", LessEqual, func(x, y float64) float64 { return valueOf(expr.LessEqual, []float64{x, y}) }),
	{"Choose", 3, true,
		func(dst []float64, in [][]float64, _ float64) { Choose(dst, in[0], in[1], in[2]) },
		func(in []float64, _ float64) float64 { return valueOf(expr.If, in) }, 0, 0},
}

// scalarOf returns a kernel that is compared with the function with which the compiler evaluates the operator op.
func scalarOf(name string, run func(dst, x []float64), op expr.Op, ulps float64) kernel64 {
	k := unary(name, false, run, func(x float64) float64 { return valueOf(op, []float64{x}) })
	k.ulps = ulps
	return k
}

// turned returns the kernel of a sine or cosine, which has the value of ±2^45 beyond these. Near multiples of π/2, package math has an absolute
// error of some 2^-60, but a kernel does not: see TestAccuracy.
func turned(name string, run func(dst, x []float64), f func(float64) float64) kernel64 {
	k := unary(name, false, run, func(x float64) float64 {
		if active == isa.Portable || math.IsInf(x, 0) {
			return f(x)
		}
		return f(max(-0x1p45, min(x, 0x1p45)))
	})
	k.ulps, k.small = 2, 0x1p-53
	return k
}

func valueOf(op expr.Op, in []float64) float64 {
	var x [3]float64
	copy(x[:], in)
	return op.Info().Eval(x)
}

var kernels32 = []kernel32{
	binary("Add32", Add32, plus), binary("Sub32", Sub32, minus), binary("Mul32", Mul32, times), binary("Div32", Div32, over),
	scalar("AddScalar32", AddScalar32, plus), scalar("MulScalar32", MulScalar32, times),
	scalar("ScalarDiv32", ScalarDiv32, func(x, c float32) float32 { return c / x }),
	unary32("Square32", true, Square32, func(x float64) float64 { return x * x }),
	unary32("Sqrt32", true, Sqrt32, math.Sqrt),
	unary32("Exp32", false, Exp32, math.Exp), unary32("Log32", false, Log32, math.Log),
}

// eachISA runs a test with every instruction set that this machine has, and skips the other sets by name.
func eachISA(t *testing.T, test func(t *testing.T)) {
	for level := isa.Portable; level <= isa.AVX512; level++ {
		t.Run(level.String(), func(t *testing.T) {
			if level > isa.Best() {
				t.Skipf("no %v here", level)
			}
			defer Use(level)()
			test(t)
		})
	}
}

// specials are the ends of domains, zeros, infinities and NaN.
var specials = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 2, 3, -7.25, 1e-300, -1e-300, 1e300, -1e300,
	math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64,
	math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 0x1p-1022, -0x1p-1022, 0x1.fffffffffffffp-1023, 0x1p-1050,
	math.Nextafter(1, 0), math.Nextafter(1, 2), math.Nextafter(-1, 0), math.Nextafter(-1, -2),
	0x1p-54, -0x1p-54, 0x1p-53, -0x1p-60, 0x1p53, 0x1p60, 36.7, -36.7, -37.5, -745.2, -746, -708.4, -740, 709.78, 709.79, 800, -800,
	88.7, 88.8, -87.4, -103.9, -104.1, 0x1p-126, 0x1p-140, 0x1p-149, math.MaxFloat32,
}

func fill[T float](x []T, rng *rand.Rand) {
	for i := range x {
		if rng.IntN(3) == 0 {
			x[i] = T(specials[rng.IntN(len(specials))])
		} else {
			x[i] = T(rng.NormFloat64() * math.Exp(3*rng.NormFloat64()))
		}
	}
}

// agree compares two results; inexact results may differ by two ulp of T.
func agree[T float](got, want T, exact bool) bool {
	if want != want {
		return got != got
	}
	if got == want {
		return math.Signbit(float64(got)) == math.Signbit(float64(want))
	}
	return !exact && near(got, want, 2)
}

// near reports whether two finite results other than zero differ by at most the given number of ulp of T.
func near[T float](got, want T, ulps float64) bool {
	if math.IsInf(float64(want), 0) || math.IsInf(float64(got), 0) || want == 0 {
		return false
	}
	return math.Abs(float64(got)-float64(want)) <= ulps*ulp[T](float64(want))
}

// right reports whether a kernel may return got where the exact result is want.
func (k kernel[T]) right(got, want T) bool {
	if k.ulps == 0 {
		return agree(got, want, k.exact)
	}
	if math.Abs(float64(want)) > 1.7e308 && math.IsInf(float64(got), 0) { // an overflow is allowed so near the largest number
		return got > 0 == (want > 0)
	}
	return got == want || got != got && want != want || near(got, want, k.ulps) || math.Abs(float64(got)-float64(want)) <= k.small
}

// ulp is the distance between neighbours of T at x.
func ulp[T float](x float64) float64 {
	_, e := math.Frexp(x)
	if T(1e-300) == 0 {
		return math.Ldexp(1, max(e-24, -149))
	}
	return math.Ldexp(1, max(e-53, -1074))
}

const guard = 12345.678

// checkKernel runs a kernel on columns of every length from 0 to 130, with varying alignments, and with guard words on both sides of every
// column.
func checkKernel[T float](t *testing.T, k kernel[T], inPlace bool) {
	rng := rand.New(rand.NewPCG(11, 13))
	for n := range 131 {
		before := 1 + n%9
		backing := make([][]T, k.columns+1)
		columns := make([][]T, k.columns+1)
		for i := range backing {
			backing[i] = slices.Repeat([]T{guard}, before+n+9)
			columns[i] = backing[i][before : before+n : before+n]
			fill(columns[i], rng)
		}
		in, dst := columns[1:], columns[0]
		c := T(specials[n%len(specials)])
		want := make([]T, n)
		for i := range want {
			arguments := make([]T, k.columns)
			for j := range in {
				arguments[j] = in[j][i]
			}
			want[i] = k.element(arguments, c)
		}
		if inPlace {
			dst = in[n%k.columns]
		}
		k.run(dst, in, c)
		for i := range want {
			if !k.right(dst[i], want[i]) {
				t.Fatalf("n = %d, element %d, c = %v: %v, want %v", n, i, c, dst[i], want[i])
			}
		}
		for _, b := range backing {
			for i, v := range b {
				if (i < before || i >= before+n) && v != guard {
					t.Fatalf("n = %d: wrote outside the column, at %d", n, i-before)
				}
			}
		}
	}
}

func TestKernels(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, k := range kernels {
			t.Run(k.name, func(t *testing.T) { checkKernel(t, k, false); checkKernel(t, k, true) })
		}
		for _, k := range kernels32 {
			t.Run(k.name, func(t *testing.T) { checkKernel(t, k, false); checkKernel(t, k, true) })
		}
	})
}

// TestSpecials tests all pairs of special values.
func TestSpecials(t *testing.T) {
	n := len(specials)
	x, y := make([]float64, 0, n*n), make([]float64, 0, n*n)
	for i := range n * n {
		x, y = append(x, specials[i/n]), append(y, specials[i%n])
	}
	dst := make([]float64, n*n)
	eachISA(t, func(t *testing.T) {
		for _, k := range kernels {
			for z := range specials {
				c := specials[z]
				column := slices.Repeat([]float64{c}, n*n)
				k.run(dst, [][]float64{x, y, column}[:k.columns], c)
				for i, got := range dst {
					if want := k.element([]float64{x[i], y[i], c}, c); !k.right(got, want) {
						t.Errorf("%s(%v, %v, %v) = %v, want %v", k.name, x[i], y[i], c, got, want)
					}
				}
				if k.columns < 3 && k.name[:3] != "Sca" && k.name[3:] != "Scalar" {
					break
				}
			}
		}
	})
}

// TestPositionDoesNotMatter checks that the result for an element does not depend on its position in the column.
func TestPositionDoesNotMatter(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, k := range kernels {
			if k.columns > 1 || k.exact {
				continue
			}
			rng := rand.New(rand.NewPCG(5, 6))
			for range 100 {
				v := rng.NormFloat64() * 5
				x := slices.Repeat([]float64{math.Abs(v)}, 1+rng.IntN(40))
				k.run(x, [][]float64{x}, 0)
				if !agree(slices.Max(x), slices.Min(x), true) {
					t.Fatalf("%s(%v) has two results: %v", k.name, v, x)
				}
			}
		}
	})
}

func TestLengthsMustMatch(t *testing.T) {
	short, long := make([]float64, 3), make([]float64, 4)
	for i, call := range []func(){
		func() { Exp(short, long) }, func() { Exp(long, short) }, func() { Add(long, long, short) },
		func() { FMA(long, long, long, short) }, func() { AddScalar(short, long, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("call %d does not panic", i)
				}
			}()
			call()
		}()
	}
}

func TestSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	x := make([]float64, 1000)
	for i := range x {
		x[i] = rng.NormFloat64() * math.Exp(5*rng.NormFloat64())
	}
	want := make([]float64, len(x))
	for n := range x {
		want[n] = sumPortable(x[:n])
		plain, abs := 0.0, 0.0
		for _, v := range x[:n] {
			plain += v
			abs += math.Abs(v)
		}
		if math.Abs(plain-want[n]) > 1e-13*abs {
			t.Fatalf("portable Sum of %d: %v, plain sum %v", n, want[n], plain)
		}
	}
	eachISA(t, func(t *testing.T) {
		for n := range x {
			if got := Sum(x[:n:n]); got != want[n] {
				t.Fatalf("Sum of %d = %v, portable %v", n, got, want[n])
			}
		}
		for at, v := range []float64{math.Inf(1), math.NaN(), math.Inf(-1)} {
			y := slices.Clone(x[:77])
			y[70-20*at] = v
			if got := Sum(y); !agree(got, v, true) {
				t.Errorf("Sum with %v = %v", v, got)
			}
		}
	})
}

// TestSquaredDistance checks that every instruction set gives the same bits, and that they agree with a plain sum up to rounding, for
// lengths up to more than two blocks of partial sums.
func TestSquaredDistance(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 19))
	var x, y [200]float64
	var x32, y32 [200]float32
	for i := range x {
		x[i], y[i] = rng.NormFloat64(), rng.NormFloat64()*100
		x32[i], y32[i] = float32(x[i]), float32(y[i])
	}
	for n := range x {
		plain, plain32 := 0.0, 0.0
		for i := range n {
			plain += (x[i] - y[i]) * (x[i] - y[i])
			plain32 += math.Pow(float64(x32[i])-float64(y32[i]), 2)
		}
		want, want32 := squaredDistancePortable(x[:n], y[:n]), squaredDistancePortable(x32[:n], y32[:n])
		if math.Abs(want-plain) > 1e-13*plain || math.Abs(want32-plain32) > 1e-13*plain32 {
			t.Fatalf("of %d: %v and %v, plain sums %v and %v", n, want, want32, plain, plain32)
		}
		eachISA(t, func(t *testing.T) {
			if got := SquaredDistance(x[:n:n], y[:n:n]); got != want {
				t.Fatalf("of %d: %v, portable %v", n, got, want)
			}
			if got, want := Sum32(y32[:n:n]), sumPortable(y32[:n]); got != want {
				t.Fatalf("Sum32 of %d: %v, portable %v", n, got, want)
			}
			if got := SquaredDistance32(x32[:n:n], y32[:n:n]); got != want32 {
				t.Fatalf("float32, of %d: %v, portable %v", n, got, want32)
			}
		})
	}
	eachISA(t, func(t *testing.T) {
		y := x
		y[77] = math.Inf(1)
		if got := SquaredDistance(x[:], y[:]); !math.IsInf(got, 1) {
			t.Errorf("with an infinity: %v", got)
		}
		z := x32
		z[199] = math.MaxFloat32
		if got := SquaredDistance32(x32[:199], z[:199]); math.IsInf(SquaredDistance32(x32[:], z[:]), 0) || got != 0 {
			t.Errorf("a large float32 overflows, or %v is not zero", got)
		}
	})
}

func TestNoAllocations(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		var total float64
		allocations := testing.AllocsPerRun(50, func() {
			var x, y [37]float64
			Exp(x[:], y[:])
			Add(x[:], x[:], y[:])
			total += Sum(x[:]) + SquaredDistance(x[:], y[:])
		})
		if allocations != 0 {
			t.Errorf("%v allocations", allocations)
		}
	})
}

func ExampleExp() {
	rt := []float64{0, 1, 2}
	Exp(rt, rt)
	fmt.Printf("%.4f\n", rt)
	// Output: [1.0000 2.7183 7.3891]
}
