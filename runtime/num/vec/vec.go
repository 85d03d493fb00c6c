// Package vec computes with whole columns of numbers: arithmetic, roots, exponentials, logarithms and sums. Each kernel exists in
// AVX-512, in AVX2 with FMA, and in portable Go; the best that the processor has is chosen once.
//
// In every kernel dst, the result, is the first argument, and may be the same column as another argument. Columns of different
// lengths cause a panic. NaN, infinities, subnormals and signed zeros give the results that package math documents. (On amd64,
// package math itself has wrong values for log of subnormals and for exp near overflow; this package has the right ones.) The result
// for an element does not depend on its position in the column. Arithmetic, square roots and Sum give the same bits on every
// instruction set; other functions differ in the last place. The largest errors in a million random and hard arguments, in units in
// the last place (the portable kernels call package math):
//
//	            Exp   Log   Expm1  Log1p  Erf   Exp32  Log32
//	AVX-512     1.00  0.87  1.28   0.90   1.30  1.00   0.94
//	AVX2        1.00  0.86  1.28   0.87   1.30  1.00   0.86
//	portable    1.76  0.84  0.83   0.82   0.91  0.50   0.50
//
// The vector kernels of the normal distribution and of log(1 - exp(x)) have relative errors below 4·2⁻⁵²; their portable ones are the
// functions with which the compiler evaluates these operators. The vector kernel of x^y has an error of at most 1.5 + |y·log(x)|/4 units in the
// last place.
package vec

//go:generate go run asm/main.go asm/maps.go asm/writer.go asm/sum.go asm/passage.go asm/dispatch.go asm/scalar.go asm/hoist.go -out kernels_amd64.s -stubs stubs_amd64.go -pkg vec -dispatch dispatch_amd64.go

// match panics if columns differ in length.
func match[T any](dst []T, columns ...[]T) {
	for _, c := range columns {
		if len(c) != len(dst) {
			panic("vec: columns differ in length")
		}
	}
}

// Add sets dst = x + y.
func Add(dst, x, y []float64) {
	match(dst, x, y)
	add(dst, x, y)
}

// Sub sets dst = x - y.
func Sub(dst, x, y []float64) {
	match(dst, x, y)
	sub(dst, x, y)
}

// Mul sets dst = x·y.
func Mul(dst, x, y []float64) {
	match(dst, x, y)
	mul(dst, x, y)
}

// Div sets dst = x/y.
func Div(dst, x, y []float64) {
	match(dst, x, y)
	div(dst, x, y)
}

// FMA sets dst = x·y + z, rounded once.
func FMA(dst, x, y, z []float64) {
	match(dst, x, y, z)
	fma(dst, x, y, z)
}

// Min sets dst = math.Min(x, y).
func Min(dst, x, y []float64) {
	match(dst, x, y)
	minimum(dst, x, y)
}

// Max sets dst = math.Max(x, y).
func Max(dst, x, y []float64) {
	match(dst, x, y)
	maximum(dst, x, y)
}

// AddScalar sets dst = x + c; x - c is AddScalar with -c.
func AddScalar(dst, x []float64, c float64) {
	match(dst, x)
	addScalar(dst, x, c)
}

// MulScalar sets dst = x·c.
func MulScalar(dst, x []float64, c float64) {
	match(dst, x)
	mulScalar(dst, x, c)
}

// ScalarDiv sets dst = c/x.
func ScalarDiv(dst, x []float64, c float64) {
	match(dst, x)
	scalarDiv(dst, x, c)
}

// Square sets dst = x².
func Square(dst, x []float64) {
	match(dst, x)
	square(dst, x)
}

// Abs sets dst = |x|.
func Abs(dst, x []float64) {
	match(dst, x)
	abs(dst, x)
}

// Neg sets dst = -x.
func Neg(dst, x []float64) {
	match(dst, x)
	neg(dst, x)
}

// Sqrt sets dst = √x, correctly rounded.
func Sqrt(dst, x []float64) {
	match(dst, x)
	sqrt(dst, x)
}

// Exp sets dst = exp(x).
func Exp(dst, x []float64) {
	match(dst, x)
	exp(dst, x)
}

// Log sets dst = log(x).
func Log(dst, x []float64) {
	match(dst, x)
	log(dst, x)
}

// Pow sets dst = x^y, with the special cases of math.Pow.
func Pow(dst, x, y []float64) {
	match(dst, x, y)
	pow(dst, x, y)
}

// Expm1 sets dst = exp(x) - 1.
func Expm1(dst, x []float64) {
	match(dst, x)
	expm1(dst, x)
}

// Log1p sets dst = log(1 + x).
func Log1p(dst, x []float64) {
	match(dst, x)
	log1p(dst, x)
}

// Sin sets dst = sin(x). For x beyond ±2⁴⁵ the vector kernels set it to the sine of ±2⁴⁵.
func Sin(dst, x []float64) {
	match(dst, x)
	sin(dst, x)
}

// Cos sets dst = cos(x). For x beyond ±2⁴⁵ the vector kernels set it to the cosine of 2⁴⁵.
func Cos(dst, x []float64) {
	match(dst, x)
	cos(dst, x)
}

// Erf sets dst = erf(x).
func Erf(dst, x []float64) {
	match(dst, x)
	erf(dst, x)
}

// NormCDF sets dst = Φ(x), the standard normal distribution function.
func NormCDF(dst, x []float64) {
	match(dst, x)
	normCDF(dst, x)
}

// LogNormCDF sets dst = log Φ(x), without underflow.
func LogNormCDF(dst, x []float64) {
	match(dst, x)
	logNormCDF(dst, x)
}

// LogNormCDFAt returns log Φ(x), without underflow, and the same bits on every processor.
func LogNormCDFAt(x float64) float64 { return lognormcdf(x) }

// InverseMills sets dst = φ(x)/Φ(x), the derivative of log Φ, without underflow.
func InverseMills(dst, x []float64) {
	match(dst, x)
	inverseMills(dst, x)
}

// Log1mExp sets dst = log(1 - exp(x)); it is NaN where x > 0.
func Log1mExp(dst, x []float64) {
	match(dst, x)
	log1mExp(dst, x)
}

// LogAddExp sets dst = log(exp(x) + exp(y)), without overflow.
func LogAddExp(dst, x, y []float64) {
	match(dst, x, y)
	logAddExp(dst, x, y)
}

// Less sets dst to 1 where x < y, and to 0 elsewhere, also if x or y is NaN.
func Less(dst, x, y []float64) {
	match(dst, x, y)
	less(dst, x, y)
}

// LessEqual sets dst to 1 where x <= y, and to 0 elsewhere, also if x or y is NaN.
func LessEqual(dst, x, y []float64) {
	match(dst, x, y)
	lessEqual(dst, x, y)
}

// Choose sets dst = y where x is not 0, and dst = z where x is 0.
func Choose(dst, x, y, z []float64) {
	match(dst, x, y, z)
	choose(dst, x, y, z)
}

// Sum returns Σ x. Element i is added to partial sum i%32; the 32 partial sums are then added pairwise.
func Sum(x []float64) float64 { return sum(x) }

// SquaredDistance returns Σ (x-y)², added up as Sum does.
func SquaredDistance(x, y []float64) float64 {
	match(x, y)
	return squaredDistance(x, y)
}
