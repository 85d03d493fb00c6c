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

// Climb are the settings of a [Polisher].
type Climb struct {
	Seed        uint64  `json:"seed"`
	Evaluations int64   `json:"evaluations"`    // the budget of one climb, after which it only simplifies
	Price       float64 `json:"price"`          // the price of a node, which is added to the loss
	Margin      float64 `json:"margin"`         // the least amount by which a step must lower the sum of loss and price
	Pairs       int     `json:"pairs"`          // trees two edits away that are tried where none at one edit is better
	Grow        int     `json:"grow,omitempty"` // terms that the scorer may add before edits are tried, as a [Grower]
}

// Check reports the first setting that makes no sense.
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

// Polisher is local search on what a search found, under the same rules. It never changes, so any number of goroutines may
// polish at once, each with a scorer of its own.
type Polisher struct {
	objective Objective
	strict    Strict // nil without
	rules     *rules
	settings  Climb
}

// NewPolisher takes from a search's settings what they say of expressions: operators, sizes, nesting, symbols, blocks.
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

// Check says why no climb can begin at a tree.
func (p *Polisher) Check(t tree.Tree) error { return p.rules.admits(t) }

// Neighbours yields the trees one edit from t that the settings allow and that have every required symbol: another leaf, or
// one of the objective's blocks, in the place of a leaf or of a subtree of at most three nodes; another operator, operands
// swapped, or both; an operator put around a subtree, a leaf or block being its other operand; an operator taken away in
// favour of an operand. Some come twice. A tree is valid until the next one.
func (p *Polisher) Neighbours(t tree.Tree) iter.Seq[tree.Tree] { return p.rules.steps(t) }

// Score is the exact loss of a tree, with its terms in dst; +Inf where it is no number, or a required symbol is missing or
// vanishes in simplification.
func (p *Polisher) Score(scorer Scorer, t tree.Tree, dst []float64) float64 {
	loss := scorer.Score(t, math.Inf(1), dst)
	if math.IsNaN(loss) || p.rules.violations(t) > 0 || p.rules.vanishing(p.strict, t) > 0 {
		return math.Inf(1)
	}
	return loss
}

// Polish climbs from t, and returns the tree that it reaches and the number of evaluations. It first replaces t by its canonical form, or,
// where that is not allowed, larger or worse, brings t's subtrees to theirs. Then it tries single edits in random order and takes the
// first that lowers the loss plus the price of the nodes by more than the margin. Where no single edit does, it tries random pairs. It
// ends where pairs do not help either, or when the evaluations are used up, and simplifies the result as it did t. A scorer that fits
// constants does so for every tree that is tried. The result depends on t, the settings and start alone; start seeds the random order.
// The error is ctx's.
func (p *Polisher) Polish(ctx context.Context, scorer Scorer, t tree.Tree, start uint64) (Entry, error) {
	c := p.begin(ctx, scorer, t, start)
	c.canonical()
	for c.takeGrown() || c.takeEdit() || c.takePair() {
	}
	c.canonical()
	c.tidy()
	c.at.Evaluations = c.scored
	c.at.Print, _ = scorer.Fingerprint(c.at.Tree)
	if n, ok := p.objective.(Nicher); ok {
		c.at.Niche = n.Niche(c.at.Terms)
	}
	return c.at, ctx.Err()
}

// begin evaluates the tree that a climb begins at.
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
