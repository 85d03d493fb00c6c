package evolve

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"likc/search/find/tree"
)

// witness is an objective that records which trees are scored.
type witness struct {
	*toy
	scored map[uint64]bool
}

type witnessScorer struct {
	Scorer
	scored map[uint64]bool
}

func (w witness) NewScorer() Scorer { return witnessScorer{w.toy.NewScorer(), w.scored} }

func (w witnessScorer) Score(t tree.Tree, limit float64, dst []float64) float64 {
	w.scored[t.Hash()] = true
	return w.Scorer.Score(t, limit, dst)
}

// ladder returns settings of the likc preset with islands of different sizes, for one epoch.
func ladder(t *testing.T) Settings {
	s, err := Preset("likc")
	if err != nil {
		t.Fatal(err)
	}
	s.MaxSize, s.Cycles, s.Threads = 20, 1, 1
	return s
}

// large returns n trees of the given number of nodes, with finite and different values.
func large(search *Search, nodes, n int) (trees []tree.Tree) {
	r, scorer, seen := rand.New(rand.NewPCG(5, 6)), search.objective.NewScorer(), map[uint64]bool{}
	for len(trees) < n {
		var t tree.Tree
		search.rules.set.Random(r, &t, nodes)
		print, finite := scorer.Fingerprint(t)
		if finite && !seen[print] && t.Size() == nodes && newChecker(search.rules).allowed(t) {
			seen[print] = true
			trees = append(trees, t)
		}
	}
	return trees
}

// All dealt trees are evaluated, also those that are too large for the smaller islands.
func TestDealtAreEvaluated(t *testing.T) {
	o, s := witness{product(), map[uint64]bool{}}, ladder(t)
	search := begin(t, o, s)
	trees := large(search, s.MaxSize, 100)
	if err := search.Deal(trees); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	search.Run(ctx, func(Snapshot) { stop() })
	lost := 0
	for _, x := range trees {
		if !o.scored[x.Hash()] {
			lost++
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d were not evaluated", lost, len(trees))
	}
}

// Of the preset's 31 islands with 27 members, 9 accept only small trees. The other 22 islands accept 13 large dealt trees each.
func TestDealRefuses(t *testing.T) {
	s := ladder(t)
	trees := large(begin(t, product(), s), s.MaxSize, 290)
	if err := begin(t, product(), s).Deal(trees[:286]); err != nil {
		t.Error(err)
	}
	if err := begin(t, product(), s).Deal(trees); err == nil || !strings.Contains(err.Error(), "of 290 expressions, 286 fit") {
		t.Errorf("290 large trees: error %v", err)
	}
	s.Ladder = 1
	if err := begin(t, product(), s).Deal(trees[:1]); err == nil || !strings.Contains(err.Error(), "20 nodes: no population takes more than 19") {
		t.Errorf("no island takes it: error %v", err)
	}
	search := begin(t, product(), ladder(t))
	for range 13 {
		if err := search.Guess(trees[0]); err != nil {
			t.Fatal(err)
		}
	}
	if err := search.Guess(trees[0]); err == nil {
		t.Error("more guesses than half of a population")
	}
}

// blocky is an objective with two blocks, whose operators a search may exclude.
type blocky struct{ *toy }

func (blocky) Blocks() []tree.Tree {
	minus, times := tree.Code(code("sub")), tree.Code(code("mul"))
	return []tree.Tree{{Codes: []tree.Code{0, 1, minus}}, {Codes: []tree.Code{0, 1, times}}}
}

// A search does not draw blocks with an excluded operator.
func TestBlocksKeepToTheOperators(t *testing.T) {
	s := small(t, "likc")
	s.Operators = []string{"add", "mul", "exp"}
	search := begin(t, blocky{product()}, s)
	if n := len(search.rules.set.Blocks); n != 1 {
		t.Errorf("%d blocks, want the product alone", n)
	}
	search.Run(context.Background(), func(Snapshot) {
		for i := range search.islands {
			for _, m := range search.islands[i].Members {
				if slices.Contains(m.Codes, code("sub")) {
					t.Fatalf("%v is in a population", m.Tree.Expr(search.rules.symbols))
				}
			}
		}
	})
}
