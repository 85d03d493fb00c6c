package pass

import (
	"math"

	"likc/compiler/expr"
	"likc/compiler/ir"
)

// maxPower is the largest whole exponent whose power is written as products.
const maxPower = 64

// leastRoot is the highest of the roots, 2nd, 4th, 8th, …, that are written as repeated square roots.
const leastRoot = 32

// Strength replaces slow operators by faster ones. Powers with exponents such as 3, 1/2 or 3/4 become products and square
// roots. In the Body, a division by a scalar becomes a product. Divisions by the same value share its reciprocal.
func Strength(p *ir.Program) *ir.Program {
	facts := ir.Analyse(p)
	reciprocals := inverted(p)
	i := -1
	var perTrial tracker
	return p.Rewrite(func(b *ir.Builder, v ir.Value, args []ir.ID) ir.ID {
		i++
		if v.Kind != ir.Apply {
			return overTrials(b, &perTrial, v, args)
		}
		switch {
		case v.Op == expr.Pow:
			if n := b.Value(args[1]); n.Kind == ir.Const {
				if id, ok := constantPower(b, args[0], n.Num); ok {
					return id
				}
			}
		case v.Op == expr.Div && cheapReciprocal(p, facts, reciprocals, ir.ID(i)):
			return b.Apply(expr.Mul, args[0], b.Apply(expr.Inv, args[1]))
		}
		return b.Add(v, args...)
	})
}

// overTrials adds a value that is no operator. If the argument of a sum or minimum over trials no longer depends on trials,
// because x^0 has become 1, the sum is the argument times N, and the minimum is the argument.
func overTrials(b *ir.Builder, perTrial *tracker, v ir.Value, args []ir.ID) ir.ID {
	summed := v.Kind == ir.Total || v.Kind == ir.Least
	if !summed || perTrial.includes(b, args[0]) || b.Value(args[0]).Kind == ir.Const {
		return b.Add(v, args...)
	}
	if v.Kind == ir.Least {
		return args[0]
	}
	return b.Apply(expr.Mul, args[0], b.Add(v, b.Num(1)))
}

// inverted returns the number of divisions by each value. A reciprocal in the program counts twice, because divisions can use
// it at no cost.
func inverted(p *ir.Program) []int {
	n := make([]int, len(p.Values))
	for _, v := range p.Values {
		switch {
		case v.Kind == ir.Apply && v.Op == expr.Inv:
			n[v.Args[0]] += 2
		case v.Kind == ir.Apply && v.Op == expr.Div:
			n[v.Args[1]]++
		}
	}
	return n
}

// cheapReciprocal reports whether the division id is cheaper as a product with the divisor's reciprocal. It is if another value
// uses the reciprocal too, or if the reciprocal is computed outside the loop.
func cheapReciprocal(p *ir.Program, facts ir.Facts, reciprocals []int, id ir.ID) bool {
	divisor := p.Values[id].Args[1]
	outside := facts.Stage[id] == ir.Body && facts.Stage[divisor] == ir.Prologue
	return reciprocals[divisor] > 1 || outside
}

// constantPower returns x^n, written with products, square roots and a reciprocal, or false for other exponents. Nested roots
// are simplified to such exponents, and assembly has no other powers.
func constantPower(b *ir.Builder, x ir.ID, n float64) (ir.ID, bool) {
	m := math.Abs(n)
	whole, part := math.Modf(m)
	switch {
	case n == 0:
		return b.Num(1), true
	case m > maxPower || part != math.Trunc(part*leastRoot)/leastRoot:
		return 0, false
	}
	var factors []ir.ID
	if whole > 0 {
		factors = append(factors, wholePower(b, x, int(whole)))
	}
	for root := x; part > 0; {
		root, part = b.Apply(expr.Sqrt, root), 2*part
		if part >= 1 {
			factors, part = append(factors, root), part-1
		}
	}
	y := factors[0]
	for _, f := range factors[1:] {
		y = b.Apply(expr.Mul, y, f)
	}
	if n < 0 {
		y = b.Apply(expr.Inv, y)
	}
	return y, true
}

// wholePower adds x^n by repeated squaring.
func wholePower(b *ir.Builder, x ir.ID, n int) ir.ID {
	switch {
	case n == 1:
		return x
	case n%2 == 0:
		return b.Apply(expr.Square, wholePower(b, x, n/2))
	}
	return b.Apply(expr.Mul, wholePower(b, x, n-1), x)
}
