package pass

import (
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/ir"

	"github.com/google/go-cmp/cmp"
)

// program builds a program over trial column rt and parameters v, a with one group; out gives its log-likelihood.
func program(out func(b *ir.Builder, rt, v, a ir.ID) ir.ID) *ir.Program {
	b := ir.NewBuilder()
	rt := b.Add(ir.Value{Kind: ir.Column})
	v := b.Add(ir.Value{Kind: ir.Param, Index: 0})
	a := b.Add(ir.Value{Kind: ir.Param, Index: 1})
	zero := b.Num(0)
	id := out(b, rt, v, a)
	return &ir.Program{
		Params: []expr.Param{{Name: "v"}, {Name: "a"}}, Trials: []string{"rt"}, Values: b.Values(),
		Groups: []ir.Group{{Name: expr.All, LogLik: id, Grad: []ir.ID{zero, zero}}},
	}
}

func sum(b *ir.Builder, id ir.ID) ir.ID { return b.Add(ir.Value{Kind: ir.Total}, id) }

// TestPasses runs one pass on one small program and shows the log-likelihood as an expression.
func TestPasses(t *testing.T) {
	tests := []struct {
		name string
		pass Func
		in   func(b *ir.Builder, rt, v, a ir.ID) ir.ID
		want string
	}{
		{"fold constants", Fold, func(b *ir.Builder, rt, v, a ir.ID) ir.ID {
			return b.Apply(expr.Mul, v, b.Apply(expr.Exp, b.Num(0)))
		}, "v"},
		{"fold keeps what is not finite", Fold, func(b *ir.Builder, rt, v, a ir.ID) ir.ID {
			return b.Apply(expr.Log, b.Num(-1))
		}, "log(-1)"},
		{"fold signs", Fold, func(b *ir.Builder, rt, v, a ir.ID) ir.ID {
			return b.Apply(expr.Sub, a, b.Apply(expr.Neg, b.Apply(expr.Mul, b.Num(-1), v)))
		}, "a - v"},
		{"fold a product with itself", Fold, func(b *ir.Builder, rt, v, a ir.ID) ir.ID { return b.Apply(expr.Mul, v, v) }, "v^2"},
		{"fold one over", Fold, func(b *ir.Builder, rt, v, a ir.ID) ir.ID { return b.Apply(expr.Div, b.Num(1), v) }, "inv(v)"},
		{"whole power", Strength, func(b *ir.Builder, rt, v, a ir.ID) ir.ID { return b.Apply(expr.Pow, v, b.Num(5)) }, "v * (v^2)^2"},
		{"half power", Strength, func(b *ir.Builder, rt, v, a ir.ID) ir.ID { return b.Apply(expr.Pow, v, b.Num(-1.5)) }, "inv(v * sqrt(v))"},
		{"quarter power", Strength, func(b *ir.Builder, rt, v, a ir.ID) ir.ID { return b.Apply(expr.Pow, v, b.Num(0.25)) }, "sqrt(sqrt(v))"},
		{"three quarters", Strength, func(b *ir.Builder, rt, v, a ir.ID) ir.ID { return b.Apply(expr.Pow, v, b.Num(-2.75)) }, "inv(sqrt(sqrt(v)) * (v^2 * sqrt(v)))"},
		{"a root too far", Strength, func(b *ir.Builder, rt, v, a ir.ID) ir.ID { return b.Apply(expr.Pow, v, b.Num(1./64)) }, "v^0.015625"},
		{"other powers stay", Strength, func(b *ir.Builder, rt, v, a ir.ID) ir.ID { return b.Apply(expr.Pow, v, b.Num(0.3)) }, "v^0.3"},
		{"a sum that loses its trials", Strength, func(b *ir.Builder, rt, v, a ir.ID) ir.ID {
			return sum(b, b.Apply(expr.Mul, v, b.Apply(expr.Pow, rt, b.Num(0))))
		}, "v * 1 * sum[all](1)"},
		{"a scalar divisor in the body", Strength, func(b *ir.Builder, rt, v, a ir.ID) ir.ID {
			return sum(b, b.Apply(expr.Exp, b.Apply(expr.Div, rt, v)))
		}, "sum[all](exp(rt * inv(v)))"},
		{"a divisor used once stays", Strength, func(b *ir.Builder, rt, v, a ir.ID) ir.ID { return b.Apply(expr.Div, a, v) }, "a / v"},
		{"a divisor used twice", Strength, func(b *ir.Builder, rt, v, a ir.ID) ir.ID {
			return b.Apply(expr.Div, b.Apply(expr.Div, a, v), v)
		}, "inv(v) * (a * inv(v))"},
		{"hoist a product", Hoist, func(b *ir.Builder, rt, v, a ir.ID) ir.ID {
			return sum(b, b.Apply(expr.Exp, b.Apply(expr.Mul, b.Apply(expr.Mul, rt, v), a)))
		}, "sum[all](exp(rt * (v * a)))"},
		{"hoist a sum", Hoist, func(b *ir.Builder, rt, v, a ir.ID) ir.ID {
			return sum(b, b.Apply(expr.Exp, b.Apply(expr.Add, a, b.Apply(expr.Add, v, rt))))
		}, "sum[all](exp(rt + (v + a)))"},
	}
	for _, test := range tests {
		p := test.pass(program(test.in))
		if err := ir.Verify(p); err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := p.Expr(p.Groups[0].LogLik).String(); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func TestDead(t *testing.T) {
	p := program(func(b *ir.Builder, rt, v, a ir.ID) ir.ID {
		b.Apply(expr.Exp, a)
		return b.Apply(expr.Neg, v)
	})
	q := Dead(p)
	if err := ir.Verify(q); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(q.String(), "exp") || len(q.Values) != 3 { // v, 0, -v
		t.Errorf("the program is now:\n%s", q)
	}
}

// TestShare: a builder shares equal values itself, so the test adds a second, equal value to the finished program.
func TestShare(t *testing.T) {
	p := program(func(b *ir.Builder, rt, v, a ir.ID) ir.ID { return b.Apply(expr.Add, v, a) })
	again := ir.Value{Kind: ir.Apply, Op: expr.Add, Args: []ir.ID{2, 1}} // a + v
	p.Values = append(p.Values, again, ir.Value{Kind: ir.Apply, Op: expr.Mul, Args: []ir.ID{4, 5}})
	p.Groups[0].LogLik = ir.ID(len(p.Values) - 1)
	q := Share(p)
	if args := q.Values[q.Groups[0].LogLik].Args; args[0] != args[1] {
		t.Errorf("a + v and v + a are two values:\n%s", q)
	}
}

func TestScheduleOrdersStages(t *testing.T) {
	p := program(func(b *ir.Builder, rt, v, a ir.ID) ir.ID {
		body := sum(b, b.Apply(expr.Exp, b.Apply(expr.Mul, rt, v)))
		data := sum(b, b.Apply(expr.Log, rt))
		return b.Apply(expr.Add, body, b.Apply(expr.Mul, data, b.Apply(expr.Exp, a)))
	})
	q := Schedule(p)
	if err := ir.Verify(q); err != nil {
		t.Fatal(err)
	}
	f := ir.Analyse(q)
	var stages []ir.Stage
	for i, v := range q.Values {
		if v.Kind != ir.Const {
			stages = append(stages, f.Stage[i])
		}
	}
	for i := 1; i < len(stages); i++ {
		if stages[i] < stages[i-1] {
			t.Fatalf("stages out of order: %v", stages)
		}
	}
	if d := cmp.Diff(p.Expr(p.Groups[0].LogLik).String(), q.Expr(q.Groups[0].LogLik).String()); d != "" {
		t.Error(d)
	}
}
