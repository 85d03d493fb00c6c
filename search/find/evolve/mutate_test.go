package evolve

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"likc/compiler/expr"
	"likc/search/find/tree"
)

// bench returns a worker without a population, for tests of single mutations.
func bench(t testing.TB, preset string, change func(*Settings)) *worker {
	s := small(t, preset)
	s.MaxSize = 50
	change(&s)
	search := begin(t, product(), s)
	w := newWorker(search)
	w.source.Seed(1, 2)
	w.out = &search.outcomes[0]
	return w
}

// parents calls use with n random trees.
func parents(w *worker, n int, use func(p tree.Tree)) {
	r := rand.New(rand.NewPCG(5, 5))
	for i := range n {
		var p tree.Tree
		w.set.Random(r, &p, 1+i%30)
		use(p)
	}
}

// mutants applies one kind of mutation to many parents. It checks that each child is a valid tree and that the parent is
// unchanged.
func mutants(t *testing.T, w *worker, kind int, use func(p, c tree.Tree)) {
	t.Helper()
	made := 0
	parents(w, 3000, func(p tree.Tree) {
		if unary, binary := w.arities(p); unary+binary == 0 {
			return
		}
		before := p.Clone()
		if !mutate[kind](w, p) {
			return
		}
		made++
		if err := w.child.Check(len(w.symbols)); err != nil || !p.Equal(before) {
			t.Fatalf("%v became %v: %v", p, w.child.Tree, err)
		}
		use(p, w.child.Tree)
	})
	if made < 300 {
		t.Errorf("only %d children of 3000 parents", made)
	}
}

// sorted returns the sorted codes of a tree.
func sorted(t tree.Tree) string {
	codes := slices.Clone(t.Codes)
	slices.Sort(codes)
	return fmt.Sprint(codes)
}

// differing returns the number of nodes in which trees of one size differ; -1 for trees of different sizes.
func differing(a, b tree.Tree) int {
	if a.Size() != b.Size() {
		return -1
	}
	n := 0
	for i := range a.Codes {
		if a.Codes[i] != b.Codes[i] {
			n++
		}
	}
	return n
}

// rotations returns all results of one rotation of e, by the definition on nodes: P(Q(A,B),C) → Q(A,P(B,C)) and back.
func rotations(e *expr.Expr) (list []*expr.Expr) {
	for k, q := range e.Args {
		last, first := len(q.Args)-1, 0
		if k == 0 && len(q.Args) > 0 { // right
			inner := e.With(append([]*expr.Expr{q.Args[last]}, e.Args[1:]...))
			list = append(list, q.With(append(slices.Clone(q.Args[:last]), inner)))
		}
		if k == len(e.Args)-1 && len(q.Args) > 0 { // left
			inner := e.With(append(slices.Clone(e.Args[:k]), q.Args[first]))
			list = append(list, q.With(append([]*expr.Expr{inner}, q.Args[1:]...)))
		}
		for _, r := range rotations(q) {
			args := slices.Clone(e.Args)
			args[k] = r
			list = append(list, e.With(args))
		}
	}
	return list
}

func TestRotate(t *testing.T) {
	w := bench(t, "likc", func(*Settings) {})
	kinds := map[string]bool{}
	mutants(t, w, rotate, func(p, c tree.Tree) {
		got := c.Expr(w.symbols)
		if !slices.ContainsFunc(rotations(p.Expr(w.symbols)), got.Equal) {
			t.Fatalf("%v is no rotation of %v", got, p.Expr(w.symbols))
		}
		kinds[fmt.Sprint(p.Codes[len(p.Codes)-1].Arity(), c.Codes[len(c.Codes)-1].Arity())] = true
	})
	if len(kinds) != 4 {
		t.Errorf("only the arities %v were rotated", kinds)
	}
}

// Every rotation of a tree is drawn.
func TestRotateReachesAll(t *testing.T) {
	w := bench(t, "pysr", func(*Settings) {})
	p := parse(t, "sqrt(x / exp(y)) - log(z^2)", w.symbols)
	want := map[string]bool{}
	for _, e := range rotations(p.Expr(w.symbols)) {
		want[e.String()] = true
	}
	got := map[string]bool{}
	for range 1000 {
		mutate[rotate](w, p)
		got[w.child.Expr(w.symbols).String()] = true
	}
	if len(got) != len(want) || len(want) < 5 {
		t.Errorf("drawn %v, want %v", got, want)
	}
}

func TestMutationsOfOneNode(t *testing.T) {
	w := bench(t, "likc", func(*Settings) {})
	mutants(t, w, operator, func(p, c tree.Tree) {
		if differing(p, c) != 1 || p.Symbols() != c.Symbols() {
			t.Fatalf("%v became %v", p, c)
		}
	})
	mutants(t, w, feature, func(p, c tree.Tree) {
		if differing(p, c) != 1 || !slices.Equal(operators(p), operators(c)) {
			t.Fatalf("%v became %v", p, c)
		}
	})
	mutants(t, w, swap, func(p, c tree.Tree) {
		if sorted(p) != sorted(c) || p.Hash() == c.Hash() && differing(p, c) != 0 {
			t.Fatalf("%v became %v", p, c)
		}
	})
}

func operators(t tree.Tree) (list []tree.Code) {
	for _, c := range t.Codes {
		if c.Arity() > 0 {
			list = append(list, c)
		}
	}
	return list
}

func TestMutationsThatGrow(t *testing.T) {
	w := bench(t, "likc", func(*Settings) {})
	for _, kind := range []int{add, insert} {
		mutants(t, w, kind, func(p, c tree.Tree) {
			if grown := c.Size() - p.Size(); grown < 1 || grown > 2 || len(operators(c)) != len(operators(p))+1 {
				t.Fatalf("%v became %v", p, c)
			}
		})
	}
}

func TestMutationsThatShrink(t *testing.T) {
	w := bench(t, "likc", func(*Settings) {})
	mutants(t, w, hoist, func(p, c tree.Tree) {
		if c.Size() >= p.Size() || c.Symbols()&^p.Symbols() != 0 {
			t.Fatalf("%v became %v", p, c)
		}
	})
	mutants(t, w, remove, func(p, c tree.Tree) {
		leaf := differing(p, c) == 1 || differing(p, c) == 0
		if !leaf && (c.Size() >= p.Size() || p.Codes[len(p.Codes)-1] != c.Codes[len(c.Codes)-1]) {
			t.Fatalf("%v became %v", p, c)
		}
	})
}

func TestMutationsWithConstants(t *testing.T) {
	w := bench(t, "pysr", func(*Settings) {})
	mutants(t, w, constant, func(p, c tree.Tree) {
		changed := 0
		for i := range p.Values {
			ratio := c.Values[i] / p.Values[i]
			if ratio != 1 {
				changed++
			}
			if ratio = max(ratio, 1/ratio, -ratio, -1/ratio); ratio > perturbation+1e-12 {
				t.Fatalf("%v became %v", p.Values, c.Values)
			}
		}
		if differing(p, c) != 0 || changed > 1 {
			t.Fatalf("%v became %v", p, c)
		}
	})
	for _, kind := range []int{rotate, add, insert, remove, hoist, operator, swap, subtree, nothing} {
		mutants(t, w, kind, func(p, c tree.Tree) {})
	}
}

// A simplified tree is not larger than the original, and has the same values.
func TestSimplifies(t *testing.T) {
	w := bench(t, "likc", func(*Settings) {})
	s := product().NewScorer().(*toyScorer)
	mutants(t, w, simpler, func(p, c tree.Tree) {
		if c.Size() > p.Size() {
			t.Fatalf("%v became %v", p, c)
		}
		for row := range 5 {
			a, b := s.value(p, row), s.value(c, row)
			if a-a == 0 && w.allowed(p) && !(abs(a-b) <= 1e-9*(abs(a)+1)) {
				t.Fatalf("%v is %v, %v is %v", p.Expr(w.symbols), a, c.Expr(w.symbols), b)
			}
		}
	})
}

func abs(x float64) float64 { return max(x, -x) }

// Crossover exchanges nodes: the two children together have the nodes of the two parents.
func TestCrossoverExchanges(t *testing.T) {
	w := bench(t, "likc", func(*Settings) {})
	r, made := rand.New(rand.NewPCG(9, 9)), 0
	for i := range 2000 {
		var a, b tree.Tree
		w.set.Random(r, &a, 1+i%25)
		w.set.Random(r, &b, 1+i%24)
		if !w.exchange(a, b) {
			continue
		}
		made++
		before := tree.Tree{Codes: slices.Concat(a.Codes, b.Codes)}
		after := tree.Tree{Codes: slices.Concat(w.child.Codes, w.twin.Codes)}
		if sorted(before) != sorted(after) || w.child.Check(3) != nil || w.twin.Check(3) != nil {
			t.Fatalf("%v and %v became %v and %v", a, b, w.child.Tree, w.twin.Tree)
		}
	}
	if made < 300 {
		t.Errorf("only %d pairs", made)
	}
}

// Mutations are drawn in proportion to their weights. Those that cannot change the tree are not drawn.
func TestDraw(t *testing.T) {
	w := bench(t, "pysr", func(s *Settings) { s.MaxSize = 20 })
	count := func(text string) (n [mutations]float64) {
		p := parse(t, text, w.symbols)
		for range 100000 {
			k, ok := w.draw(p)
			if !ok {
				t.Fatal("nothing is drawn")
			}
			n[k]++
		}
		return n
	}
	n, weights := count("x + y / z"), w.settings.Weights
	sum := 0.0
	for k, x := range weights.list() {
		if k != constant {
			sum += x
		}
	}
	if want := 100000 * weights.Rotate / sum; abs(n[rotate]-want) > 0.02*want {
		t.Errorf("%v rotations, want %v", n[rotate], want)
	}
	if n[constant] > 0 || n[feature] > 0 || n[hoist] > 0 {
		t.Errorf("drawn in vain: %v", n)
	}
	if n := count("x"); n[rotate]+n[remove]+n[operator]+n[swap]+n[simpler] > 0 {
		t.Errorf("drawn for a leaf: %v", n)
	}
	if n := count("sqrt(sqrt(x))"); n[swap] > 0 {
		t.Errorf("drawn for a chain: %v", n)
	}
	if n := count("x+x+x+x+x+x+x+x+x+sqrt(sqrt(x))"); n[add]+n[insert] > 0 {
		t.Errorf("drawn at the largest size: %v", n)
	}
}

func TestNoMemoryPerCandidate(t *testing.T) {
	w := bench(t, "likc", func(*Settings) {})
	var list []tree.Tree
	parents(w, 200, func(p tree.Tree) { list = append(list, p) })
	round := func() {
		for _, p := range list {
			kind, _ := w.draw(p)
			if kind != simpler && w.attempt(func() bool { return mutate[kind](w, p) && w.allowed(w.child.Tree) }) {
				w.child.Tree.Hash()
				w.violations(w.child.Tree)
			}
			w.exchange(p, list[0])
		}
	}
	round()
	if n := testing.AllocsPerRun(20, round); n > 2 { // buffers still grow to the largest tree
		t.Errorf("%v allocations for 200 candidates", n)
	}
}
