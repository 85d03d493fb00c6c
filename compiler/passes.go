package compiler

import (
	"fmt"
	"math/rand/v2"

	"likc/compiler/ir"
	"likc/compiler/pass"
)

// step is a pass with its name.
type step struct {
	name string
	run  pass.Func
}

// passes lists the optimisation passes in the order in which they run.
var passes = []step{
	{"share", pass.Share},
	{"fold", pass.Fold},
	{"strength", pass.Strength},
	{"refold", pass.Fold},
	{"hoist", pass.Hoist},
	{"last fold", pass.Fold},
	{"dead", pass.Dead},
	{"align", (*ir.Program).Aligned},
	{"schedule", pass.Schedule},
}

// order says which pass must come before which other, and why. checkOrder checks the list of passes against it.
var order = []struct{ first, then, why string }{
	{"share", "strength", "equal divisors must be one value before their reciprocal is shared"},
	{"fold", "strength", "1/x must be a reciprocal before divisions by x look for it"},
	{"strength", "refold", "rewritten powers leave products by one to fold"},
	{"strength", "hoist", "a division by a scalar must be a product before scalars can meet"},
	{"hoist", "last fold", "hoisting brings constants together, and a loop should be given their product"},
	{"hoist", "dead", "reassociation leaves the old products behind"},
	{"last fold", "align", "a builder orders arguments by their numbers"},
	{"dead", "schedule", "a use by a dead value would change where its argument is scheduled"},
}

func init() { checkOrder() }

// checkOrder panics if the passes are not in the order that their rules require.
func checkOrder() {
	position := map[string]int{}
	for i, s := range passes {
		position[s.name] = i + 1
	}
	for _, o := range order {
		if position[o.first] == 0 || position[o.then] == 0 || position[o.first] > position[o.then] {
			panic(fmt.Sprintf("compiler: pass %s must come before %s: %s", o.first, o.then, o.why))
		}
	}
}

// run applies all passes to a program. With check it verifies the program and interprets it on generated data after every pass;
// an error names the pass that broke it. If rng is not nil, run also shuffles the values before every pass.
func run(p *ir.Program, check bool, rng *rand.Rand) (*ir.Program, error) {
	var c *checker
	if check {
		var err error
		if c, err = newChecker(p); err != nil {
			return nil, err
		}
	}
	for _, s := range passes {
		if rng != nil {
			p = shuffle(p, rng)
		}
		q, err := runStep(s, p)
		if err != nil {
			return nil, err
		}
		if c != nil {
			if err := c.compare(q); err != nil {
				return nil, fmt.Errorf("pass %s: %w", s.name, err)
			}
		}
		p = q
	}
	return p, nil
}

// runStep runs one pass. If the pass panics, it returns an error with the name of the pass.
func runStep(s step, p *ir.Program) (q *ir.Program, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("pass %s: %v", s.name, r)
		}
	}()
	return s.run(p), nil
}
