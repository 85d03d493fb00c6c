package catalog

import (
	"slices"
	"testing"
)

// TestNumerical checks that processes of two boundaries that have a teacher also have a model with a numerical density,
// with the same parameters and ranges.
func TestNumerical(t *testing.T) {
	want := []string{"gamma_drift_numerical", "hyperbolic_numerical", "ornstein_numerical", "shrinking_spotlight_numerical", "weibull_numerical"}
	if got := numericalNames(); !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
	for _, name := range want {
		m, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		teacher, err := Open(name[:len(name)-len(numericalSuffix)])
		if err != nil {
			t.Fatal(err)
		}
		if m.Origin.Kind != Numerical || !m.Origin.Builtin || m.Name != name || !slices.Equal(m.Params, teacher.Params) {
			t.Errorf("%s is %s with %v, its teacher has %v", name, m.Origin.Kind, m.Params, teacher.Params)
		}
	}
	for _, name := range []string{"ddm_numerical", "lca2_numerical", "levy_numerical", "_numerical", "nothing_numerical"} {
		if _, err := Open(name); err == nil {
			t.Errorf("%s opens", name)
		}
	}
}
