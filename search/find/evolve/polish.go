package evolve

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"

	"likc/search/find/tree"
)

// Climb holds the settings of a [Polisher].
type Climb struct {
	Seed        uint64  `json:"seed"`
	Evaluations int64   `json:"evaluations"`    // the budget of one climb; after it, the climb only simplifies
	Price       float64 `json:"price"`          // the price of a node, which is added to the loss
	Margin      float64 `json:"margin"`         // the least amount by which a step must lower the sum of loss and price
	Pairs       int     `json:"pairs"`          // number of trees two edits away that are tried if no single edit is better
	Grow        int     `json:"grow,omitempty"` // how often, at each step, a scorer that is a [Grower] tries to add a term, before edits are tried
}

// Check returns an error for the first setting that is not allowed.
func (c *Climb) Check() error {
	for _, b := range []bound{
		{"evaluations", float64(c.Evaluations), 1, huge},
		{"price", c.Price, 0, huge},
		{"margin", c.Margin, 0, huge},
		{"pairs", float64(c.Pairs), 0, huge},
		{"grow", float64(c.Grow), 0, huge},
	} {
		if !(b.value >= b.low && b.value <= b.high) {
			return fmt.Errorf("settings: %s: %v is not in [%v, %v]", b.name, b.value, b.low, b.high)
		}
	}
	return nil
}

// Polisher improves expressions by local search, under the rules of the search that found them. It never changes, so any number of
// goroutines may polish at once, each with its own scorer.
type Polisher struct {
	objective Objective
	strict    Strict // the objective, if it is [Strict], so that simplification may use what it knows of the symbols; otherwise nil
	rules     *rules
	settings  Climb
}

// NewPolisher returns a polisher for an objective. Of a search's settings, it uses those that restrict expressions: operators,
// sizes, nesting, symbols, and blocks: small trees that the objective offers as if they were symbols (see [Blocker]).
func NewPolisher(o Objective, s Settings, c Climb) (*Polisher, error) {
	if err := errors.Join(s.Check(), c.Check()); err != nil {
		return nil, err
	}
	r, err := rulesOf(o, &s)
	if err != nil {
		return nil, err
	}
	p := &Polisher{objective: o, rules: r, settings: c}
	p.strict, _ = o.(Strict)
	return p, nil
}

// Check returns an error if a climb cannot begin at t, because t breaks the rules.
func (p *Polisher) Check(t tree.Tree) error { return p.rules.admits(t) }

// Neighbours yields the trees that differ from t by one edit, that the settings allow and that have every required symbol. The edits
// are: replace a leaf, or a subtree of at most three nodes, by a leaf or a block; change an operator, swap its operands, or both;
// put an operator around a subtree, with a leaf or block as its other operand; replace an operator by one of its operands. Some
// trees come twice. A tree is valid until the next one.
func (p *Polisher) Neighbours(t tree.Tree) iter.Seq[tree.Tree] { return p.rules.steps(t) }

// Score returns the loss of a tree, computed to the end, and sets dst to the terms of the loss. It returns +Inf if the loss is NaN,
// a required symbol is missing or vanishes in simplification, or the tree has a constant that the settings penalise.
func (p *Polisher) Score(scorer Scorer, t tree.Tree, dst []float64) float64 {
	loss := scorer.Score(t, math.Inf(1), dst)
	if math.IsNaN(loss) || p.rules.violations(t) > 0 || p.rules.vanishing(p.strict, t) > 0 {
		return math.Inf(1)
	}
	return loss
}

// Polish improves t by local search, and returns the tree that it reaches and the number of evaluations. First it replaces t by
// its canonical form. If that form is not allowed, larger or worse, it replaces t's subtrees by their canonical forms. Then it
// tries single edits in random order and makes the first that lowers the loss plus the price of the nodes by more than the
// margin. If no single edit does, it tries random pairs of edits. It ends if no pair does either, or the evaluations are used up,
// and simplifies the result in the same way. A scorer that is a [Tidier] then improves the constants of the result, which is
// simplified again. A scorer that fits constants fits them for every tree that is tried. The result depends only on t, the settings
// and start, which seeds the random order. The error is ctx's.
func (p *Polisher) Polish(ctx context.Context, scorer Scorer, t tree.Tree, start uint64) (Entry, error) {
	c := p.begin(ctx, scorer, t, start)
	c.canonical()
	for c.takeGrown() || c.takeEdit() || c.takePair() {
	}
	c.canonical()
	c.tidy()
	c.at.Evaluations = c.scored
	c.at.Print, _ = scorer.Fingerprint(c.at.Tree) // Print is short for fingerprint
	if n, ok := p.objective.(Nicher); ok {        // the archive's niche of the result, such as the set of parameters that it recovers
		c.at.Niche = n.Niche(c.at.Terms)
	}
	return c.at, ctx.Err()
}

// begin evaluates the tree at which a climb begins.
func (p *Polisher) begin(ctx context.Context, scorer Scorer, t tree.Tree, start uint64) *climb {
	c := &climb{Polisher: p, ctx: ctx, scorer: scorer, random: rand.New(rand.NewPCG(p.settings.Seed, start)), scored: 1,
		forms: map[uint64]bool{t.Hash(): true}, shortest: map[uint64]int{}}
	c.at = Entry{Tree: t.Clone(), Terms: make([]float64, len(p.objective.Terms()))}
	c.at.Loss = p.Score(scorer, t, c.at.Terms)
	c.trial = make([]float64, len(c.at.Terms))
	if print, finite := scorer.Fingerprint(t); finite {
		c.shortest[print] = t.Size()
	}
	return c
}
