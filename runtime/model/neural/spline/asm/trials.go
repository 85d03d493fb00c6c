package main

// trials emits code that adds a register of trials, one in each lane, to the sums.
func (k *kernel) trials(tau vector) {
	root := k.Sqrt(tau)
	overRoot := k.Div(k.Set(1), root)
	u := k.FNMA(k.number("beta"), overRoot, k.Mul(k.number("alpha"), root))
	xi := k.Mul(k.Sub(u, k.number("x")), k.number("over"))
	zero := k.Vec()
	k.ctx.VXORPD(zero, zero, zero)
	low, clamped := k.Vec(), k.Vec()
	k.ctx.VMAXPD(xi, zero, low)
	k.ctx.VMINPD(low, k.Set(1), clamped)
	k.atXi(clamped, root, overRoot)
}

// atXi emits the part of trials that follows once ξ is known.
func (k *kernel) atXi(xi, root, overRoot vector) {
	rest := k.Sub(k.Set(1), xi)
	q := k.Mul(xi, rest)
	d := k.FMA(k.number("bend"), q, k.number("s"))
	twiceSlope := k.Mul(k.number("s"), q)
	a := k.FMA(k.number("d1"), k.Mul(xi, xi), k.FMA(k.number("d0"), k.Mul(rest, rest), k.Add(twiceSlope, twiceSlope)))
	overTau := k.Mul(overRoot, overRoot)
	sum := k.FMA(k.number("beta"), overTau, k.number("alpha"))
	both := k.Mul(d, a)
	inverse := k.Div(k.Set(1), k.Mul(both, sum)) // one division instead of three, because divisions are slow
	overD, overA := k.Mul(inverse, sum), k.Mul(inverse, sum)
	overD, overA = k.Mul(overD, a), k.Mul(overA, d)
	slope := k.Mul(k.Mul(k.number("squareS"), a), k.Mul(overD, overD))
	rise := k.Mul(k.Mul(sum, overRoot), k.Const(0.5))
	k.times(k.Mul(slope, rise))
	inverse = k.Mul(inverse, both)

	part := k.Mul(k.FMA(k.number("s"), k.Mul(xi, xi), k.Mul(k.number("d0"), q)), overD)
	y := k.FMA(k.number("h"), part, k.number("y"))
	k.add(sumSquares, k.Mul(y, y))
	k.add(sumY, k.Neg(y))
	k.add(sumH, k.Neg(k.Mul(y, part)))
	dXi := k.slopeInXi(xi, rest, overD, overA, k.Mul(y, slope))
	k.add(sumXi, dXi)
	k.add(sumXiXi, k.Mul(dXi, xi))
	overTau = k.Mul(overRoot, overRoot) // again, because AVX2 has too few registers to keep it
	axis := k.Mul(inverse, overTau)
	bend := k.FMA(k.Mul(k.number("beta"), overTau), axis, k.Mul(overTau, k.Const(0.5)))
	du := k.Mul(dXi, k.number("over"))
	k.add(sumAlpha, k.FMA(du, root, inverse))
	k.add(sumBeta, k.FNMA(du, overRoot, axis))
	k.add(sumTau, k.Sub(k.Mul(du, rise), bend))
	k.inShape(xi, q, overD, overA, y, part)
}

// slopeInXi returns the derivative of log S' - S²/2 with respect to ξ.
func (k *kernel) slopeInXi(xi, rest, overD, overA, ySlope vector) vector {
	turn := k.FNMA(xi, k.Const(2), k.Set(1))
	first := k.Mul(k.number("d1"), xi) // one number in a register at a time
	first = k.FNMA(k.number("d0"), rest, first)
	first = k.FMA(k.number("s"), turn, first)
	half := k.FNMA(k.Mul(k.number("bend"), turn), overD, k.Mul(first, overA))
	return k.FNMA(ySlope, k.number("w"), k.Add(half, half))
}

// inShape emits the addition of the derivatives with respect to s, d0 and d1.
func (k *kernel) inShape(xi, q, overD, overA, y, part vector) {
	qq := k.Add(q, q)
	twist := k.Sub(k.Set(1), qq)
	ySideways := k.Mul(k.Mul(k.number("h"), overD), y)
	square := k.Mul(xi, xi)
	s := k.FNMA(twist, overD, k.Mul(q, overA))
	s = k.FNMA(ySideways, k.FNMA(part, twist, square), k.Add(s, s))
	k.add(sumS, k.Add(s, k.number("twiceOver")))
	pull := k.Mul(k.Mul(ySideways, q), part)
	shared := k.FNMA(qq, overD, pull) // common term of d0 and d1
	k.add(sumD1, k.FMA(square, overA, shared))
	rest := k.Sub(k.Set(1), xi)
	shared = k.FNMA(ySideways, q, shared)
	k.add(sumD0, k.FMA(k.Mul(rest, rest), overA, shared))
}
