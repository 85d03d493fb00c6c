package checks

import (
	"testing"

	"likc/search/study/ablate"
)

// TestCoverage: the table shows the range of the parameters' coverages, and "-" for a formula without parameters, whose fits were given up.
func TestCoverage(t *testing.T) {
	given := ablate.Outcome{Params: []ablate.Param{{Covered: 0.85}, {Covered: 0.5}}}
	for want, o := range map[string]*ablate.Outcome{"-": {}, "0.50–0.85": &given} {
		if got := coverage(o); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
