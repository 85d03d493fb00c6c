package expr_test

import (
	"regexp"
	"strconv"
	"testing"

	"likc/compiler/expr"
)

// placeholder matches the arguments of a Form.
var placeholder = regexp.MustCompile(`[$@?](\d)`)

// TestRowsHaveEveryColumn: every row of the operator table has every column that a printer or a pass relies on.
func TestRowsHaveEveryColumn(t *testing.T) {
	eachOp(t, func(t *testing.T, op expr.Op, info *expr.Info) {
		if info.Doc == "" {
			t.Error("no Doc")
		}
		if info.Range == nil {
			t.Error("no Range")
		}
		for _, target := range expr.Targets() {
			s := op.In(target)
			if s.Kind == expr.NoSpelling || s.Text == "" {
				t.Errorf("no spelling in %s", target)
			}
			if s.Kind == expr.Local && s.Body == "" {
				t.Errorf("%s: %s is not defined", target, s.Text)
			}
			if s.Kind == expr.Form || s.Kind == expr.Truth {
				checkForm(t, target, s.Text, info.Arity)
			}
		}
		if l := info.Lane; (l.Name != "") != (l.Arithmetic+l.Divider > 0) {
			t.Errorf("a lane operation has a name and a cost, or neither: %+v", l)
		}
		if len(info.Spell) != len(expr.Targets()) {
			t.Errorf("%d spellings for %d targets", len(info.Spell), len(expr.Targets()))
		}
	})
}

// checkForm fails the test unless a form uses all of its arguments and no others.
func checkForm(t *testing.T, target expr.Target, text string, arity int) {
	t.Helper()
	used := map[int]bool{}
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[1])
		used[n] = true
		if n < 1 || n > arity {
			t.Errorf("%s: %s takes argument %d of %d", target, text, n, arity)
		}
	}
	if len(used) != arity {
		t.Errorf("%s: %s uses %d of %d arguments", target, text, len(used), arity)
	}
}

// TestShapes: sums and products of shapes are symmetric, and none is simpler than its arguments.
func TestShapes(t *testing.T) {
	never := func(int) bool { return false }
	shape := func(op expr.Op, a, b expr.Shape) expr.Shape { return op.Info().Shape([3]expr.Shape{a, b}, never) }
	for a := expr.Flat; a <= expr.Irregular; a++ {
		for b := expr.Flat; b <= expr.Irregular; b++ {
			for _, op := range []expr.Op{expr.Add, expr.Mul} {
				if x, y := shape(op, a, b), shape(op, b, a); x != y || x < max(a, b) && x != expr.Irregular {
					t.Errorf("%v of shapes %d and %d: %d and %d", op, a, b, x, y)
				}
			}
		}
		if a != expr.Flat && shape(expr.Div, expr.Flat, a) != expr.Irregular {
			t.Errorf("1 over a term of shape %d that may vanish is not irregular", a)
		}
	}
	if shape(expr.Exp, expr.Algebraic, expr.Flat) != expr.Irregular || shape(expr.Exp, expr.Linear, expr.Flat) != expr.Exponential {
		t.Error("exp of a power is a bump, exp of a line is not")
	}
}
