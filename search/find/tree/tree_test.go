package tree_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/expr/exprtest"
	"likc/compiler/syntax"
	"likc/search/find/tree"

	"pgregory.net/rapid"
)

var names = []string{"v", "a", "z", "t", "rt"}

func random(r *rand.Rand, size int) tree.Tree {
	set := tree.Searchable(len(names))
	var t tree.Tree
	set.Random(r, &t, size)
	return t
}

// stream returns random numbers that depend only on the seed.
func stream(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func TestRandomHasItsSize(t *testing.T) {
	r, seen := stream(1), map[tree.Code]bool{}
	for i := range 2000 {
		size := 1 + i%50
		x := random(r, size)
		if err := x.Check(len(names)); err != nil || x.Size() != size {
			t.Fatalf("size %d of %v, want %d: %v", x.Size(), x.Codes, size, err)
		}
		for _, c := range x.Codes {
			seen[c] = true
		}
	}
	if len(seen) != 5+8 { // five symbols; + − × ÷ exp log √ ²
		t.Errorf("%d codes were drawn, want 13", len(seen))
	}
}

// Converting an expression to a tree and back does not change it. The tree has the same size and symbols.
func TestExprRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := exprtest.Expr(exprtest.Searchable(), 40).Draw(t, "e")
		symbols := append(expr.Symbols(e), "unused")
		x, err := tree.FromExpr(e, symbols)
		if err != nil {
			t.Fatal(err)
		}
		if back := x.Expr(symbols); !back.Equal(e) || x.Size() != e.Size() {
			t.Fatalf("%v (size %d) came back as %v (size %d)", e, e.Size(), back, x.Size())
		}
		if got, want := x.Symbols(), uint64(1)<<(len(symbols)-1)-1; got != want {
			t.Fatalf("symbols %b of %v, want %b", got, e, want)
		}
		if err := x.Check(len(symbols)); err != nil {
			t.Fatal(err)
		}
	})
}

// The parser reads the printed form of a tree as the same tree.
func TestPrintedFormIsRead(t *testing.T) {
	r, header := stream(2), &expr.Model{Name: "test", Trials: names[4:]}
	for _, name := range names[:4] {
		header.Params = append(header.Params, expr.Param{Name: name, Lower: 0, Upper: 1})
	}
	for i := range 500 {
		x := random(r, 1+i%50)
		m, err := syntax.ParseExpr(x.Expr(names).String(), header)
		if err != nil {
			t.Fatal(err)
		}
		back, err := tree.FromExpr(m.LogLik, names)
		if err != nil || !back.Equal(x) {
			t.Fatalf("%v came back as %v: %v", x.Expr(names), back.Codes, err)
		}
	}
}

// TestStarts: Starts gives complete subtrees: the nodes from a start to its end are a tree, and no shorter sequence with the same end is one.
func TestStarts(t *testing.T) {
	r := stream(3)
	for i := range 500 {
		x := random(r, 1+i%50)
		for end, start := range x.Starts(nil) {
			sub := tree.Tree{Codes: x.Codes[start : end+1]}
			if err := sub.Check(len(names)); err != nil {
				t.Fatalf("%v: cut %d:%d: %v", x.Codes, start, end+1, err)
			}
			for s := start + 1; s <= end; s++ {
				cut := tree.Tree{Codes: x.Codes[s : end+1]}
				if cut.Check(len(names)) == nil && s != start {
					t.Fatalf("%v: %d:%d is a tree within %d:%d", x.Codes, s, end+1, start, end+1)
				}
			}
		}
	}
}

// swapped exchanges the operands of one random binary operator, and returns the new tree and the operator.
func swapped(r *rand.Rand, x tree.Tree) (tree.Tree, tree.Code) {
	starts := x.Starts(nil)
	for range 100 {
		i := r.IntN(x.Size())
		if x.Codes[i].Arity() != 2 {
			continue
		}
		middle := starts[i-1]
		codes := slices.Concat(x.Codes[:starts[i]], x.Codes[middle:i], x.Codes[starts[i]:middle], x.Codes[i:])
		return tree.Tree{Codes: codes}, x.Codes[i]
	}
	return x, 0
}

func TestHashIsCommutative(t *testing.T) {
	r, changed := stream(4), 0
	for i := range 2000 {
		x := random(r, 3+i%48)
		y, op := swapped(r, x)
		switch {
		case op == 0 || slices.Equal(x.Codes, y.Codes):
		case op.Commutative() && x.Hash() != y.Hash():
			t.Fatalf("%v and %v have two hashes", x.Expr(names), y.Expr(names))
		case !op.Commutative() && x.Hash() == y.Hash() && canonical(x) != canonical(y):
			t.Fatalf("%v and %v have one hash", x.Expr(names), y.Expr(names))
		default:
			changed++
		}
	}
	if changed < 1000 {
		t.Errorf("only %d trees were swapped", changed)
	}
}

// canonical returns the printed form, with the operands of commutative operators in the order of their printed forms.
func canonical(x tree.Tree) string {
	return expr.Map(x.Expr(names), func(n *expr.Expr, args []*expr.Expr) *expr.Expr {
		if n.Op.Info().Commutative && args[0].String() > args[1].String() {
			args = []*expr.Expr{args[1], args[0]}
		}
		return n.With(args)
	}).String()
}

// Two trees have the same hash exactly if their canonical printed forms are equal.
func TestHashDistinguishes(t *testing.T) {
	r, byHash, byForm := stream(5), map[uint64]string{}, map[string]uint64{}
	for i := range 20000 {
		x := random(r, 1+i%12)
		h, form := x.Hash(), canonical(x)
		if f, ok := byHash[h]; ok && f != form {
			t.Fatalf("%s and %s have one hash", f, form)
		}
		if g, ok := byForm[form]; ok && g != h {
			t.Fatalf("%s has two hashes", form)
		}
		byHash[h], byForm[form] = form, h
	}
	if len(byForm) < 10000 || len(byForm) == 20000 {
		t.Errorf("%d distinct forms: the test is too easy", len(byForm))
	}
}

func TestHashSeesConstants(t *testing.T) {
	add := tree.Operator(expr.Add)
	x := tree.Tree{Codes: []tree.Code{tree.Constant, 0, add}, Values: []float64{1}}
	y := tree.Tree{Codes: []tree.Code{0, tree.Constant, add}, Values: []float64{1}}
	z := tree.Tree{Codes: x.Codes, Values: []float64{2}}
	if x.Hash() != y.Hash() || x.Hash() == z.Hash() {
		t.Error("the hash of 1 + v is not that of v + 1, or is that of 2 + v")
	}
	if x.Equal(z) || x.Equal(y) || !x.Equal(x.Clone()) {
		t.Error("Equal is wrong with constants")
	}
}

func TestFromExprRefuses(t *testing.T) {
	x := expr.Var("x")
	for _, e := range []*expr.Expr{
		expr.Var("unknown"), expr.New(expr.Exp, expr.Var("unknown")), expr.SumOver(expr.Upper, x), doubled(x, 30),
	} {
		if _, err := tree.FromExpr(e, []string{"x"}); err == nil {
			t.Errorf("%.40v became a tree", e.Op)
		}
	}
	if _, err := tree.FromExpr(x, make([]string, 65)); err == nil {
		t.Error("65 symbols fit in a word")
	}
}

// doubled returns an expression that has 2^n leaves as a tree, but only n different nodes.
func doubled(e *expr.Expr, n int) *expr.Expr {
	for range n {
		e = expr.New(expr.Add, e, e)
	}
	return e
}

func TestCheckRefuses(t *testing.T) {
	add, exp := tree.Operator(expr.Add), tree.Operator(expr.Exp)
	for name, x := range map[string]tree.Tree{
		"empty":            {},
		"symbol":           {Codes: []tree.Code{2}},
		"missing operand":  {Codes: []tree.Code{0, add}},
		"two trees":        {Codes: []tree.Code{0, 1}},
		"bare operator":    {Codes: []tree.Code{exp}},
		"unknown code":     {Codes: []tree.Code{100}},
		"operator of sums": {Codes: []tree.Code{0, tree.Operator(expr.Sum)}},
		"no value":         {Codes: []tree.Code{tree.Constant}},
		"value too many":   {Codes: []tree.Code{0}, Values: []float64{1}},
	} {
		if x.Check(2) == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestSetWith(t *testing.T) {
	s, err := tree.Searchable(2).With([]string{"add", "tanh"})
	if err != nil || len(s.Unary) != 1 || len(s.Binary) != 1 || s.Symbols != 2 {
		t.Errorf("set %v, %v", s, err)
	}
	for _, name := range []string{"nonsense", "fma", "sum", "sym"} {
		if _, err := tree.Searchable(2).With([]string{"add", name}); err == nil || !strings.Contains(err.Error(), strconv.Quote(name)) {
			t.Errorf("%s in a set: %v", name, err)
		}
	}
}

func TestNoMemory(t *testing.T) {
	x := random(stream(6), 50)
	starts := make([]int, 0, 64)
	if n := testing.AllocsPerRun(100, func() { x.Hash(); x.Symbols(); starts = x.Starts(starts[:0]) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkHash(b *testing.B) {
	x := random(stream(7), 35)
	for b.Loop() {
		x.Hash()
	}
}

// Blocks replace leaves with the given probability. Without blocks, no random number is drawn for them.
func TestBlocks(t *testing.T) {
	block := tree.Tree{Codes: []tree.Code{0, 1, tree.Operator(expr.Sub)}}
	plain, set := tree.Searchable(3), tree.Searchable(3)
	set.Blocks, set.BlockShare = []tree.Tree{block}, 0.25
	const draws = 4000
	blocks, r := 0, rand.New(rand.NewPCG(5, 6))
	for range draws {
		var x tree.Tree
		if set.Leaf(r, &x); x.Equal(block) {
			blocks++
		} else if x.Size() != 1 {
			t.Fatalf("neither leaf nor block: %v", x.Codes)
		}
	}
	if share := float64(blocks) / draws; !(math.Abs(share-0.25) <= 4*math.Sqrt(0.25*0.75/draws)) {
		t.Errorf("%v of the leaves are blocks, want a quarter", share)
	}
	set.Blocks = nil
	a, b := rand.New(rand.NewPCG(7, 8)), rand.New(rand.NewPCG(7, 8))
	for range 50 {
		var x, y tree.Tree
		set.Random(a, &x, 15)
		plain.Random(b, &y, 15)
		if !x.Equal(y) {
			t.Fatalf("without blocks: %v and %v", x.Codes, y.Codes)
		}
	}
}

// TestFold: a subtree that has only constants becomes one constant, unless its value is not finite.
func TestFold(t *testing.T) {
	n, c, x := expr.New, expr.Num, expr.Var("x")
	for _, f := range []struct{ from, want *expr.Expr }{
		{n(expr.Mul, n(expr.Log, x), n(expr.Add, c(1), n(expr.Square, c(3)))), n(expr.Mul, n(expr.Log, x), c(10))},
		{n(expr.Sub, n(expr.Add, c(1), x), n(expr.Div, c(1), c(4))), n(expr.Sub, n(expr.Add, c(1), x), c(0.25))},
		{n(expr.Log, n(expr.Sub, c(1), c(1))), n(expr.Log, c(0))},
		{x, x},
	} {
		got, _ := tree.FromExpr(f.from, []string{"x"})
		want, _ := tree.FromExpr(f.want, []string{"x"})
		if got.Fold(); !got.Equal(want) {
			t.Errorf("%v: %v, want %v", f.from, got.Expr([]string{"x"}), f.want)
		}
	}
}
