package checks

import (
	"testing"

	"likc/search/study/ablate"
)

// TestCoverage: a formula that was given up has no coverage, and the table shows no range of nothing.
func TestCoverage(t *testing.T) {
	given := ablate.Outcome{Params: []ablate.Param{{Covered: 0.85}, {Covered: 0.5}}}
	for want, o := range map[string]*ablate.Outcome{"-": {}, "0.50–0.85": &given} {
		if got := coverage(o); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
