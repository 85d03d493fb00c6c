package evolve

import (
	"context"
	"math"
	"testing"

	"likc/compiler/expr"
	"likc/search/find/tree"
)

// strictToy is an objective that includes penalties for missing symbols in its losses, and can simplify every expression to x.
type strictToy struct {
	*toy
	gone bool // whether every expression simplifies to x
}

const toyPenalty = 1000

func (s strictToy) Penalty() float64 { return toyPenalty }

func (s strictToy) Simplify(e *expr.Expr) *expr.Expr {
	if s.gone {
		return expr.Var("x")
	}
	return e
}

func (s strictToy) NewScorer() Scorer { return strictScorer{&toyScorer{toy: s.toy}} }

type strictScorer struct{ *toyScorer }

func (s strictScorer) Score(t tree.Tree, limit float64, dst []float64) float64 {
	missing := 0
	for i := range s.symbols {
		if t.Symbols()>>i&1 == 0 {
			missing++
		}
	}
	return s.toyScorer.Score(t, limit, dst) + toyPenalty*float64(missing+t.Constants())
}

// A member's loss contains the penalty of each violation once, also if a tree with the same values was scored earlier.
func TestPenaltyOnce(t *testing.T) {
	s := small(t, "pysr")
	o := strictToy{toy: product()}
	search := begin(t, o, s)
	search.Run(context.Background(), nil)
	exact, terms, violating := &toyScorer{toy: o.toy}, make([]float64, 1), 0
	for _, i := range search.islands {
		for _, m := range i.Members {
			if m.Violations == 0 || math.IsInf(m.Loss, 1) {
				continue
			}
			violating++
			want := exact.Score(m.Tree, math.Inf(1), terms) + s.Penalty*float64(m.Violations)
			if math.Abs(m.Loss-want) > 1e-4*want {
				t.Errorf("%v with %d violations: loss %v, want %v", m.Tree.Expr(o.symbols), m.Violations, m.Loss, want)
			}
		}
	}
	if violating == 0 {
		t.Fatal("no member violates a constraint: nothing is tested")
	}
}

// An expression from which symbols vanish, according to the objective's Simplify, is not on the front and not useful.
func TestObjectiveSimplifies(t *testing.T) {
	for _, gone := range []bool{false, true} {
		search := begin(t, strictToy{product(), gone}, small(t, "likc"))
		search.Run(context.Background(), nil)
		c := search.Counters()
		if empty := len(search.Front()) == 0; empty != gone {
			t.Errorf("gone %v: a front of %d", gone, len(search.Front()))
		}
		if useless := c.UsefulShare() == 0; useless != gone || c.Sampled == 0 && !gone {
			t.Errorf("gone %v: useful share %v, sampled %d", gone, c.UsefulShare(), c.Sampled)
		}
	}
}

// A better entry of a niche counts as a change, even if the hall of fame does not change.
func TestNicheChanges(t *testing.T) {
	h := newHall(5)
	x := tree.Tree{Codes: []tree.Code{0}}
	h.put(Entry{Tree: x, Loss: 1, Niche: 1}, true)
	if !h.put(Entry{Tree: x, Loss: 3, Niche: 2}, true) {
		t.Error("a first entry of a niche is no change")
	}
	if h.put(Entry{Tree: x, Loss: 3, Niche: 2}, true) {
		t.Error("the same entry again is a change")
	}
}

func TestGuessOfOthers(t *testing.T) {
	s := small(t, "likc")
	s.Operators = []string{"add", "mul"}
	search := begin(t, product(), s)
	for text, allowed := range map[string]bool{"x*y + z": true, "x/y + z": false, "x*y + 2*z": false, "exp(x)": false} {
		if err := search.Guess(parse(t, text, []string{"x", "y", "z"})); (err == nil) != allowed {
			t.Errorf("%s: %v", text, err)
		}
	}
	s.Operators = []string{"exp", "log"}
	if _, err := New(product(), s); err == nil {
		t.Error("operators of one argument, three required symbols: no error")
	}
}
