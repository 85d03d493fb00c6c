package vec

import "fmt"

// ISA is a kind of kernel.
type ISA int

// The kinds of kernel, slowest first.
const (
	Portable ISA = iota // Go, everywhere
	AVX2                // with FMA and BMI2
	AVX512              // F and DQ, with FMA and BMI2
)

// String is the kind's name.
func (isa ISA) String() string { return [...]string{"portable", "AVX2", "AVX-512"}[isa] }

// active is the kind in use.
var active = best()

// Active is the kind in use.
func Active() ISA { return active }

// Available says whether this machine and build have a kind.
func Available(isa ISA) bool { return isa <= best() }

// Use switches every kernel to one kind and returns what switches back. It is
// for tests and benchmarks: no kernel may be running. A kind that is not
// Available is a broken invariant and panics.
func Use(isa ISA) (restore func()) {
	if !Available(isa) {
		panic(fmt.Sprintf("vec: no %v kernels on this machine", isa))
	}
	before := active
	active = isa
	return func() { active = before }
}
