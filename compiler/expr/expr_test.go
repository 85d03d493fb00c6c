package expr_test

import (
	"math"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/expr/exprtest"

	"pgregory.net/rapid"
)

// fresh rebuilds e as a tree without shared nodes.
func fresh(e *expr.Expr) *expr.Expr {
	switch e.Op {
	case expr.Const:
		return expr.Num(e.Value)
	case expr.Sym:
		return expr.Var(e.Name)
	}
	args := make([]*expr.Expr, len(e.Args))
	for i, a := range e.Args {
		args[i] = fresh(a)
	}
	return e.With(args)
}

func treeSize(e *expr.Expr) int {
	n := 1
	for _, a := range e.Args {
		n += treeSize(a)
	}
	return n
}

func TestEqualHashSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := exprtest.Expr(exprtest.Writable(), 30).Draw(t, "e")
		copied := fresh(e)
		if !e.Equal(copied) || !copied.Equal(e) || e.Hash() != copied.Hash() {
			t.Fatalf("%v does not equal its copy", e)
		}
		if got, want := e.Size(), treeSize(e); got != want || copied.Size() != want {
			t.Fatalf("size of %v is %d, want %d", e, got, want)
		}
		other := exprtest.Expr(exprtest.Writable(), 30).Draw(t, "other")
		if e.Equal(other) != (e.String() == other.String()) {
			t.Fatalf("%v equals %v: %v", e, other, e.Equal(other))
		}
	})
}

// TestEqualSeesEveryLeaf: an expression in which one leaf is changed is not equal to the original and has another hash.
func TestEqualSeesEveryLeaf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := fresh(exprtest.Expr(exprtest.Writable(), 20).Draw(t, "e"))
		for _, leaf := range expr.Order(e) {
			if len(leaf.Args) > 0 {
				continue
			}
			changed := expr.Map(e, func(n *expr.Expr, args []*expr.Expr) *expr.Expr {
				if n == leaf {
					return expr.Var("other")
				}
				return n.With(args)
			})
			if e.Equal(changed) || e.Hash() == changed.Hash() {
				t.Fatalf("%v equals %v", e, changed)
			}
		}
	})
}

func TestEqualDistinguishes(t *testing.T) {
	x, y := expr.Var("x"), expr.Var("y")
	pairs := [][2]*expr.Expr{
		{expr.Num(0), expr.Num(math.Copysign(0, -1))},
		{expr.Num(1), expr.Var("1")},
		{expr.New(expr.Sub, x, y), expr.New(expr.Sub, y, x)},
		{expr.New(expr.Add, x, y), expr.New(expr.Add, y, x)},
		{expr.New(expr.Add, x, y), expr.New(expr.Mul, x, y)},
		{expr.New(expr.Add, expr.New(expr.Add, x, y), x), expr.New(expr.Add, x, expr.New(expr.Add, y, x))},
		{expr.SumOver(expr.Upper, x), expr.SumOver(expr.Lower, x)},
	}
	for _, p := range pairs {
		if p[0].Equal(p[1]) || p[0].Hash() == p[1].Hash() {
			t.Errorf("%v equals %v", p[0], p[1])
		}
	}
	if nan := expr.Num(math.NaN()); !nan.Equal(expr.Num(math.NaN())) {
		t.Error("two constants NaN are not equal")
	}
}

// doubled returns a tree of 2^n leaves that has only n+1 distinct nodes.
func doubled(leaf string, n int) *expr.Expr {
	e := expr.Var(leaf)
	for range n {
		e = expr.New(expr.Add, e, e)
	}
	return e
}

// TestDeepSharing: all operations except printing take time proportional to the number of distinct nodes, not to the size of the tree.
func TestDeepSharing(t *testing.T) {
	if got, want := doubled("x", 20).Size(), 1<<21-1; got != want {
		t.Errorf("size %d, want %d", got, want)
	}
	e, same, other := doubled("x", 5000), doubled("x", 5000), doubled("y", 5000)
	if got := e.Size(); got != 1<<29 {
		t.Errorf("size %d, want the cap 1<<29", got)
	}
	if got := len(expr.Order(e)); got != 5001 {
		t.Errorf("%d distinct nodes, want 5001", got)
	}
	if !e.Equal(same) || e.Equal(other) {
		t.Error("Equal is wrong for deep sharing")
	}
	y := expr.Substitution(map[string]*expr.Expr{"x": expr.Var("y")}).Map(e)
	if !y.Equal(other) || len(expr.Order(y)) != 5001 {
		t.Error("substitution loses sharing")
	}
	values, _ := expr.NewTape([]string{"x"}, doubled("x", 100)).Eval(nil, []float64{3})
	if values[0] != math.Ldexp(3, 100) {
		t.Errorf("value %v, want 3·2^100", values[0])
	}
}

// TestHashSpreads: different expressions have different hashes. With many equal hashes, maps of expressions would be slow and Equal would take
// exponential time.
func TestHashSpreads(t *testing.T) {
	seen := map[uint64]string{}
	for seed := range 3000 {
		e := exprtest.Expr(exprtest.Writable(), 12).Example(seed)
		if first, ok := seen[e.Hash()]; ok && first != e.String() {
			t.Errorf("%s and %s have one hash", first, e)
		}
		seen[e.Hash()] = e.String()
	}
	if len(seen) < 2000 {
		t.Errorf("only %d distinct expressions were tried", len(seen))
	}
}

func TestNewNormalises(t *testing.T) {
	x := expr.Var("x")
	for _, c := range []struct{ got, want *expr.Expr }{
		{expr.New(expr.Neg, expr.Num(2)), expr.Num(-2)},
		{expr.New(expr.Neg, expr.Num(0)), expr.Num(math.Copysign(0, -1))},
		{expr.New(expr.Pow, x, expr.Num(2)), expr.New(expr.Square, x)},
	} {
		if !c.got.Equal(c.want) {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
}

func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		roots := []*expr.Expr{
			exprtest.Expr(exprtest.Writable(), 20).Draw(t, "first"),
			exprtest.Expr(exprtest.Writable(), 20).Draw(t, "second"),
		}
		seen := map[*expr.Expr]bool{}
		for _, n := range expr.Order(roots...) {
			for _, a := range n.Args {
				if !seen[a] {
					t.Fatalf("%v comes before its argument %v", n, a)
				}
			}
			if seen[n] {
				t.Fatalf("%v comes twice", n)
			}
			seen[n] = true
		}
		if !seen[roots[0]] || !seen[roots[1]] {
			t.Fatal("a root is missing")
		}
	})
}

func TestWithKeepsNodes(t *testing.T) {
	x, y := expr.Var("x"), expr.Var("y")
	for _, e := range []*expr.Expr{x, expr.New(expr.Add, x, y), expr.SumOver(expr.All, x)} {
		if e.With(e.Args) != e {
			t.Errorf("%v with its own arguments is another node", e)
		}
	}
	if got := expr.SumOver(expr.Lower, x).With([]*expr.Expr{y}); !got.Equal(expr.SumOver(expr.Lower, y)) {
		t.Errorf("got %v, want sum[lower](y)", got)
	}
}

// TestSubstitutionIsSimultaneous: symbols are replaced all at once, so that symbols in a replacement stay.
func TestSubstitutionIsSimultaneous(t *testing.T) {
	x, y := expr.Var("x"), expr.Var("y")
	e := expr.New(expr.Div, expr.New(expr.Sub, x, y), expr.Var("z"))
	s := expr.Substitution(map[string]*expr.Expr{"x": y, "y": expr.New(expr.Exp, x)})
	if got, want := s.Map(e).String(), "(y - exp(x)) / z"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if z := expr.Var("z"); s.Map(z) != z {
		t.Error("an expression without a replaced symbol is rebuilt")
	}
}

func TestSymbols(t *testing.T) {
	x, y, z := expr.Var("x"), expr.Var("y"), expr.Var("z")
	got := expr.Symbols(expr.New(expr.Sub, y, expr.New(expr.Exp, x)), expr.New(expr.Mul, x, z))
	if want := "y x z"; strings.Join(got, " ") != want {
		t.Errorf("symbols %v, want %s", got, want)
	}
}

func TestFormatNames(t *testing.T) {
	tau := expr.New(expr.Sub, expr.Var("rt"), expr.Var("t"))
	e := expr.New(expr.Square, expr.New(expr.Neg, expr.New(expr.Div, tau, tau)))
	if got, want := e.Format(map[*expr.Expr]string{tau: "tau"}), "(-(tau / tau))^2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := expr.SumOver(expr.Upper, tau).String(), "sum[upper](rt - t)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestSpans: the bytes that Spans reports for a node are the text of that node printed by itself.
func TestSpans(t *testing.T) {
	tau := expr.New(expr.Sub, expr.Var("rt"), expr.Var("t"))
	sum := expr.New(expr.Add, expr.Num(-1), expr.New(expr.Exp, tau))
	e := expr.New(expr.Div, expr.New(expr.Mul, sum, expr.New(expr.Neg, sum)), expr.New(expr.Square, tau))
	for _, names := range []map[*expr.Expr]string{nil, {tau: "tau"}} {
		type span struct {
			node       *expr.Expr
			start, end int
		}
		var all []span
		text := e.Spans(names, func(n *expr.Expr, start, end int) { all = append(all, span{n, start, end}) })
		for _, s := range all {
			if got, want := text[s.start:s.end], s.node.Format(names); got != want {
				t.Errorf("%s: bytes %d to %d are %q, want %q", text, s.start, s.end, got, want)
			}
		}
		if want := map[bool]int{true: e.Size(), false: e.Size() - 3*(tau.Size()-1)}[names == nil]; len(all) != want {
			t.Errorf("%s: %d nodes, want %d", text, len(all), want)
		}
	}
}
