package evolve

import (
	"fmt"
	"maps"
	"slices"

	"likc/compiler/expr"
)

// How a search treats constants.
const (
	None      = "none"      // none is ever drawn
	Penalised = "penalised" // drawn, but an expression with one is infeasible: PySR as the paper used it
	Fitted    = "fitted"    // drawn and fitted
)

// Settings of a search. [Preset] gives complete ones.
type Settings struct {
	Preset  string   `json:"preset"` // the preset that the settings began as
	Seed    uint64   `json:"seed"`
	Budget  int64    `json:"budget"`           // full evaluations; 0: no bound
	Target  *float64 `json:"target,omitempty"` // a loss that ends the search; nil: none
	Threads int      `json:"-"`                // 0: one a core; changes nothing but the time

	Operators     []string            `json:"operators,omitempty"`      // nil: the operator table's search set
	MaxSize       int                 `json:"max_size"`                 // nodes
	ArgumentSize  map[string]int      `json:"argument_size"`            // most nodes of an operator's argument
	Nesting       map[string][]string `json:"nesting"`                  // operators that may not be anywhere below an operator
	Required      []string            `json:"required"`                 // symbols that must appear; nil: all
	Blocks        float64             `json:"blocks,omitempty"`         // share of the objective's blocks among the leaves drawn
	Constants     string              `json:"constants"`                // None, Penalised or Fitted
	ConstantShare float64             `json:"constant_share,omitempty"` // the share of constants among the leaves drawn, where there are constants; 0: half
	FitShare      float64             `json:"fit_share"`                // probability of a member's constants being fitted in an epoch
	Refit         float64             `json:"refit,omitempty"`          // probability of a child's constants being fitted roughly before it is scored
	Penalty       float64             `json:"penalty"`                  // added to the loss for each required symbol that the simplified expression lacks and for each penalised constant; it replaces what the objective would add

	Populations    int     `json:"populations"`
	PopulationSize int     `json:"population_size"`
	Cycles         int     `json:"cycles"` // an epoch is Cycles × ⌈PopulationSize/TournamentSize⌉ tournaments an island
	TournamentSize int     `json:"tournament_size"`
	TournamentP    float64 `json:"tournament_p"` // the k-th best wins with probability ∝ p(1-p)^(k-1)
	Crossover      float64 `json:"crossover"`    // probability of crossover, else mutation
	Attempts       int     `json:"attempts"`     // draws of one mutation until one meets the constraints
	Weights        Weights `json:"weights"`

	FrequencyScaling    float64 `json:"frequency_scaling"`    // adaptive parsimony: a tournament's loss times exp(scaling × share of the size)
	FrequencyAcceptance bool    `json:"frequency_acceptance"` // accept with probability (share of the parent's size)/(share of the child's)
	FrequencyWindow     float64 `json:"frequency_window"`     // members that the shares are taken over

	MigrationFraction float64 `json:"migration_fraction"` // the share of a population that the others' best replace in an epoch
	HallFraction      float64 `json:"hall_fraction"`      // the share of a population that the front replaces in an epoch
	Top               int     `json:"top"`                // members of each population that migrate

	Ladder            float64 `json:"ladder"`             // share of the islands that are kept small, to sizes evenly between StartSize and MaxSize
	Life              int     `json:"life"`               // epochs after which an island starts again with new members, each island at its own time; it gets no migrants in the first half; 0: never
	FeasibleStart     bool    `json:"feasible_start"`     // the first trees contain every required symbol
	StartSize         int     `json:"start_size"`         // most nodes of the first trees, each block counted as one
	RejectRegressions bool    `json:"reject_regressions"` // drop a candidate with more violations than its parent before it is evaluated
	Memo              bool    `json:"memo"`               // look up trees equal up to the order of operands
	Semantic          bool    `json:"semantic"`           // look up trees with equal values
	DropNonFinite     bool    `json:"drop_nonfinite"`     // whether values that are not finite keep an expression out of a population
	Distinct          bool    `json:"distinct"`           // no two members of a population with equal values: the shorter stays
	SkipNeutral       bool    `json:"skip_neutral"`       // do not draw mutations that cannot change the values
	LimitFactor       float64 `json:"limit_factor"`       // drop a candidate whose loss is above this many times the population's median; 0: never
	TableEntries      int     `json:"table_entries"`      // expressions remembered; beyond them all are forgotten
}

// Weights of the mutations, relative.
type Weights struct {
	Rotate    float64 `json:"rotate"`         // rotate the tree at a node
	Add       float64 `json:"add"`            // grow a leaf, or put an operator on top
	Insert    float64 `json:"insert"`         // put an operator on top of a node
	Delete    float64 `json:"delete"`         // take an operator below another out, or draw a leaf afresh
	Hoist     float64 `json:"hoist"`          // an operand in the place of its operator
	Operator  float64 `json:"operator"`       // another operator of the same arity
	Feature   float64 `json:"feature"`        // another symbol in a leaf
	Swap      float64 `json:"swap"`           // swap operands
	Subtree   float64 `json:"subtree"`        // a fresh small subtree in the place of a node
	Simplify  float64 `json:"simplify"`       // the canonical form, where the search set can express it
	Randomise float64 `json:"randomise"`      // a fresh tree
	Constant  float64 `json:"constant"`       // another value of a constant
	Nothing   float64 `json:"nothing"`        // the same tree, young again
	Grow      float64 `json:"grow,omitempty"` // a term where the objective's scorer says that it helps most
}

// list returns the weights in the order of the mutations.
func (w *Weights) list() [mutations]float64 {
	return [mutations]float64{w.Rotate, w.Add, w.Insert, w.Delete, w.Hoist, w.Operator, w.Feature, w.Swap, w.Subtree, w.Simplify,
		w.Randomise, w.Constant, w.Nothing, w.Grow}
}

// bound is a range that a setting must lie in.
type bound struct {
	name      string
	value     float64
	low, high float64
}

const huge = 1e18

// Check reports the first setting that makes no sense.
func (s *Settings) Check() error {
	for _, b := range s.bounds() {
		if !(b.value >= b.low && b.value <= b.high) {
			return fmt.Errorf("settings: %s: %v is not in [%v, %v]", b.name, b.value, b.low, b.high)
		}
	}
	sum := 0.0
	for _, w := range s.Weights.list() {
		if !(w >= 0 && w < huge) {
			return fmt.Errorf("settings: weights: %v is not in [0, %v]", w, huge)
		}
		sum += w
	}
	if sum == 0 {
		return fmt.Errorf("settings: weights: all are zero")
	}
	if s.Constants != None && s.Constants != Penalised && s.Constants != Fitted {
		return fmt.Errorf("settings: constants: %q is not %s, %s or %s", s.Constants, None, Penalised, Fitted)
	}
	return s.checkOperators()
}

func (s *Settings) bounds() []bound {
	return []bound{
		{"budget", float64(s.Budget), 0, huge},
		{"threads", float64(s.Threads), 0, 1 << 12},
		{"max_size", float64(s.MaxSize), 1, MostNodes},
		{"fit_share", s.FitShare, 0, 1},
		{"penalty", s.Penalty, 0, huge},
		{"constant_share", s.ConstantShare, 0, 1},
		{"refit", s.Refit, 0, 1},
		{"blocks", s.Blocks, 0, 1},
		{"populations", float64(s.Populations), 1, 1 << 16},
		{"population_size", float64(s.PopulationSize), 2, 1 << 16},
		{"cycles", float64(s.Cycles), 1, 1 << 20},
		{"tournament_size", float64(s.TournamentSize), 1, float64(s.PopulationSize)},
		{"tournament_p", s.TournamentP, 1e-6, 1},
		{"crossover", s.Crossover, 0, 1},
		{"attempts", float64(s.Attempts), 1, 1000},
		{"frequency_scaling", s.FrequencyScaling, 0, huge},
		{"frequency_window", s.FrequencyWindow, 1, huge},
		{"migration_fraction", s.MigrationFraction, 0, 1},
		{"hall_fraction", s.HallFraction, 0, 1},
		{"top", float64(s.Top), 1, float64(s.PopulationSize)},
		{"ladder", s.Ladder, 0, 1},
		{"life", float64(s.Life), 0, huge},
		{"start_size", float64(s.StartSize), 1, float64(s.MaxSize)},
		{"limit_factor", s.LimitFactor, 0, huge},
		{"table_entries", float64(s.TableEntries), 0, 1 << 30},
	}
}

// MostNodes is the largest size of expressions that a search can be set to.
const MostNodes = 200

// checkOperators looks up the operators that the constraints name.
func (s *Settings) checkOperators() error {
	for _, name := range slices.Sorted(maps.Keys(s.ArgumentSize)) {
		if _, ok := expr.ByName(name); !ok {
			return fmt.Errorf("settings: argument_size: unknown operator %s", name)
		}
		if s.ArgumentSize[name] < 1 {
			return fmt.Errorf("settings: argument_size: %s: %d is below 1", name, s.ArgumentSize[name])
		}
	}
	for _, outer := range slices.Sorted(maps.Keys(s.Nesting)) {
		for _, name := range append([]string{outer}, s.Nesting[outer]...) {
			if _, ok := expr.ByName(name); !ok {
				return fmt.Errorf("settings: nesting: unknown operator %s", name)
			}
		}
	}
	return nil
}

// largest is the size of the largest members of island i.
func (s *Settings) largest(i int) int {
	small := int(s.Ladder * float64(s.Populations))
	if i >= small {
		return s.MaxSize
	}
	return s.StartSize + (s.MaxSize-s.StartSize)*i/small
}

// age is the number of epochs that island i has lived at the start of an epoch; lives are staggered.
func (s *Settings) age(i, epoch int) int {
	if s.Life == 0 {
		return epoch
	}
	return (epoch + i*s.Life/s.Populations) % s.Life
}

// sheltered reports whether island i is too young for migrants, which would soon make it like the other islands.
func (s *Settings) sheltered(i, epoch int) bool { return s.Life > 0 && 2*s.age(i, epoch) < s.Life }
