package vec

import (
	"fmt"

	"likc/runtime/num/isa"
)

// active is the instruction set in use.
var active = isa.Best()

// Use switches every kernel of the package to one instruction set, and returns a function that switches back.
// It is for tests and benchmarks: no kernel may be running. It panics for a level above isa.Best.
func Use(level isa.Level) (restore func()) {
	if level > isa.Best() {
		panic(fmt.Sprintf("vec: no %v kernels on this machine", level))
	}
	before := active
	active = level
	return func() { active = before }
}
