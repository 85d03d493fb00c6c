package evidence

import (
	"slices"
	"testing"

	"likc/runtime/model/ssm"
)

// A swap of the boundaries turns the sign of a drift and takes a start to 1 - z; a process without such a reflection has none.
func TestMirror(t *testing.T) {
	got, ok := mirror(read(t, urgencyText))
	want := []ssm.Mirror{ssm.Negate, ssm.Same, ssm.Complement, ssm.Same, ssm.Same, ssm.Same} // v, a, z, t, g, k
	if !ok || !slices.Equal(got, want) {
		t.Errorf("urgency: %v, %v; want %v", got, ok, want)
	}
	for _, block := range []string{"start 0 drift v upper 1 lower -2", "start 0.2 drift v upper 1", "start uniform(-0.5, 0.2) drift v upper 1"} {
		if got, ok := mirror(read(t, "model m { trial rt positive choice c param v in [-2, 2] param t in [0, 1] evidence x after t { "+block+" } }")); ok {
			t.Errorf("%s: reflected by %v", block, got)
		}
	}
}
