package compiler

import (
	"math/rand/v2"

	"likc/compiler/ir"
)

// shuffle puts the values of a program in a random order that keeps arguments before the values that use them: no pass may
// rely on more.
func shuffle(p *ir.Program, rng *rand.Rand) *ir.Program {
	waiting := make([]int, len(p.Values)) // arguments not yet placed
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
