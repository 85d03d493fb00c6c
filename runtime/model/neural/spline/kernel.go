package spline

import "math"

//go:generate go run ./asm -out kernel_amd64.s -stubs kernel_amd64.go -pkg spline

// binNumbers holds the numbers of a curve and of one of its bins that a kernel needs. Kernels rely on their order.
type binNumbers struct {
	t, end      float64 // the decision time rt-t at the bin's end
	alpha, beta float64 // u = alpha·√(rt-t) - beta/√(rt-t)
	piece
}

// lanes is the largest number of trials that a kernel takes at once.
const lanes = 8

// totals are sums over trials. Kernels rely on the order of fields. They set the sums of a bin, and add to all other sums, which are
// partial sums, one for each lane; finish adds these up.
type totals struct {
	bin struct {
		moments
		tau float64 // derivative with respect to τ
	}
	_                    [7][lanes]float64 // room for kernels
	squares, alpha, beta [lanes]float64    // sum of S², and its derivatives in alpha and beta
	// The product of S'·u' over trials: a mantissa from 1 to 2, and the exponent of 2.
	product  [lanes]float64
	exponent [lanes]int64
}

func (g *totals) clear() {
	*g = totals{}
	for i := range g.product {
		g.product[i] = 1
	}
}

// add adds a trial with S, S'·u' and the derivatives with respect to alpha and beta.
func (g *totals) add(y, slope, dAlpha, dBeta float64) {
	g.squares[0] += y * y
	g.alpha[0] += dAlpha
	g.beta[0] += dBeta
	g.times(slope)
}

// times multiplies the product by a positive number from 1e-100 to 1e100. If the curve holds, all factors are in this range.
func (g *totals) times(x float64) {
	bits := math.Float64bits(g.product[0] * x)
	g.exponent[0] += int64(bits>>52) - 1023
	g.product[0] = math.Float64frombits(bits&(1<<52-1) | 1023<<52)
}

// finish adds the derivatives with respect to alpha and beta to s. It returns the sum of squares and the logarithm of the product.
func (g *totals) finish(s *Sums) (squares, log float64) {
	product, exponent := 1.0, int64(0)
	for i := range lanes {
		squares += g.squares[i]
		s.alpha += g.alpha[i]
		s.beta += g.beta[i]
		product *= g.product[i]
		exponent += g.exponent[i]
	}
	return squares, math.Log(product) + float64(exponent)*math.Ln2
}

// portableBin adds the trials of a bin and returns their number. rt is in ascending order and begins with the bin's first trial.
// Kernels in assembly differ only in rounding: sums agree to 1e-11 of the sum of the absolute terms.
func portableBin(b *binNumbers, g *totals, rt []float64) (taken int) {
	c := Curve{alpha: b.alpha, beta: b.beta}
	g.bin.moments, g.bin.tau = moments{}, 0
	for _, x := range rt {
		tau := x - b.t
		if !(tau < b.end) {
			break
		}
		taken++
		root := math.Sqrt(tau)
		over := 1 / root
		y, slope, du := b.piece.add(&g.bin.moments, b.alpha*root-b.beta*over)
		rise, d, dAlpha, dBeta := c.axis(root, over, du)
		g.add(y, slope*rise, dAlpha, dBeta)
		g.bin.tau += d
	}
	return taken
}
