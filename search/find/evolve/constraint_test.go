package evolve

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/simplify"
	"likc/search/find/tree"
)

var five = []string{"v", "a", "z", "t", "rt"}

func paperChecker(t *testing.T, change func(*Settings)) *checker {
	s, _ := Preset("likc")
	change(&s)
	r, err := newRules(&s, five)
	if err != nil {
		t.Fatal(err)
	}
	return newChecker(r)
}

// chain returns a sum of n leaves, which has 2n-1 nodes.
func chain(n int) string { return strings.Repeat("v + ", n-1) + "v" }

// TestEachConstraintAlone: for each constraint, an expression that breaks it is refused, and one that just meets it is allowed.
func TestEachConstraintAlone(t *testing.T) {
	c := paperChecker(t, func(*Settings) {})
	for _, x := range []struct {
		text string
		want bool
	}{
		{chain(25), true}, {"sqrt(v) + " + chain(24), true}, {chain(26), false}, // 49, 50 and 51 nodes
		{"exp(" + chain(5) + ")", true}, {"exp(sqrt(v) + " + chain(4) + ")", false}, // 9 and 10 nodes
		{"log(" + chain(5) + ")", true}, {"log(sqrt(v) + " + chain(4) + ")", false},
		{"sqrt(" + chain(5) + ")", true}, {"sqrt(v^2 + " + chain(4) + ")", false},
		{"(" + chain(20) + ")^2", true}, {"v / (" + chain(20) + ")", true},
		{"log(log(v))", false}, {"log(a + sqrt(log(v)))", false}, {"log(log(v) * a)", false}, {"log(v) * log(a)", true},
		{"exp(exp(v))", false}, {"exp(a - sqrt(exp(v)))", false}, {"exp(v) + exp(a)", true},
		{"log(exp(v))", false}, {"log(a / (t - exp(v)))", false},
		{"exp(log(v))", true}, {"exp(a * log(v))", true}, {"sqrt(log(v))", true}, {"sqrt(exp(v))", true}, {"sqrt(sqrt(v))", true},
	} {
		if got := c.allowed(parse(t, x.text, five)); got != x.want {
			t.Errorf("%s: allowed %v, want %v", x.text, got, x.want)
		}
	}
}

func TestConstraintsAreSettings(t *testing.T) {
	c := paperChecker(t, func(s *Settings) {
		s.MaxSize, s.StartSize = 20, 9
		s.ArgumentSize = map[string]int{"div": 3, "square": 2}
		s.Nesting = map[string][]string{"sqrt": {"add"}}
	})
	for text, want := range map[string]bool{
		chain(10): true, chain(11): false, "v / (v * a)": true, "v / (v * a)^2": false, "(v * a * t) / v": false,
		"sqrt(v)^2": true, "(v + a)^2": false, "sqrt(v * (a + t))": false, "sqrt(v - a) + t": true, "log(log(v))": true,
		"log(" + chain(9) + ")": true,
	} {
		if got := c.allowed(parse(t, text, five)); got != want {
			t.Errorf("%s: allowed %v, want %v", text, got, want)
		}
	}
}

func TestViolations(t *testing.T) {
	all := paperChecker(t, func(*Settings) {})
	some := paperChecker(t, func(s *Settings) { s.Required = []string{"a", "rt"}; s.Constants = Penalised })
	none := paperChecker(t, func(s *Settings) { s.Required = []string{} })
	for _, c := range []struct {
		text            string
		all, some, none int
	}{
		{"v + a + z + t + rt", 0, 0, 0}, {"v + a + z + t", 1, 1, 0}, {"v", 4, 2, 0}, {"a * rt", 3, 0, 0},
		{"a * rt + 2 / 3", 3, 2, 0},
	} {
		x := parse(t, c.text, five)
		if got := [3]int{all.violations(x), some.violations(x), none.violations(x)}; got != [3]int{c.all, c.some, c.none} {
			t.Errorf("%s: violations %v, want %v", c.text, got, [3]int{c.all, c.some, c.none})
		}
	}
}

// breaks checks the paper's constraints independently, on an expression. It returns the name of the first one that is broken, or
// "".
func breaks(e *expr.Expr) string {
	size := map[expr.Op]int{expr.Exp: 9, expr.Log: 9, expr.Sqrt: 9}
	inside := func(e *expr.Expr, op expr.Op) bool {
		return slices.ContainsFunc(expr.Order(e.Args...), func(n *expr.Expr) bool { return n.Op == op })
	}
	for _, n := range expr.Order(e) {
		limit, capped := size[n.Op]
		switch {
		case n.Op == expr.Const:
			return "constant"
		case capped && n.Args[0].Size() > limit:
			return "argument size"
		case n.Op == expr.Log && (inside(n, expr.Log) || inside(n, expr.Exp)), n.Op == expr.Exp && inside(n, expr.Exp):
			return "nesting"
		}
	}
	if e.Size() > 50 {
		return "size"
	}
	return ""
}

// watched is an objective that counts, for each constraint, the scored trees that break it.
type watched struct {
	*toy
	mutex  *sync.Mutex
	broken map[string]int
	scored *int
}

type watchedScorer struct {
	Scorer
	watched
}

func (w watched) NewScorer() Scorer { return watchedScorer{w.toy.NewScorer(), w} }

func (w watchedScorer) Score(t tree.Tree, limit float64, dst []float64) float64 {
	w.mutex.Lock()
	w.broken[breaks(t.Expr(w.symbols))]++
	*w.scored++
	w.mutex.Unlock()
	return w.Scorer.Score(t, limit, dst)
}

// Whatever the mutations do, no scored tree breaks a constraint, except that of constants in a preset that allows them.
func TestConstraintsHoldByConstruction(t *testing.T) {
	for _, preset := range Presets {
		o := watched{product(), &sync.Mutex{}, map[string]int{}, new(int)}
		s := small(t, preset)
		s.MaxSize, s.Budget = 50, 20000
		search := begin(t, o, s)
		search.Run(context.Background(), nil)
		constants := o.broken["constant"]
		if *o.scored < 10000 || constants+o.broken[""] != *o.scored || preset == "likc" && constants > 0 {
			t.Errorf("%s: of %d trees broke %v", preset, *o.scored, o.broken)
		}
	}
}

// Entries are as described: a fresh scorer computes the same loss, no constraint is broken, no symbol vanishes in simplification,
// and losses on the front decrease.
func TestFindsAreExact(t *testing.T) {
	for _, preset := range Presets {
		for _, limit := range []float64{0, 2} {
			s := small(t, preset)
			s.LimitFactor = limit
			o := niched{product()}
			search := begin(t, o, s)
			search.Run(context.Background(), nil)
			if len(search.Front()) < 3 || len(search.Archive()) < len(search.Front()) {
				t.Errorf("%s: %d on the front, %d in the archive", preset, len(search.Front()), len(search.Archive()))
			}
			last := math.Inf(1)
			for _, e := range search.Front() {
				if e.Loss >= last {
					t.Errorf("%s: the front rises", preset)
				}
				last = e.Loss
			}
			for _, e := range search.FrontWithin(1) {
				if e.Niche&1 == 0 {
					t.Errorf("%s: niche %b on the front within 1", preset, e.Niche)
				}
			}
			for _, e := range slices.Concat(search.Front(), search.FrontWithin(1), search.Archive()) {
				checkEntry(t, o, e)
			}
		}
	}
}

func checkEntry(t *testing.T, o niched, e Entry) {
	t.Helper()
	terms := make([]float64, 1)
	x := e.Tree.Expr(o.symbols)
	loss := o.NewScorer().Score(e.Tree, math.Inf(1), terms)
	if loss != e.Loss || terms[0] != e.Terms[0] || o.Niche(terms) != e.Niche {
		t.Errorf("%v: loss %v, terms %v: said to be %v, %v", x, loss, terms, e.Loss, e.Terms)
	}
	if b := breaks(x); b != "" {
		t.Errorf("%v breaks %s", x, b)
	}
	if left := expr.Symbols(simplify.Simplify(x, simplify.Options{}).Expr); len(left) != len(o.symbols) {
		t.Errorf("%v has only %v when simplified", x, left)
	}
}
