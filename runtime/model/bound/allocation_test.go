//go:build !race

// The race detector empties pools at random.

package bound

import (
	"path/filepath"
	"testing"

	"likc/runtime/model/catalog"
)

// The log densities of a block of trials allocate nothing, for an exact density, an expression and a spline teacher.
func TestPointwiseAllocatesNothing(t *testing.T) {
	columns, choice := simulated(t, 32)
	for _, name := range []string{"ddm", "expr2", filepath.Join("..", "..", "..", "testdata", "teacher", "spline")} {
		m, err := catalog.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewPointwise(m, columns, choice)
		if err != nil {
			t.Fatal(err)
		}
		theta := nearby(m, 50, 0.1)
		dst := pointwise(p, theta, 32, 32)
		if n := testing.AllocsPerRun(20, func() { p.LogDensity(dst, theta, 0) }); n != 0 {
			t.Errorf("%s: a block of trials allocates %v times", name, n)
		}
	}
}
