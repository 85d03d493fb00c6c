package fit

import (
	"fmt"
	"math"
	"strings"

	"likc/runtime/fit/hierarchy"
	"likc/runtime/num/chains"
)

// advisedDelta is the target of the acceptance statistic that an advice against divergent transitions names.
const advisedDelta = 0.99

// Advice returns what to do, in this order, where checks of the sampler failed; "" if none did, or if so few transitions diverged that it
// matters little. other is the form of group effects to try, "" for none. delta is the target of the acceptance statistic of the fit, 0 if it is not known.
func Advice(s *Summary, d chains.Diagnosis, other hierarchy.Form, delta float64) string {
	few := chains.FewDivergences(s.Divergences, s.Chains*s.Draws)
	failed := map[string]bool{}
	for _, f := range d {
		failed[f.Check] = !f.OK
	}
	failed["divergences"] = failed["divergences"] && !few
	if !failed["divergences"] && !failed["e_bfmi"] && !failed["ess"] && !failed["rhat"] {
		return ""
	}
	var steps []string
	if other != "" {
		steps = append(steps, "--effects "+string(other))
	}
	if failed["divergences"] && delta < advisedDelta {
		steps = append(steps, fmt.Sprintf("--adapt-delta %v", advisedDelta))
	}
	steps = append(steps, "more draws (--draws, --warmup)", "narrower priors (--prior)")
	return "Fit again with " + strings.Join(steps, "; if warnings remain, with ") + ". docs/how-to/warnings.md explains these steps"
}

// advise adds the advice to a summary whose checks of the sampler failed.
func (r *Result) advise(delta float64) {
	s := r.Summary
	if s.Advice = Advice(s, r.Findings, r.Study.OtherForm(troubled(s.Params, r.Study)), delta); s.Advice != "" {
		s.Warnings = append(s.Warnings, s.Advice)
	}
}

// troubled returns the names of the parameters that fail the check of R-hat or of effective sample sizes. If none fails, it returns all names, because
// divergent transitions belong to no parameter.
func troubled(all []chains.Summary, s *hierarchy.Study) (names []string) {
	for _, p := range all {
		if p.Rhat > chains.MaxRhat || math.Min(p.ESSBulk, p.ESSTail) < chains.MinESS(p.Chains) {
			names = append(names, p.Name)
		}
	}
	if names == nil {
		return s.Names()
	}
	return names
}
