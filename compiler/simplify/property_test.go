package simplify

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/expr/exprtest"

	"pgregory.net/rapid"
)

// generators are families of random expressions: over the operators of the search, over all operators that a user can write, and over few
// symbols with the operators that sums and products collect, so that many terms and factors cancel.
var generators = []struct {
	name string
	g    *rapid.Generator[*expr.Expr]
}{
	{"search", exprtest.Expr(exprtest.Searchable(), 50)},
	{"table", exprtest.Expr(exprtest.Writable(), 50)},
	{"dense", exprtest.Over([]*expr.Expr{expr.Var("v"), expr.Var("a")}, algebra, 20)},
	{"powers", exprtest.Over([]*expr.Expr{expr.Var("v"), expr.New(expr.Sub, expr.Var("a"), expr.Var("v"))}, algebra[4:], 14)},
}

var algebra = []expr.Op{expr.Add, expr.Sub, expr.FMA, expr.Const, expr.Mul, expr.Div, expr.Neg, expr.Inv, expr.Square,
	expr.Sqrt, expr.Pow, expr.Abs, expr.Exp, expr.Log, expr.Cbrt}

// draws returns n random expressions.
func draws(g *rapid.Generator[*expr.Expr], n int) []*expr.Expr {
	if os.Getenv("LIKC_LONG") != "" {
		n *= 10
	}
	list := make([]*expr.Expr, n)
	for i := range list {
		list[i] = g.Example(i)
	}
	return list
}

// point is one evaluation of an expression, node by node.
type point struct {
	value   float64
	scale   float64 // the tape's running error scale
	finite  bool    // every intermediate value is finite
	extreme bool    // something overflowed, or underflowed to zero
	blurred bool    // an argument is within rounding of the edge of its operator's domain
}

// evaluate walks e at the values of the symbols.
func evaluate(e *expr.Expr, values []float64) point {
	p := point{finite: true}
	nodes := expr.Order(e)
	valueOf := map[*expr.Expr]float64{}
	for _, n := range nodes {
		var x [3]float64
		anyZero, scale := false, 0.0
		for i, a := range n.Args {
			x[i] = valueOf[a]
			anyZero = anyZero || x[i] == 0
			scale += math.Abs(x[i])
		}
		v := 0.0
		switch n.Op {
		case expr.Const:
			v = n.Value
		case expr.Sym:
			for i, name := range exprtest.Names {
				if name == n.Name {
					v = values[i]
				}
			}
		default:
			v = n.Op.Info().Eval(x)
		}
		valueOf[n] = v
		p.scale += math.Abs(v)
		bad := math.IsNaN(v) || math.IsInf(v, 0)
		p.finite = p.finite && !bad
		additive := n.Op == expr.Add || n.Op == expr.Sub
		p.extreme = p.extreme || math.Abs(v) > 1e100 || math.IsInf(v, 0) ||
			len(n.Args) > 0 && !additive && n.Op != expr.FMA && !anyZero && math.Abs(v) < 1e-100
	}
	p.value = valueOf[e]
	for _, c := range requirements(nil, e) {
		p.blurred = p.blurred || onEdge(valueOf[c.Expr], c.Must, 1e-9*p.scale)
	}
	return p
}

// onEdge reports whether a requirement holds on one side of v and not on the other, within width.
func onEdge(v float64, must expr.Must, width float64) bool {
	return math.IsNaN(v) || must.Holds(v+width) != must.Holds(v-width) || must.Holds(v) != must.Holds(v+width)
}

// TestValue checks on random expressions at random points that the simplified form is finite where the original is, equal
// where both are, and otherwise that a dropped condition does not hold.
func TestValue(t *testing.T) {
	for _, g := range generators {
		t.Run(g.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			var both, domain, skipped int
			for i, e := range draws(g.g, 1500) {
				r := Simplify(e, Options{})
				for k := 0; k < 20; k++ {
					switch verdict := judge(t, e, r, drawPoint(rng)); verdict {
					case "equal":
						both++
					case "domain":
						domain++
					default:
						skipped++
					}
					if t.Failed() {
						t.Fatalf("expression %d", i)
					}
				}
			}
			t.Logf("equal %d, domain %d, not judged %d", both, domain, skipped)
			if both < 5000 || domain < 5000 {
				t.Errorf("too few points judged: equal %d, domain %d, not judged %d", both, domain, skipped)
			}
		})
	}
}

// drawPoint draws values of the symbols.
func drawPoint(rng *rand.Rand) []float64 {
	values := make([]float64, len(exprtest.Names))
	for i := range values {
		values[i] = 2 * rng.NormFloat64()
	}
	return values
}

// judge compares e and its simplified form at a point. It returns the kind of the point: "equal" if both are finite, "domain" if the original
// is undefined, or another word if the point decides nothing.
func judge(t *testing.T, e *expr.Expr, r Result, values []float64) string {
	t.Helper()
	p, q := evaluate(e, values), evaluate(r.Expr, values)
	broken := false
	for _, c := range r.Dropped {
		x := evaluate(c.Expr, values)
		if !c.Must.Holds(x.value) {
			broken = true
		}
		p.blurred = p.blurred || onEdge(x.value, c.Must, 1e-9*p.scale)
	}
	finite := !math.IsNaN(q.value) && !math.IsInf(q.value, 0)
	switch {
	case p.extreme || q.extreme:
		return "extreme"
	case p.finite && !finite && !p.blurred:
		t.Errorf("narrowed: %s\n   to %s\nvalues %v: %v became %v\nfired %v", e, r.Expr, values, p.value, q.value, r.Fired)
	case p.finite && finite && !broken:
		tolerance := 1e-9 * max(p.scale, q.scale)
		if d := math.Abs(p.value - q.value); d > tolerance && !illConditioned(e, r.Expr, values, d) {
			t.Errorf("value: %s\n   to %s\nvalues %v: %v became %v\nfired %v", e, r.Expr, values, p.value, q.value, r.Fired)
		}
		return "equal"
	case math.IsNaN(p.value) && finite && !p.blurred:
		if !broken {
			t.Errorf("widened: %s\n   to %s\nvalues %v: NaN became %v\nfired %v, dropped %v", e, r.Expr, values, q.value, r.Fired, r.Dropped)
		}
		return "domain"
	case math.IsNaN(p.value) && math.IsNaN(q.value):
		return "domain"
	}
	return "blurred"
}

// illConditioned reports whether moving the symbols by a few rounding errors moves either form by as much as they differ.
func illConditioned(e, f *expr.Expr, values []float64, difference float64) bool {
	for i := range values {
		moved := append([]float64(nil), values...)
		for _, h := range []float64{1e-12, -1e-12, 1e-10} {
			moved[i] = values[i] * (1 + h)
			for _, g := range []*expr.Expr{e, f} {
				d := math.Abs(evaluate(g, moved).value - evaluate(g, values).value)
				if d > difference*1e-2 || math.IsNaN(d) {
					return true
				}
			}
		}
	}
	return false
}

// TestIdempotent checks that a second simplification changes nothing, that no expression grows, that the same input gives the same output
// and that the limit of rounds is never reached.
func TestIdempotent(t *testing.T) {
	for _, g := range generators {
		t.Run(g.name, func(t *testing.T) {
			reused := New(Options{})
			for i, e := range draws(g.g, 10000) {
				s := New(Options{})
				once := s.Simplify(e)
				if s.capped {
					t.Fatalf("%d: rounds used up on %s", i, e)
				}
				if twice := Simplify(once.Expr, Options{}); !twice.Expr.Equal(once.Expr) {
					t.Fatalf("%d: %s\nonce  %s\ntwice %s", i, e, once.Expr, twice.Expr)
				}
				if again := reused.Simplify(e); !again.Expr.Equal(once.Expr) {
					t.Fatalf("%d: %s\nfresh  %s\nreused %s", i, e, once.Expr, again.Expr)
				}
				if once.Expr.Size() > e.Size()+allowance(e) {
					t.Fatalf("%d: %s\ngrew to %s", i, e, once.Expr)
				}
			}
		})
	}
}

// allowance returns the number of nodes by which the simplified form of e may be larger: one for each reciprocal, because inv(x) becomes 1/x
// and x^-2 becomes 1/x^2.
func allowance(e *expr.Expr) int {
	n := 0
	if e.Op == expr.Inv || e.Op == expr.Pow && e.Args[1].Op == expr.Const && e.Args[1].Value < 0 {
		n = 1
	}
	for _, a := range e.Args {
		n += allowance(a)
	}
	return n
}

// TestShuffled checks that swapping arguments does not change the canonical form, and counts how often moving parentheses does not.
func TestShuffled(t *testing.T) {
	for _, g := range generators {
		t.Run(g.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 4))
			regrouped, total := 0, 0
			for i, e := range draws(g.g, 2000) {
				total++
				want := Simplify(e, Options{}).Expr
				swapped := expr.Map(e, func(n *expr.Expr, args []*expr.Expr) *expr.Expr {
					if n.Op.Info().Commutative && rng.IntN(2) == 0 {
						args[0], args[1] = args[1], args[0]
					}
					return n.With(args)
				})
				if got := Simplify(swapped, Options{}).Expr; !got.Equal(want) {
					t.Fatalf("%d: %s\nswapped %s\ngave %s\nnot  %s", i, e, swapped, got, want)
				}
				other := Simplify(regroup(swapped, rng), Options{}).Expr
				if other.Equal(want) {
					regrouped++
				} else if testing.Verbose() && i-regrouped < 12 {
					t.Logf("%s\n   %s\n   %s", e, want, other)
				}
			}
			t.Logf("regrouped: %d of %d equal", regrouped, total)
			if regrouped < total*95/100 {
				t.Errorf("regrouped: only %d of %d equal", regrouped, total)
			}
		})
	}
}

// regroup moves parentheses of sums and products: (x+y)+z = x+(y+z), x-(y-z) = (x-y)+z, (x*y)*z = x*(y*z).
func regroup(e *expr.Expr, rng *rand.Rand) *expr.Expr {
	return expr.Map(e, func(n *expr.Expr, args []*expr.Expr) *expr.Expr {
		n = n.With(args)
		if rng.IntN(2) == 0 || len(args) != 2 {
			return n
		}
		x, y := args[0], args[1]
		switch {
		case n.Op == x.Op && (n.Op == expr.Add || n.Op == expr.Mul):
			return expr.New(n.Op, x.Args[0], expr.New(n.Op, x.Args[1], y))
		case n.Op == expr.Sub && y.Op == expr.Sub:
			return expr.New(expr.Add, expr.New(expr.Sub, x, y.Args[0]), y.Args[1])
		case n.Op == expr.Sub && x.Op == expr.Add:
			return expr.New(expr.Add, x.Args[0], expr.New(expr.Sub, x.Args[1], y))
		case n.Op == expr.Div && x.Op == expr.Mul:
			return expr.New(expr.Mul, x.Args[0], expr.New(expr.Div, x.Args[1], y))
		}
		return n
	})
}

// TestRapid checks the same properties with rapid, which shrinks an expression that fails.
func TestRapid(t *testing.T) {
	g := exprtest.Expr(exprtest.Writable(), 12)
	rapid.Check(t, func(rt *rapid.T) {
		e := g.Draw(rt, "e")
		r := Simplify(e, Options{})
		if twice := Simplify(r.Expr, Options{}); !twice.Expr.Equal(r.Expr) {
			rt.Fatalf("%s\nonce  %s\ntwice %s", e, r.Expr, twice.Expr)
		}
		if r.Expr.Size() > e.Size()+allowance(e) {
			rt.Fatalf("%s\ngrew to %s", e, r.Expr)
		}
	})
}
