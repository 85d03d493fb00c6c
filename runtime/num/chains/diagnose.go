package chains

import (
	"fmt"
	"math"
	"strings"
)

// Thresholds of the diagnosis. They are those of [vehtari2021] and of CmdStan's diagnose. With four chains the effective sample sizes must be 400.
const (
	MaxRhat        = 1.01
	MinESSPerChain = 100
	MinEBFMI       = 0.3
)

// Finding is the outcome of one check: the observation, and advice.
type Finding struct {
	Check string // divergences, treedepth, e_bfmi, ess or rhat
	OK    bool
	Text  string
}

// Diagnosis holds one finding for each check, in a fixed order.
type Diagnosis []Finding

// OK reports whether no check found a problem.
func (d Diagnosis) OK() bool {
	for _, f := range d {
		if !f.OK {
			return false
		}
	}
	return true
}

// String returns the diagnosis in words, with a paragraph for each check.
func (d Diagnosis) String() string {
	var b strings.Builder
	for _, f := range d {
		b.WriteString(f.Text)
		b.WriteString("\n\n")
	}
	if d.OK() {
		b.WriteString("No problems detected.\n")
	} else {
		b.WriteString("Problems detected: read the paragraphs above before using these draws. docs/how-to/warnings.md has what to do, in order.\n")
	}
	return b.String()
}

// Diagnose checks divergences, tree depth, E-BFMI, effective sample sizes and R-hat, mostly in CmdStan's words. Checks whose
// sampler columns are absent are left out. summaries are those of Summarise.
func (d *Draws) Diagnose(summaries []Summary) Diagnosis {
	var all Diagnosis
	if d.hasSamplerColumns() {
		all = append(all, d.checkTreeDepth(), d.checkDivergences(), d.checkEnergy())
	}
	return append(all, checkESS(summaries, len(d.Chains)), checkRhat(summaries))
}

func (d *Draws) hasSamplerColumns() bool {
	for i := range d.Chains {
		c := &d.Chains[i]
		if len(c.TreeDepth) != c.Len() || len(c.Divergent) != c.Len() || len(c.Energy) != c.Len() {
			return false
		}
	}
	return true
}

// transitions counts the kept draws of all chains.
func (d *Draws) transitions() int {
	total := 0
	for i := range d.Chains {
		total += d.Chains[i].Len()
	}
	return total
}

func share(part, whole int) string {
	return fmt.Sprintf("%d of %d (%.2f%%)", part, whole, 100*float64(part)/float64(whole))
}

func (d *Draws) checkTreeDepth() Finding {
	limit := d.Run.MaxDepth
	if limit == 0 {
		limit = 10
	}
	hits := 0
	for i := range d.Chains {
		for _, depth := range d.Chains[i].TreeDepth {
			if depth >= limit {
				hits++
			}
		}
	}
	if hits == 0 {
		return Finding{"treedepth", true, "Treedepth satisfactory for all transitions."}
	}
	return Finding{"treedepth", false, fmt.Sprintf("%s transitions hit the maximum treedepth limit of %d, or 2^%d leapfrog steps.\n"+
		"Trajectories that are prematurely terminated due to this limit will result in slow exploration.\n"+
		"Increase max_depth: such long trajectories mean scales that differ widely or strong correlations (docs/how-to/warnings.md).",
		share(hits, d.transitions()), limit, limit)}
}

func (d *Draws) checkDivergences() Finding {
	count := d.Divergences()
	if count == 0 {
		return Finding{"divergences", true, "No divergent transitions found."}
	}
	means := "The draws may miss a part of it."
	if FewDivergences(count, d.transitions()) {
		means = "So few matter little (docs/how-to/warnings.md)."
	}
	return Finding{"divergences", false, fmt.Sprintf("%s transitions diverged: the sampler could not follow the posterior there.\n%s",
		share(count, d.transitions()), means)}
}

// FewDivergences reports whether so small a share of the transitions diverged that it matters little: less than 1 of 1,000.
func FewDivergences(count, transitions int) bool { return 1000*count < transitions }

func (d *Draws) checkEnergy() Finding {
	var low []string
	undefined := 0
	for i := range d.Chains {
		e := EBFMI(d.Chains[i].Energy)
		if math.IsNaN(e) {
			undefined++
		}
		if e < MinEBFMI {
			low = append(low, fmt.Sprintf("chain %d: %.2f", d.Chains[i].ID, e))
		}
	}
	if undefined == len(d.Chains) {
		return Finding{"e_bfmi", true, "E-BFMI undefined: the energies do not vary, or there are too few."}
	}
	if len(low) == 0 {
		return Finding{"e_bfmi", true, "E-BFMI satisfactory."}
	}
	return Finding{"e_bfmi", false, fmt.Sprintf("The E-BFMI is below the nominal threshold of %.2f (%s):\n"+
		"the sampler takes long to get into the tails of the posterior, so means and quantiles may be off.", MinEBFMI, strings.Join(low, ", "))}
}

func checkESS(summaries []Summary, chains int) Finding {
	least := MinESS(chains)
	names := failing(summaries, func(s Summary) (string, bool) {
		return fmt.Sprintf("bulk %.0f, tail %.0f", s.ESSBulk, s.ESSTail), min(s.ESSBulk, s.ESSTail) < least
	})
	missing := without("effective sample size", summaries, func(s Summary) float64 { return min(s.ESSBulk, s.ESSTail) })
	if names == "" && missing == "" {
		return Finding{"ess", true, "Rank-normalized split effective sample size satisfactory for all parameters" + constants(summaries)}
	}
	if names != "" {
		names = fmt.Sprintf("The following parameters had fewer than %.0f effective draws, %d per chain, in bulk or tail:\n%s"+
			"Too few in bulk make means and R-hat unreliable, too few in tail the 5 %% and 95 %% quantiles.", least, MinESSPerChain, names)
	}
	return Finding{"ess", false, join(names, missing)}
}

// MinESS returns the smallest effective sample size that passes the check of a fit with a number of chains.
func MinESS(chains int) float64 { return MinESSPerChain * float64(chains) }

// join joins the paragraphs of a finding, of which one may be "".
func join(names, missing string) string {
	return strings.TrimSpace(names + "\n" + missing)
}

func checkRhat(summaries []Summary) Finding {
	names := failing(summaries, func(s Summary) (string, bool) { return RhatText(s.Rhat), s.Rhat > MaxRhat })
	missing := without("R-hat", summaries, func(s Summary) float64 { return s.Rhat })
	if names == "" && missing == "" {
		return Finding{"rhat", true, "Rank-normalized split R-hat values satisfactory for all parameters" + constants(summaries)}
	}
	if names != "" {
		names = fmt.Sprintf("The following parameters had rank-normalized split R-hat greater than %.2f:\n%s"+
			"The chains disagree there: they have not found the same distribution, and estimates may be far off.", MaxRhat, names)
	}
	return Finding{"rhat", false, join(names, missing)}
}

// without returns a sentence that names the parameters for which a figure is undefined, with the reason; "" if there is
// none. The check ignores these parameters.
func without(figure string, summaries []Summary, of func(Summary) float64) string {
	names := failing(summaries, func(s Summary) (string, bool) { return s.Undefined, math.IsNaN(of(s)) && !s.constant() })
	if names == "" {
		return ""
	}
	return fmt.Sprintf("The %s of the following parameters is undefined:\n%s", figure, strings.ReplaceAll(names, " ()", ""))
}

// RhatText returns R-hat with three decimals: "undefined" for NaN, and ">1000" for larger values, whose digits mean nothing.
func RhatText(rhat float64) string {
	switch {
	case math.IsNaN(rhat):
		return "undefined"
	case rhat > 1000:
		return ">1000"
	case rhat > MaxRhat && rhat < MaxRhat+0.0005: // three decimals would print the limit itself
		return fmt.Sprintf("%.4f", rhat)
	}
	return fmt.Sprintf("%.3f", rhat)
}

// constants returns the end of a sentence about all parameters. It names the constant parameters, for which the sentence does not hold.
func constants(summaries []Summary) string {
	var names []string
	for _, s := range summaries {
		if s.constant() {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return "."
	}
	return " but those that are constant, where it is undefined: " + strings.Join(names, ", ") + "."
}

// constant reports whether all draws of the parameter are equal. Its R-hat and effective sample sizes are then undefined, which is no
// problem.
func (s Summary) constant() bool { return s.SD == 0 && !math.IsNaN(s.Mean) }

// mostNamed is the largest number of parameters that a finding names.
const mostNamed = 20

// failing returns a line for each of the first mostNamed parameters that fail a check, and a line with the number of further ones.
func failing(summaries []Summary, check func(Summary) (string, bool)) string {
	var b strings.Builder
	failed := 0
	for _, s := range summaries {
		text, bad := check(s)
		if !bad {
			continue
		}
		if failed++; failed <= mostNamed {
			fmt.Fprintf(&b, "  %s (%s)\n", s.Name, text)
		}
	}
	if failed > mostNamed {
		fmt.Fprintf(&b, "  and %d more\n", failed-mostNamed)
	}
	return b.String()
}
