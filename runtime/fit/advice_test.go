package fit

import (
	"strings"
	"testing"

	"likc/runtime/fit/hierarchy"
	"likc/runtime/num/chains"
)

// TestAdvice checks that steps have one order, that a step without use is left out, and that few divergent transitions need no step.
func TestAdvice(t *testing.T) {
	low, diverged := chains.Finding{Check: "ess"}, chains.Finding{Check: "divergences"}
	for _, c := range []struct {
		divergences int
		findings    chains.Diagnosis
		other       hierarchy.Form
		delta       float64
		want        string
	}{
		{0, chains.Diagnosis{{Check: "ess", OK: true}}, hierarchy.NonCentred, 0.9, ""},
		{3, chains.Diagnosis{diverged}, hierarchy.NonCentred, 0.9, ""},
		{40, chains.Diagnosis{diverged}, hierarchy.NonCentred, 0.9, "--effects non-centred; if warnings remain, with --adapt-delta 0.99; if warnings remain, with more draws"},
		{40, chains.Diagnosis{diverged, low}, "", 0.99, "Fit again with more draws"},
		{0, chains.Diagnosis{low}, hierarchy.Centred, 0.9, "--effects centred; if warnings remain, with more draws"},
	} {
		got := Advice(&Summary{Chains: 4, Draws: 1000, Divergences: c.divergences}, c.findings, c.other, c.delta)
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
