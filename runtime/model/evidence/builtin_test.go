package evidence

import (
	"testing"

	"likc/testdata"
)

// TestBuiltin: densities of the processes that come with likc are as accurate as the documentation promises, over their ranges.
func TestBuiltin(t *testing.T) {
	for _, name := range testdata.ProcessNames() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, _ := testdata.Model(name)
			if a := density(t, text).Check(); !a.Kept() || !(a.Gradient < 2e-4) || !(a.Mass < 1e-6) {
				t.Errorf("%+v", a)
			}
		})
	}
}
