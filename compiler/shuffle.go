package compiler

import (
	"math/rand/v2"

	"likc/compiler/ir"
)

// shuffle returns the program with its values in a random order in which arguments still come before values that use them.
// Passes must not rely on more than that.
func shuffle(p *ir.Program, rng *rand.Rand) *ir.Program {
	waiting := make([]int, len(p.Values)) // for each value, the number of arguments that are not in order yet
	users := make([][]ir.ID, len(p.Values))
	var ready, order []ir.ID
	for i, v := range p.Values {
		waiting[i] = len(v.Args)
		for _, a := range v.Args {
			users[a] = append(users[a], ir.ID(i))
		}
		if len(v.Args) == 0 {
			ready = append(ready, ir.ID(i))
		}
	}
	for len(ready) > 0 {
		at, last := rng.IntN(len(ready)), len(ready)-1
		id := ready[at]
		ready[at], ready = ready[last], ready[:last]
		order = append(order, id)
		for _, u := range users[id] {
			if waiting[u]--; waiting[u] == 0 {
				ready = append(ready, u)
			}
		}
	}
	return p.Reorder(order)
}
