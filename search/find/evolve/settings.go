package evolve

import (
	"fmt"
	"maps"
	"slices"

	"likc/compiler/expr"
)

// These are the ways to treat constants.
const (
	None      = "none"      // constants are never drawn
	Penalised = "penalised" // constants are drawn, but make an expression infeasible, as in the paper's use of PySR
	Fitted    = "fitted"    // constants are drawn and fitted
)

// Settings determine a search. [Preset] returns complete ones.
type Settings struct {
	Preset  string   `json:"preset"` // the preset that the settings began as
	Seed    uint64   `json:"seed"`
	Budget  int64    `json:"budget"`           // number of full evaluations; 0: no limit
	Target  *float64 `json:"target,omitempty"` // a loss that ends the search; nil: none
	Threads int      `json:"-"`                // 0: one for each core; the results do not depend on it

	Operators     []string            `json:"operators,omitempty"`      // nil: the operator table's search set
	MaxSize       int                 `json:"max_size"`                 // largest number of nodes
	ArgumentSize  map[string]int      `json:"argument_size"`            // for each operator, the largest number of nodes of its argument
	Nesting       map[string][]string `json:"nesting"`                  // for each operator, the operators that may not occur below it
	Required      []string            `json:"required"`                 // symbols that must appear; nil: all
	Blocks        float64             `json:"blocks,omitempty"`         // probability that a drawn leaf is one of the objective's blocks
	Constants     string              `json:"constants"`                // None, Penalised or Fitted
	ConstantShare float64             `json:"constant_share,omitempty"` // probability that a drawn leaf is a constant, if constants are allowed; 0: one half
	FitShare      float64             `json:"fit_share"`                // probability that a member's constants are fitted in an epoch
	Refit         float64             `json:"refit,omitempty"`          // probability that a child's constants are fitted roughly before it is scored
	Penalty       float64             `json:"penalty"`                  // added to the loss for each required symbol that the simplified expression lacks and for each penalised constant; it replaces what the objective would add

	Populations    int     `json:"populations"`
	PopulationSize int     `json:"population_size"`
	Cycles         int     `json:"cycles"` // an epoch makes Cycles × ⌈PopulationSize/TournamentSize⌉ tournaments on each island
	TournamentSize int     `json:"tournament_size"`
	TournamentP    float64 `json:"tournament_p"` // the k-th best wins with probability ∝ p(1-p)^(k-1)
	Crossover      float64 `json:"crossover"`    // probability of a crossover; otherwise a mutation is made
	Attempts       int     `json:"attempts"`     // number of draws of one mutation, until one meets the constraints
	Weights        Weights `json:"weights"`

	FrequencyScaling    float64 `json:"frequency_scaling"`    // adaptive parsimony: in a tournament, a loss is multiplied by exp(scaling × share of members of that size)
	FrequencyAcceptance bool    `json:"frequency_acceptance"` // accept a child with probability (share of members with the parent's size)/(share with the child's size)
	FrequencyWindow     float64 `json:"frequency_window"`     // number of members over which the shares of sizes are computed

	MigrationFraction float64 `json:"migration_fraction"` // the share of a population that the best members of others replace in an epoch
	HallFraction      float64 `json:"hall_fraction"`      // the share of a population that the front replaces in an epoch
	Top               int     `json:"top"`                // number of members of each population that may migrate

	Ladder            float64 `json:"ladder"`             // share of the islands that hold only small expressions, with limits evenly between StartSize and MaxSize
	Life              int     `json:"life"`               // number of epochs after which an island starts again with new members, each island at a different epoch; it gets no migrants in the first half; 0: never
	FeasibleStart     bool    `json:"feasible_start"`     // the first trees contain every required symbol
	StartSize         int     `json:"start_size"`         // largest number of nodes of the first trees, in which a block counts as one node
	RejectRegressions bool    `json:"reject_regressions"` // drop a candidate with more violations than its parent before it is evaluated
	Memo              bool    `json:"memo"`               // whether to look up trees that are equal up to the order of operands
	Semantic          bool    `json:"semantic"`           // whether to look up trees with equal values
	DropNonFinite     bool    `json:"drop_nonfinite"`     // whether a candidate whose values are not finite is kept out of the population
	Distinct          bool    `json:"distinct"`           // whether two members with equal values are forbidden; the shorter one stays
	SkipNeutral       bool    `json:"skip_neutral"`       // whether to skip mutations that cannot change the values
	LimitFactor       float64 `json:"limit_factor"`       // drop a candidate whose loss is above this many times the population's median; 0: never
	TableEntries      int     `json:"table_entries"`      // number of expressions remembered; when it is reached, all are forgotten
}

// Weights are the relative frequencies of the mutations.
type Weights struct {
	Rotate    float64 `json:"rotate"`         // rotate the tree at a node
	Add       float64 `json:"add"`            // grow a leaf, or put an operator on top
	Insert    float64 `json:"insert"`         // put an operator on top of a node
	Delete    float64 `json:"delete"`         // remove an operator below another one, or draw a leaf again
	Hoist     float64 `json:"hoist"`          // replace an operator by one of its operands
	Operator  float64 `json:"operator"`       // replace an operator by another one of the same arity
	Feature   float64 `json:"feature"`        // replace the symbol of a leaf
	Swap      float64 `json:"swap"`           // swap operands
	Subtree   float64 `json:"subtree"`        // replace a node by a small random subtree
	Simplify  float64 `json:"simplify"`       // replace the tree by its canonical form, if the search's operators can express it
	Randomise float64 `json:"randomise"`      // replace the tree by a random one
	Constant  float64 `json:"constant"`       // change the value of a constant
	Nothing   float64 `json:"nothing"`        // keep the tree, as the youngest member
	Grow      float64 `json:"grow,omitempty"` // add a term where the objective's scorer expects that it helps most
}

// list returns the weights in the order of the mutations.
func (w *Weights) list() [mutations]float64 {
	return [mutations]float64{w.Rotate, w.Add, w.Insert, w.Delete, w.Hoist, w.Operator, w.Feature, w.Swap, w.Subtree, w.Simplify,
		w.Randomise, w.Constant, w.Nothing, w.Grow}
}

// bound is the range in which a setting must lie.
type bound struct {
	name      string
	value     float64
	low, high float64
}

const huge = 1e18

// Check returns an error for the first setting that is not allowed.
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

// MostNodes is the largest value that a search's MaxSize can have.
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

// largest returns the size of the largest expressions that island i accepts.
func (s *Settings) largest(i int) int {
	small := int(s.Ladder * float64(s.Populations))
	if i >= small {
		return s.MaxSize
	}
	return s.StartSize + (s.MaxSize-s.StartSize)*i/small
}

// age returns the number of epochs that island i has lived at the start of an epoch. Islands begin their lives at different epochs.
func (s *Settings) age(i, epoch int) int {
	if s.Life == 0 {
		return epoch
	}
	return (epoch + i*s.Life/s.Populations) % s.Life
}

// sheltered reports whether island i is too young for migrants. They would soon make it like the other islands.
func (s *Settings) sheltered(i, epoch int) bool { return s.Life > 0 && 2*s.age(i, epoch) < s.Life }
