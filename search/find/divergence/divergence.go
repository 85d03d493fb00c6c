// Package divergence computes the loss of a search for densities: the mean Kullback-Leibler divergence of candidates from a teacher,
//
//	KL = E log p − E f + log Z      Z(θ) = Σ_choice ∫ exp f(rt, choice; θ) d rt      E under the teacher's density p(·; θ)
//
// in nats a trial. A candidate is an expression f; it is compared as the density exp f / Z. The divergence is 0 for the teacher's own log
// density, and above 0 for any other. A term of f that depends on θ alone, and not on the choice, changes nothing.
//
// # Nodes
//
// Both integrals are sums over the same nodes, which are response times. A group is one parameter vector, with one lane for each
// choice. A lane has Nodes times, at evenly spaced points x of
//
//	log(rt − onset) = c + h·sinh(3x)      sums over x converge exponentially fast for smooth f
//
// where c and h are such that the lane covers all times at which the teacher's density is not negligible. Beyond them, at either
// end, some nodes count only in Z. The sums with p leave out times at which p is less than e^-9 of its largest value, because a
// teacher has hardly seen any. Each lane's points are shifted by a random part of a step, so that no expression gains by its values
// between nodes. Z also has some times far beyond, where no useful expression has mass. A sum over nodes is itself a divergence: it
// is not negative, so the divergence of some groups is a lower bound for that of all.
//
// # Constants
//
// The scorer also fits an expression's constants c. The gradient of KL and its expected second derivatives are those of an
// exponential family,
//
//	∂KL/∂c = Σ (q − p) ∂f/∂c      ∂²KL/∂c∂c' ≈ Cov_q(∂f/∂c, ∂f/∂c')      q = exp f / Z
//
// so Newton steps, damped as by Levenberg and Marquardt [nocedal2006, section 10.3], need only first derivatives of f.
//
// Reference: [nocedal2006] J. Nocedal, S. Wright, Numerical Optimization, 2nd ed., Springer 2006.
package divergence

import (
	"errors"
	"fmt"
	"math"

	"likc/compiler/expr"
	"likc/compiler/simplify"
	"likc/search/find/columns"
	"likc/search/find/evolve"
	"likc/search/find/tree"
)

// Settings determine the loss. [Default] returns the defaults.
type Settings struct {
	Groups int     `json:"groups"` // number of parameter vectors
	Nodes  int     `json:"nodes"`  // number of response times of each lane
	Price  float64 `json:"price"`  // for each constant, the share of the loss that is added to the loss
}

// Default returns the default settings.
func Default() Settings { return Settings{Groups: 800, Nodes: 24, Price: 0.01} }

// Check returns an error for settings that determine no loss.
func (s Settings) Check() error {
	switch {
	case s.Groups < 2 || s.Groups > 1<<20 || s.Nodes < 8 || s.Nodes > 1<<12:
		return fmt.Errorf("settings: %d groups of %d nodes: want at least 2 and 8", s.Groups, s.Nodes)
	case !(s.Price >= 0 && s.Price <= 1):
		return fmt.Errorf("settings: price %v of a constant: want 0 to 1", s.Price)
	}
	return nil
}

// Density computes a teacher's log density.
type Density interface {
	// LogDensity sets dst[i] to log p(rt[i], choice[i] | theta[i]); -Inf outside the support.
	LogDensity(dst []float64, theta [][]float64, rt, choice []float64)
}

// Loss is the mean divergence over given groups. It never changes after New, so any number of scorers may use it at once.
type Loss struct {
	settings Settings
	header   *expr.Model
	symbols  []string
	sections []section
	groups   int
	probe    *columns.Panel[float64]
}

// These are the indices of a score's terms.
const (
	meanTerm = iota
	medianTerm
	worstTerm
	numTerms
)

// worst is the order of the quantile in the term kl_95.
const worst = 0.95

// Terms returns the names of the terms: mean, median and 95 % quantile of the divergence over groups.
func (l *Loss) Terms() []string { return []string{"kl", "kl_median", "kl_95"} }

// Columns returns the headings of the figures that listings print for an expression, and their format. The figures are
// divergences in nats per trial.
func (l *Loss) Columns() (heads []string, verb string) {
	return []string{"KL", "median KL", "95% KL"}, "%9.3g"
}

// Figures returns the terms of a score.
func (l *Loss) Figures(terms []float64) []float64 { return terms }

// ErrModel means that the divergence is not defined for a model.
var ErrModel = errors.New("want one trial column, and two boundaries or no choice")

// mostNodes is the largest number of nodes, as a multiple of the number asked for.
const mostNodes = 4

// New computes the nodes for the first Groups parameter vectors of theta. If the sum of a group's density over the nodes is far
// from 1, as it may be for a density with a sharp end, all groups get two or four times as many nodes. The log density of the
// header is not used.
func New(theta [][]float64, header *expr.Model, teacher Density, s Settings) (*Loss, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if len(header.Trials) != 1 || header.Choices > 0 {
		return nil, fmt.Errorf("model %s: %w", header.Name, ErrModel)
	}
	if len(theta) < s.Groups {
		return nil, fmt.Errorf("%d parameter vectors: want %d", len(theta), s.Groups)
	}
	l := &Loss{settings: s, header: header, symbols: append(header.ParamNames(), header.Trials...), groups: s.Groups}
	groups, err := newGroups(theta[:s.Groups], header, teacher, s.Nodes)
	for more := 2; errors.Is(err, ErrMass) && more <= mostNodes; more *= 2 {
		groups, err = newGroups(theta[:s.Groups], header, teacher, more*s.Nodes)
	}
	if err != nil {
		return nil, err
	}
	for from := 0; from < len(groups); {
		to := min(from+sectionGroups, len(groups))
		if from == 0 {
			to = min(firstGroups, len(groups))
		}
		l.sections = append(l.sections, newSection(groups[from:to], len(l.symbols)))
		from = to
	}
	l.probe = newProbe(groups[:min(probeGroups, len(groups))], len(l.symbols))
	return l, nil
}

// Symbols returns the names of the leaves: the parameters in the model's order, then the trial column.
func (l *Loss) Symbols() []string { return l.symbols }

// Settings returns the settings of the loss.
func (l *Loss) Settings() Settings { return l.settings }

// NewScorer returns a scorer with its own working memory, for one goroutine. It is an [evolve.Fitter].
func (l *Loss) NewScorer() evolve.Scorer { return newScorer(l) }

// Simplify returns the canonical form of an expression, given the conditions of the model's support.
func (l *Loss) Simplify(e *expr.Expr) *expr.Expr {
	return simplify.Simplify(e, simplify.Options{Assume: simplify.Under(l.header.Support)}).Expr
}

// Penalty returns 0, because scores contain no penalty.
func (l *Loss) Penalty() float64 { return 0 }

// Blocks returns trees that an expression is likely to contain. They are the differences of the two sides of the support's
// conditions, such as rt − t, their logs and reciprocals, and the parameters as reflected at the other boundary, such as 1 − z.
func (l *Loss) Blocks() (blocks []tree.Tree) {
	add := func(e *expr.Expr) {
		if t, err := tree.FromExpr(e, l.symbols); err == nil && t.Size() > 1 {
			blocks = append(blocks, t)
		}
	}
	for _, s := range l.header.Groups()[0].Support {
		d := expr.New(expr.Sub, s.Right, s.Left)
		add(d)
		add(expr.New(expr.Log, d))
		add(expr.New(expr.Div, expr.Num(1), d))
	}
	for _, e := range l.header.Reflected() {
		add(simplify.Simplify(e, simplify.Options{}).Expr)
	}
	return blocks
}

// rejected is the loss of an expression that is not finite at some node or whose density has no finite integral.
var rejected = math.Inf(1)
