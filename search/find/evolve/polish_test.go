package evolve

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"likc/search/find/tree"
)

// polisher returns a polisher with changed settings.
func polisher(t testing.TB, o Objective, change func(*Settings, *Climb)) *Polisher {
	s, c := small(t, "likc"), Climb{Seed: 1, Evaluations: 6000, Price: 1e-3, Margin: 1e-5, Pairs: 12000}
	change(&s, &c)
	p, err := NewPolisher(o, s, c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// texts returns the texts of trees, sorted and each once.
func texts(all func(func(tree.Tree) bool), symbols []string) (list []string) {
	for x := range all {
		list = append(list, x.Expr(symbols).String())
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func TestNeighboursByHand(t *testing.T) {
	xy := []string{"x", "y"}
	o := newToy(xy, 1, 2, 5, func(x []float64) float64 { return x[0] })
	for _, c := range []struct {
		of, required string
		blocks       []tree.Tree
		want         []string
	}{
		{"x - y", "x", nil, []string{
			"x", "x - x", // instead of y and of x - y; y and y - y lack x
			"exp(x) - y", "x - exp(y)", "exp(x - y)",
			"x + x - y", "x + y - y", "x - x - y", "x - y - y", "y - x - y",
			"x - (y + x)", "x - (y + y)", "x - (y - x)", "x - (x - y)", "x - (y - y)",
			"x - y + x", "x - y + y", "y - (x - y)", "x - y - x", "x + y", "y - x"}},
		{"exp(x)", "x", nil, []string{
			"x", "exp(exp(x))", "exp(x + x)", "exp(x + y)", "exp(x - x)", "exp(x - y)", "exp(y - x)",
			"exp(x) + x", "exp(x) + y", "exp(x) - x", "exp(x) - y", "x - exp(x)", "y - exp(x)"}},
		{"x", "x", []tree.Tree{parse(t, "x - y", xy)}, []string{
			"x - y", "exp(x)", "x + x", "x + y", "x - x", "y - x", "x + (x - y)", "x - (x - y)", "x - y - x"}},
	} {
		p := polisher(t, o, func(s *Settings, _ *Climb) {
			s.Operators, s.Required, s.Nesting = []string{"add", "sub", "exp"}, []string{c.required}, nil
		})
		p.rules.addBlocks(c.blocks, 0.3)
		var want []string
		for _, w := range c.want {
			want = append(want, parse(t, w, xy).Expr(xy).String())
		}
		slices.Sort(want)
		if got := texts(p.Neighbours(parse(t, c.of, xy)), xy); !slices.Equal(got, want) {
			t.Errorf("%s:\n%q, want\n%q", c.of, got, want)
		}
	}
}

// The neighbours of any tree are well formed, obey the constraints and differ from the tree.
func TestNeighboursObeyConstraints(t *testing.T) {
	w := bench(t, "likc", func(*Settings) {})
	symbols, n := w.symbols, 0
	parents(w, 60, func(of tree.Tree) {
		for x := range w.rules.steps(of) {
			n++
			if err := x.Check(len(symbols)); err != nil {
				t.Fatalf("of %v: %v", of.Expr(symbols), err)
			}
			if why := breaks(x.Expr(symbols)); why != "" || x.Equal(of) {
				t.Fatalf("%v of %v: %s", x.Expr(symbols), of.Expr(symbols), why)
			}
			if x.Symbols() != 1<<len(symbols)-1 {
				t.Fatalf("%v lacks a symbol", x.Expr(symbols))
			}
		}
	})
	if n < 1000 {
		t.Fatalf("%d neighbours", n)
	}
}

// climbs polishes trees, and returns the results.
func climbs(t *testing.T, p *Polisher, o *toy, starts []string) (ends []Entry) {
	for i, s := range starts {
		e, err := p.Polish(context.Background(), o.NewScorer(), parse(t, s, o.symbols), uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, e)
	}
	return ends
}

var climbStarts = []string{"x*y/z + z - y", "x*y*z + z^2 - y", "x + y - z", "x*y/z + z^2", "(x - x + x)*y/z - y"}

// Polishing finds the target from trees that are several edits away.
func TestPolishReachesTheOptimum(t *testing.T) {
	o := newToy([]string{"x", "y"}, 0.5, 2, 30, func(x []float64) float64 { return x[0]*x[1] + x[0] })
	p := polisher(t, o, func(*Settings, *Climb) {})
	for _, e := range climbs(t, p, o, []string{"x + y", "x / y", "exp(x) - y", "sqrt(y)*(x - x + x)", "y / (x + y^2)"}) {
		if e.Loss > 1e-20 {
			t.Errorf("%v: loss %v, want x*y + x", e.Tree.Expr(o.symbols), e.Loss)
		}
	}
}

// The result of polishing is never worse than its start, and its loss and terms are exact.
func TestPolishIsNeverWorse(t *testing.T) {
	o := product()
	p := polisher(t, o, func(_ *Settings, c *Climb) { c.Evaluations = 600 })
	scorer, terms := o.NewScorer(), make([]float64, 1)
	for i, e := range climbs(t, p, o, climbStarts) {
		x := parse(t, climbStarts[i], o.symbols)
		before := scorer.Score(x, math.Inf(1), terms) + 1e-3*float64(x.Size())
		if after := e.Loss + 1e-3*float64(e.Size()); after > before {
			t.Errorf("%s: from %v to %v", climbStarts[i], before, after)
		}
		if exact := scorer.Score(e.Tree, math.Inf(1), terms); exact != e.Loss || terms[0] != e.Terms[0] || e.Evaluations > 600+int64(p.rules.maxSize) {
			t.Errorf("%v: loss %v, terms %v, want %v after %d evaluations", e.Tree.Expr(o.symbols), e.Loss, e.Terms, exact, e.Evaluations)
		}
	}
}

func TestPolishIsDeterministic(t *testing.T) {
	o := product()
	text := func(seed uint64) string {
		p := polisher(t, o, func(_ *Settings, c *Climb) { c.Seed, c.Evaluations = seed, 60 })
		return fmt.Sprint(climbs(t, p, o, climbStarts))
	}
	if one := text(1); one != text(1) || one == text(2) {
		t.Error("a seed gives two results, or two seeds one")
	}
}

// A climb continues from the canonical form. It does not accept a tree from which a symbol vanishes.
func TestPolishSimplifies(t *testing.T) {
	o := newToy([]string{"x", "y"}, 1, 2, 20, func(x []float64) float64 { return x[0] })
	p := polisher(t, o, func(_ *Settings, c *Climb) { c.Margin = 10 }) // no step lowers a loss by so much
	if e := climbs(t, p, o, []string{"x - x + x*y"})[0]; e.Tree.Expr(o.symbols).String() != "x * y" {
		t.Errorf("%v, want x * y", e.Tree.Expr(o.symbols))
	}
	p = polisher(t, o, func(*Settings, *Climb) {})
	if loss := p.Score(o.NewScorer(), parse(t, "y - y + x", o.symbols), make([]float64, 1)); !math.IsInf(loss, 1) {
		t.Errorf("the loss of x alone is %v where y is required", loss)
	}
	e := climbs(t, p, o, []string{"x + y"})[0]
	if gone := p.rules.vanishing(nil, e.Tree); gone > 0 {
		t.Errorf("%v lacks %d symbols", e.Tree.Expr(o.symbols), gone)
	}
}

// When the evaluations are used up, the result is simplified. If the canonical form of the complete tree has a constant, its
// subtrees are simplified.
func TestPolishSimplifiesAtTheEnd(t *testing.T) {
	o := newToy([]string{"x", "y"}, 1, 2, 20, func(x []float64) float64 { return x[0] })
	p := polisher(t, o, func(_ *Settings, c *Climb) { c.Evaluations = 1 })
	starts := []string{"x - x + x*y", "x/x + x*(y + y - y)", "exp(x + y - x + x) - (y - y)", "exp(y/(x/x)) + x/x", "x + x*y"}
	want := []string{"x * y", "x / x + x * y", "exp(x + y)", "exp(y) + x / x", "x + x * y"}
	for i, e := range climbs(t, p, o, starts) {
		form, size := parse(t, want[i], o.symbols), int64(parse(t, starts[i], o.symbols).Size())
		if e.Tree.Hash() != form.Hash() {
			t.Errorf("%s: %v, want %s", starts[i], e.Tree.Expr(o.symbols), want[i])
		}
		if e.Evaluations > 1+2*size {
			t.Errorf("%s: %d evaluations of %d nodes", starts[i], e.Evaluations, size)
		}
	}
	// The climb itself ends with the evaluations, and then comes to what can no longer be simplified.
	for _, evaluations := range []int64{2, 5, 20, 80} {
		p = polisher(t, o, func(_ *Settings, c *Climb) { c.Evaluations = evaluations })
		for i, e := range climbs(t, p, o, starts) {
			form := p.rules.canonical(nil, e.Tree)
			if c, err := tree.FromExpr(form, o.symbols); err == nil && p.rules.admits(c) == nil && c.Size() < e.Size() {
				t.Errorf("%s, %d evaluations: %v is left, not %v", starts[i], evaluations, e.Tree.Expr(o.symbols), form)
			}
		}
	}
}

// stopping is a scorer that cancels a context at its n-th score.
type stopping struct {
	*toyScorer
	n      int
	cancel func()
}

func (s *stopping) Score(t tree.Tree, limit float64, dst []float64) float64 {
	if s.n--; s.n == 0 {
		s.cancel()
	}
	return s.toyScorer.Score(t, limit, dst)
}

func TestPolishStops(t *testing.T) {
	o := product()
	ctx, cancel := context.WithCancel(context.Background())
	s := &stopping{&toyScorer{toy: o}, 20, cancel}
	e, err := polisher(t, o, func(*Settings, *Climb) {}).Polish(ctx, s, parse(t, climbStarts[2], o.symbols), 0)
	if err != context.Canceled || e.Evaluations != 20 {
		t.Errorf("%v after %d evaluations, want to stop after 20", err, e.Evaluations)
	}
}
