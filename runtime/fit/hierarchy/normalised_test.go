package hierarchy

import "testing"

// The gradient of a normalised model's posterior equals finite differences, with a column of many values and its interaction with
// conditions.
func TestGradientOfNormalised(t *testing.T) {
	s := newStudy(t, "../../../testdata/densities/found60.lik", NonCentred, "v ~ x * cond + (1 | subject)", "a ~ 1 + (1 | subject)")
	checkGradient(t, s, somewhere(s))
}
