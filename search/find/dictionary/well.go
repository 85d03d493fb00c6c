package dictionary

import (
	"math"
	"slices"

	"likc/compiler/expr"
)

// steady reports whether γ and κ do not change in time, and κ is not always 0: the drift is pulled to a point, or pushed from it.
func (p *process) steady() bool {
	changes := func(f *expr.Expr) bool { return slices.Contains(expr.Symbols(f), expr.Tau) }
	return p.gamma0 != nil && p.kappa0 != nil && !p.atKappa.IsNum(0) && !changes(p.atKappa) && !changes(p.atGamma)
}

// box is π²/4, the frequency of the oscillator that stands for two boundaries at distance 1: its ground state has their energy, and their curvature.
var box = expr.Num(expr.Rounded(math.Pi*math.Pi/4, 9))

// well returns the log of the mean of exp(-∫(κ²y²/2 + γκy) du) over the paths from y to the boundary 1 that stay between both: with it
// Girsanov's change of measure is complete. Paths between boundaries are replaced by those of an oscillator of frequency π²/4. So the
// mean is a ratio of two of Mehler's kernels: with frequency Ω and force -γκ, and with frequency π²/4. It is exact for small u. For
// large u it decays as it should, because Ω is made for that.
func (p *process) well(y *expr.Expr) *expr.Expr {
	of := func(op expr.Op, x ...*expr.Expr) *expr.Expr { return expr.New(op, x...) }
	sq := func(x *expr.Expr) *expr.Expr { return of(expr.Square, x) }
	num, u, half := expr.Num, p.clock, expr.Num(0.5)
	frequency := p.frequency()
	force := of(expr.Neg, mul(p.gamma0, p.kappa0))
	rest := sub(num(1), y)
	kernel := func(frequency, force *expr.Expr) *expr.Expr {
		x := mul(frequency, u)
		from, to := y, num(1)
		if force != nil {
			middle := div(force, sq(frequency))
			from, to = sub(y, middle), sub(num(1), middle)
		}
		sinh := add(x, of(expr.Log1mExp, mul(num(-2), x))) // its log, but for log 2
		action := add(div(sq(rest), of(expr.Tanh, x)), mul(mul(num(2), mul(from, to)), of(expr.Tanh, mul(half, x))))
		return mul(half, sub(sub(of(expr.Log, frequency), sinh), mul(frequency, action)))
	}
	work := mul(half, mul(sq(div(force, frequency)), u))
	return add(sub(kernel(frequency, force), kernel(box, nil)), work)
}

// frequency returns Ω, for which the smallest eigenvalue of the process between its boundaries is that of the oscillator,
// (Ω − κ + γ²(1 − κ²/Ω²))/2. Ω² − κ² was fitted to eigenvalues of a grid with |κ| up to 9 and |γ| up to 6; there these are exact to 2 % (root mean
// square). Where evidence leaves seldom, errors of eigenvalues are errors of its rate.
func (p *process) frequency() *expr.Expr {
	of := func(op expr.Op, x ...*expr.Expr) *expr.Expr { return expr.New(op, x...) }
	num := expr.Num
	kk, gg := of(expr.Square, p.kappa0), of(expr.Square, p.gamma0)
	fall := div(mul(num(-0.059), kk), add(add(num(1), mul(num(0.0028), kk)), mul(num(0.0643), gg)))
	rise := div(mul(num(0.1439), mul(kk, gg)), add(add(num(1), mul(num(0.0131), kk)), mul(num(0.0787), gg)))
	share := of(expr.Exp, add(fall, mul(num(0.4072), of(expr.Log1p, rise))))
	return p.base("o", of(expr.Sqrt, add(kk, mul(of(expr.Square, box), share))))
}
