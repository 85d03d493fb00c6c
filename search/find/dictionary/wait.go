package dictionary

import (
	"math"

	"likc/compiler/expr"
)

// addWaits adds as terms the log densities of a sum of two times: a first passage with drift over one boundary, and an exponential time.
// There is one term for each way to choose three positive parameters as the drift, the distance of the boundary and the mean of the
// exponential time. Such terms are long, so the library then counts equal parts once. moved is the parameter that moves all times.
func (l *Library) addWaits(header *expr.Model, moved string, time *expr.Expr) {
	var positive []*expr.Expr
	for _, p := range header.Params {
		if p.Lower > 0 && p.Name != moved {
			positive = append(positive, expr.Var(p.Name))
		}
	}
	for i, drift := range positive {
		for j, distance := range positive {
			for k, mean := range positive {
				if i == j || i == k || j == k {
					continue
				}
				w := &wait{time: time, drift: drift, distance: distance, mean: mean}
				at := l.add(Atom{Expr: w.density()})
				l.Terms = append(l.Terms, Term{at[0]})
				l.Lets = named(header, l.Lets, w.lets)
				l.Shared = true
			}
		}
	}
	if l.Shared {
		for i, a := range l.Atoms {
			l.Atoms[i].cost = len(expr.Order(interned(a.Expr)))
		}
	}
}

// wait is the sum of a first passage with drift v and an exponential time. The density of the sum contains a first passage with the
// drift k = √(v² − 2/mean), which is imaginary for a slow drift v.
type wait struct {
	time, drift, distance, mean *expr.Expr // time since the onset, v, distance of the boundary, mean of the exponential time
	lets                        []expr.Let // named parts of the density
}

// let gives a part a name.
func (w *wait) let(name string, value *expr.Expr) *expr.Expr {
	w.lets = append(w.lets, expr.Let{Name: name, Value: value})
	return value
}

// density returns the log density of the sum [schwarz2001].
//
// Reference: [schwarz2001] W. Schwarz, The ex-Wald distribution as a descriptive model of response times, Behavior Research Methods,
// Instruments, & Computers 33, 2001.
func (w *wait) density() *expr.Expr {
	of, num := expr.New, expr.Num
	slow := w.let("slow", mul(w.time, sub(of(expr.Inv, w.mean), mul(num(0.5), of(expr.Square, w.drift))))) // −k²·time/2
	return sub(of(expr.If, of(expr.Less, slow, num(0)), w.fast(), w.slow(slow)), of(expr.Log, w.mean))
}

// fast returns the log density for a real k, plus log mean. It is the log of exp((v − k)·distance − time/mean) times the probability
// that a first passage with drift k is over.
func (w *wait) fast() *expr.Expr {
	of, num := expr.New, expr.Num
	k := w.let("k", of(expr.Sqrt, of(expr.Max, sub(of(expr.Square, w.drift), div(num(2), w.mean)), num(1e-12))))
	root, gone := of(expr.Sqrt, w.time), mul(k, w.time)
	over := of(expr.LogAddExp, of(expr.LogNormCDF, div(sub(gone, w.distance), root)),
		add(mul(num(2), mul(k, w.distance)), of(expr.LogNormCDF, div(of(expr.Neg, add(gone, w.distance)), root))))
	return add(sub(mul(w.distance, sub(w.drift, k)), div(w.time, w.mean)), over)
}

// The integral in [wait.slow] is a trapezoidal sum with this step and number of pairs of points; its error is 1e-7.
const (
	waitStep  = 0.75
	waitPairs = 6
)

// slow returns the log density for an imaginary k, plus log mean. It is the log of a normal density times W, the real part of Faddeeva's
// function at √x2 + iy. W is an integral, computed by the trapezoidal rule; for a small y, a residue is added [matta1971].
//
// Reference: [matta1971] F. Matta, A. Reichel, Uniform computation of the error function and other related functions, Mathematics of
// Computation 25, 1971.
func (w *wait) slow(x2 *expr.Expr) *expr.Expr {
	of := func(op expr.Op, x ...*expr.Expr) *expr.Expr { return expr.New(op, x...) }
	num := func(x float64) *expr.Expr { return expr.Num(expr.Rounded(x, 9)) }
	y := w.let("y", div(w.distance, of(expr.Sqrt, mul(num(2), w.time))))
	y2 := of(expr.Square, y)
	var sum *expr.Expr
	for i := range waitPairs {
		s2 := square((float64(i) + 0.5) * waitStep)
		term := div(mul(num(math.Exp(-s2)), add(add(x2, y2), num(s2))), add(of(expr.Square, sub(sub(x2, y2), num(s2))), mul(num(4), mul(x2, y2))))
		if sum == nil {
			sum = term
		} else {
			sum = add(sum, term)
		}
	}
	const period = 2 * math.Pi / waitStep
	near := of(expr.Min, y, num(period/2))
	x := of(expr.Sqrt, of(expr.Max, x2, num(1e-12)))
	fall, turn := of(expr.Exp, mul(num(-period), near)), mul(num(period), x)
	twice := mul(num(2), mul(x, near))
	wave := add(mul(add(fall, of(expr.Cos, turn)), of(expr.Cos, twice)), mul(of(expr.Sin, turn), of(expr.Sin, twice)))
	size := add(of(expr.Square, sub(num(1), fall)), mul(mul(num(2), fall), add(num(1), of(expr.Cos, turn))))
	residue := div(mul(mul(num(2), of(expr.Exp, sub(sub(of(expr.Square, near), x2), mul(num(period), near)))), wave), size)
	whole := add(mul(mul(num(2*waitStep/math.Pi), y), sum), of(expr.If, of(expr.Less, y, num(period/2)), residue, num(0)))
	normal := div(of(expr.Square, sub(w.distance, mul(w.drift, w.time))), mul(num(2), w.time))
	return sub(of(expr.Log, of(expr.Max, w.let("W", whole), num(1e-300))), normal)
}
