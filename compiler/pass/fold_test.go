package pass

import (
	"math"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/ir"
)

// TestFoldIdentities tests every identity, with its arguments in both orders. The keys of the cases are the expected results.
func TestFoldIdentities(t *testing.T) {
	neg := func(b *ir.Builder, x ir.ID) ir.ID { return b.Apply(expr.Neg, x) }
	for want, in := range map[string]func(b *ir.Builder, v, a ir.ID) ir.ID{
		"v":      func(b *ir.Builder, v, a ir.ID) ir.ID { return b.Apply(expr.Add, v, b.Num(0)) },
		"a":      func(b *ir.Builder, v, a ir.ID) ir.ID { return b.Apply(expr.Sub, a, b.Num(0)) },
		"-v":     func(b *ir.Builder, v, a ir.ID) ir.ID { return b.Apply(expr.Sub, b.Num(0), v) },
		"v + a":  func(b *ir.Builder, v, a ir.ID) ir.ID { return b.Apply(expr.Sub, v, neg(b, a)) },
		"v - a":  func(b *ir.Builder, v, a ir.ID) ir.ID { return b.Apply(expr.Add, v, neg(b, a)) },
		"a - v":  func(b *ir.Builder, v, a ir.ID) ir.ID { return b.Apply(expr.Add, neg(b, v), a) },
		"v * a":  func(b *ir.Builder, v, a ir.ID) ir.ID { return b.Apply(expr.Mul, neg(b, v), neg(b, a)) },
		"a * -v": func(b *ir.Builder, v, a ir.ID) ir.ID { return b.Apply(expr.Mul, neg(b, v), a) },
		"-a":     func(b *ir.Builder, v, a ir.ID) ir.ID { return b.Apply(expr.Mul, a, b.Num(-1)) },
		"exp(v)": func(b *ir.Builder, v, a ir.ID) ir.ID { return b.Apply(expr.Div, b.Apply(expr.Exp, v), b.Num(1)) },
		"exp(a)": func(b *ir.Builder, v, a ir.ID) ir.ID { return neg(b, neg(b, b.Apply(expr.Exp, a))) },
		"log(v)": func(b *ir.Builder, v, a ir.ID) ir.ID { return b.Apply(expr.Mul, b.Apply(expr.Log, v), b.Num(1)) },
		"log(a)": func(b *ir.Builder, v, a ir.ID) ir.ID { return b.Apply(expr.Add, b.Num(0), b.Apply(expr.Log, a)) },
		"v / a":  func(b *ir.Builder, v, a ir.ID) ir.ID { return b.Apply(expr.Div, v, a) },
		"v * 0.75": func(b *ir.Builder, v, a ir.ID) ir.ID {
			return b.Apply(expr.Mul, b.Apply(expr.Div, b.Num(3), b.Num(4)), v)
		},
		"log(0)": func(b *ir.Builder, v, a ir.ID) ir.ID { return b.Apply(expr.Log, b.Num(0)) },
		"log(-1) + v^2": func(b *ir.Builder, v, a ir.ID) ir.ID {
			return b.Apply(expr.Add, b.Apply(expr.Log, b.Num(-1)), b.Apply(expr.Mul, v, v))
		},
	} {
		p := program(func(b *ir.Builder, rt, v, a ir.ID) ir.ID { return in(b, v, a) })
		q := Fold(p)
		if err := ir.Verify(q); err != nil {
			t.Errorf("%s: %v", want, err)
		}
		before, after := p.Expr(p.Groups[0].LogLik), q.Expr(q.Groups[0].LogLik)
		if got := after.String(); got != want {
			t.Errorf("%s becomes %s, want %s", before, got, want)
		}
		if x, y := value(before), value(after); x != y && !(math.IsNaN(x) && math.IsNaN(y)) {
			t.Errorf("%s is %v, %s is %v", before, x, after, y)
		}
	}
}

// value evaluates an expression over v and a.
func value(e *expr.Expr) float64 {
	y, _ := expr.NewTape([]string{"v", "a"}, e).Eval(nil, []float64{1.75, 0.625})
	return y[0]
}

// TestPowers compares every power that Strength writes as products and roots with math.Pow, and checks which exponents it leaves as powers.
func TestPowers(t *testing.T) {
	power := func(n float64) (*expr.Expr, bool) {
		p := Strength(program(func(b *ir.Builder, rt, v, a ir.ID) ir.ID { return b.Apply(expr.Pow, v, b.Num(n)) }))
		e := p.Expr(p.Groups[0].LogLik)
		return e, e.Op != expr.Pow
	}
	for quarter := -64 * 4; quarter <= 64*4; quarter++ {
		n := float64(quarter) / 4
		e, spelled := power(n)
		if want := math.Pow(1.75, n); !spelled || !(math.Abs(value(e)-want) <= 1e-13*want) {
			t.Errorf("v^%v is %s = %v at 1.75, want %v", n, e, value(e), want)
		}
	}
	for _, n := range []float64{1. / 32, 3 + 31./32} {
		if e, spelled := power(n); !spelled || !(math.Abs(value(e)-math.Pow(1.75, n)) <= 1e-13*math.Pow(1.75, n)) {
			t.Errorf("v^%v is %s", n, e)
		}
	}
	for _, n := range []float64{64.25, -65, 1. / 64, 0.3, math.Inf(1), math.NaN()} {
		if e, spelled := power(n); spelled {
			t.Errorf("v^%v is %s", n, e)
		}
	}
}

// TestHoistLeavesShared: a product that is used twice is not reassociated, because it would then be computed twice.
func TestHoistLeavesShared(t *testing.T) {
	p := Hoist(program(func(b *ir.Builder, rt, v, a ir.ID) ir.ID {
		shared := b.Apply(expr.Mul, rt, v)
		return sum(b, b.Apply(expr.Exp, b.Apply(expr.Add, b.Apply(expr.Mul, shared, a), shared)))
	}))
	if got, want := p.Expr(p.Groups[0].LogLik).String(), "sum[all](exp(rt * v + a * (rt * v)))"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	p = Hoist(program(func(b *ir.Builder, rt, v, a ir.ID) ir.ID { // reassociation gains nothing: both factors depend on trials, or none does
		both := b.Apply(expr.Mul, b.Apply(expr.Mul, rt, v), b.Apply(expr.Exp, rt))
		return b.Apply(expr.Mul, b.Apply(expr.Mul, v, a), sum(b, both))
	}))
	if got, want := p.Expr(p.Groups[0].LogLik).String(), "v * a * sum[all](rt * v * exp(rt))"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestStrengthKeepsReciprocals: a division by a value whose reciprocal exists already becomes a product with that reciprocal. The minimum over
// trials of a value that does not depend on trials becomes that value.
func TestStrengthKeepsReciprocals(t *testing.T) {
	p := Strength(program(func(b *ir.Builder, rt, v, a ir.ID) ir.ID {
		return b.Apply(expr.Add, b.Apply(expr.Inv, v), b.Apply(expr.Div, a, v))
	}))
	if got, want := p.Expr(p.Groups[0].LogLik).String(), "inv(v) + a * inv(v)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	p = Strength(program(func(b *ir.Builder, rt, v, a ir.ID) ir.ID { // a division by a value that depends on trials is not changed
		return sum(b, b.Apply(expr.Div, v, rt))
	}))
	if got, want := p.Expr(p.Groups[0].LogLik).String(), "sum[all](v / rt)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	p = Strength(program(func(b *ir.Builder, rt, v, a ir.ID) ir.ID {
		return b.Add(ir.Value{Kind: ir.Least}, b.Apply(expr.Mul, v, b.Apply(expr.Pow, rt, b.Num(0))))
	}))
	for _, v := range p.Values[p.Groups[0].LogLik:] {
		if v.Kind == ir.Least {
			t.Errorf("the least of a number:\n%s", p)
		}
	}
}

// TestScheduleKeepsUsesNear: in this program all products come before the first exponential. After scheduling, each product comes right
// before its exponential.
func TestScheduleKeepsUsesNear(t *testing.T) {
	p := program(func(b *ir.Builder, rt, v, a ir.ID) ir.ID {
		var products []ir.ID
		for k := range 12 {
			products = append(products, b.Apply(expr.Mul, rt, b.Apply(expr.Mul, v, b.Num(float64(k+2)))))
		}
		all := b.Apply(expr.Exp, products[0])
		for _, x := range products[1:] {
			all = b.Apply(expr.Add, all, b.Apply(expr.Exp, x))
		}
		return sum(b, all)
	})
	q := Schedule(p)
	for i, v := range q.Values {
		if v.Op == expr.Exp && v.Kind == ir.Apply && v.Args[0] != ir.ID(i-1) {
			t.Errorf("value %d is the exponential of value %d:\n%s", i, v.Args[0], q)
			break
		}
	}
	if x, y := p.Expr(p.Groups[0].LogLik).String(), q.Expr(q.Groups[0].LogLik).String(); x != y {
		t.Errorf("%s became %s", x, y)
	}
}
