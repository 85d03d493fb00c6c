package columns_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"likc/compiler/expr"
	"likc/search/find/columns"
	"likc/search/find/tree"
)

// TestSlopes compares derivatives with central differences of the operator table's values.
func TestSlopes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	c := func(x float64) *expr.Expr { return expr.Num(x) }
	x, y := expr.Var("x"), expr.Var("y")
	n := expr.New
	for _, e := range []*expr.Expr{
		n(expr.Mul, c(1.3), n(expr.Log, n(expr.Add, n(expr.Square, x), c(0.7)))),
		n(expr.Div, n(expr.Sub, c(2), x), n(expr.Sqrt, n(expr.Mul, c(3), y))),
		n(expr.LogAddExp, n(expr.Mul, x, c(0.5)), n(expr.Sub, y, c(1))),
		n(expr.Max, n(expr.Exp, n(expr.Div, x, c(-2))), n(expr.Add, c(0.25), x)),
		n(expr.Sub, n(expr.Square, n(expr.Sub, y, c(0.4))), n(expr.Log1p, n(expr.Exp, n(expr.Sub, c(0.3), x)))),
	} {
		p := &columns.Panel[float64]{Rows: 60, Width: 20, Columns: [][]float64{make([]float64, 60), make([]float64, 20)}}
		for _, column := range p.Columns {
			for i := range column {
				column[i] = 0.2 + 2*random.Float64()
			}
		}
		f, err := tree.FromExpr(e, []string{"x", "y"})
		if err != nil {
			t.Fatal(err)
		}
		s := columns.NewSlopes()
		s.Start(f, p)
		for b := range p.Blocks() {
			got := s.Block(b)
			for k := range f.Values {
				for i := range p.Width {
					at := map[string]float64{"x": p.Columns[0][b*p.Width+i], "y": p.Columns[1][i]}
					const h = 1e-5
					want := (shifted(f, k, h, at) - shifted(f, k, -h, at)) / (2 * h)
					if !(math.Abs(got[k][i]-want) <= 1e-6*(1+math.Abs(want))) {
						t.Fatalf("%v, constant %d at %v: %v, want %v", e, k, at, got[k][i], want)
					}
				}
			}
		}
	}
}

// TestSlopesAtNodes: the derivative with respect to a number added to a node equals the derivative with respect to a constant in
// a sum with this node.
func TestSlopesAtNodes(t *testing.T) {
	x, n := expr.Var("x"), expr.New
	inner := n(expr.Square, x)
	panel := &columns.Panel[float64]{Rows: 3, Width: 3, Columns: [][]float64{{0.5, 1, 2}, {1, 1, 1}}}
	of := func(e *expr.Expr) tree.Tree {
		f, err := tree.FromExpr(e, []string{"x", "y"})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	outer := func(inner *expr.Expr) *expr.Expr { return n(expr.Mul, x, n(expr.Exp, inner)) }
	s := columns.NewSlopes()
	s.Start(of(outer(n(expr.Add, inner, expr.Num(0)))), panel)
	want := slices.Clone(s.Block(0)[0])
	s.StartAt(of(outer(inner)), panel, []int{4, 2, 0}) // the root, the square, the first leaf
	got := s.Block(0)
	if !slices.Equal(got[1], want) || !slices.Equal(got[0], []float64{1, 1, 1}) || !(math.Abs(got[2][1]-math.E) < 1e-14) {
		t.Errorf("%v, want 1, %v and e for x = 1", got, want)
	}
}

// shifted returns the value of a tree in which h is added to constant k.
func shifted(f tree.Tree, k int, h float64, at map[string]float64) float64 {
	f = f.Clone()
	f.Values[k] += h
	symbols := []string{"x", "y"}
	values, _ := expr.NewTape(symbols, f.Expr(symbols)).Eval(nil, []float64{at["x"], at["y"]})
	return values[0]
}
