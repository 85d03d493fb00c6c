package vec

// The kernels named …32 do the same as those without 32, on columns of float32.

// Add32 sets dst = x + y.
func Add32(dst, x, y []float32) {
	match(dst, x, y)
	add32(dst, x, y)
}

// Sub32 sets dst = x - y.
func Sub32(dst, x, y []float32) {
	match(dst, x, y)
	sub32(dst, x, y)
}

// Mul32 sets dst = x·y.
func Mul32(dst, x, y []float32) {
	match(dst, x, y)
	mul32(dst, x, y)
}

// Div32 sets dst = x/y.
func Div32(dst, x, y []float32) {
	match(dst, x, y)
	div32(dst, x, y)
}

// AddScalar32 sets dst = x + c.
func AddScalar32(dst, x []float32, c float32) {
	match(dst, x)
	addScalar32(dst, x, c)
}

// MulScalar32 sets dst = x·c.
func MulScalar32(dst, x []float32, c float32) {
	match(dst, x)
	mulScalar32(dst, x, c)
}

// ScalarDiv32 sets dst = c/x.
func ScalarDiv32(dst, x []float32, c float32) {
	match(dst, x)
	scalarDiv32(dst, x, c)
}

// Square32 sets dst = x².
func Square32(dst, x []float32) {
	match(dst, x)
	square32(dst, x)
}

// Sqrt32 sets dst = √x, correctly rounded.
func Sqrt32(dst, x []float32) {
	match(dst, x)
	sqrt32(dst, x)
}

// Exp32 sets dst = exp(x).
func Exp32(dst, x []float32) {
	match(dst, x)
	exp32(dst, x)
}

// Log32 sets dst = log(x).
func Log32(dst, x []float32) {
	match(dst, x)
	log32(dst, x)
}

// SquaredDistance32 returns Σ (x-y)², added up as Sum does. Differences and sums are computed in float64.
func SquaredDistance32(x, y []float32) float64 {
	match(x, y)
	return squaredDistance32(x, y)
}

// Sum32 returns Σ x in float64, added up as Sum does.
func Sum32(x []float32) float64 { return sum32(x) }
