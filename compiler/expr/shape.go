package expr

// Shape says what kind of function of one parameter ψ a term is. From it the compiler decides whether a table of sums of such
// terms can be trusted between the points at which it was computed.
type Shape uint8

// Shapes, from the simplest.
const (
	Flat        Shape = iota // constant: ψ does not occur
	Linear                   // a polynomial of degree 1 in ψ
	Algebraic                // sums and products of ψ, and of powers and logarithms of expressions that are positive within the support; singular only at its edge
	Exponential              // sums of exp(linear), which are monotone or convex, so that large values are seen at the ends of the range
	Irregular                // anything else
)

func sameShape(x [3]Shape, _ func(int) bool) Shape { return x[0] }

func sumShape(x [3]Shape, _ func(int) bool) Shape {
	if high, low := max(x[0], x[1]), min(x[0], x[1]); high != Exponential || low == Flat || low == Exponential {
		return high
	}
	return Irregular
}

func productShape(x [3]Shape, _ func(int) bool) Shape { return x[0].times(x[1]) }

func squareShape(x [3]Shape, _ func(int) bool) Shape { return x[0].times(x[0]) }

func expShape(x [3]Shape, _ func(int) bool) Shape {
	if x[0] == Linear {
		return Exponential
	}
	return Irregular
}

// rootShape returns the shape of powers and logarithms.
func rootShape(_ [3]Shape, positive func(int) bool) Shape {
	if positive(0) {
		return Algebraic
	}
	return Irregular
}

func quotientShape(x [3]Shape, positive func(int) bool) Shape {
	if x[1] == Flat {
		return x[0]
	}
	return x[0].times(rootShape(x, func(int) bool { return positive(1) }))
}

func (a Shape) times(b Shape) Shape {
	switch high, low := max(a, b), min(a, b); {
	case low == Flat:
		return high
	case high <= Algebraic:
		return Algebraic
	case low == Exponential && high == Exponential:
		return Exponential
	}
	return Irregular
}
