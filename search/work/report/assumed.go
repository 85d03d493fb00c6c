package report

import (
	"fmt"

	"likc/runtime/model/ssm"
)

// assumed sets the page's sentences on the assumptions behind the numbers.
func (p *page) assumed() {
	add := func(format string, args ...any) { p.Assumed = append(p.Assumed, fmt.Sprintf(format, args...)) }
	onset := ""
	if m, err := ssm.Lookup(p.Recipe.Model); err == nil {
		ranges := ""
		for i, q := range m.Params {
			if i > 0 {
				ranges += ", "
			}
			ranges += fmt.Sprintf("%s in [%g, %g]", q.Name, q.Lower, q.Upper)
		}
		add("Parameters of simulated subjects are drawn uniformly from %s; the same ranges are the priors of all fits.", ranges)
		if m.Notes != "" {
			add("%s", m.Notes)
		}
		onset = m.Onset
	}
	add("A formula is an estimating function, not a normalised density: its posterior is a generalised one, and its intervals carry no guarantee of coverage.")
	if onset != "" {
		add("Outside the support, where a response would come before %[1]s, the likelihood is 0. %[1]s is therefore learned mostly from the fastest responses, and fast guesses mislead it.", onset)
	}
	if p.Recipe.Judge != nil || p.Sweep != nil {
		add("The judge and the search share no data and no code of the loss.")
	}
	if p.Holdout != nil && !p.SameSubjects() {
		add("The subjects that rank the formulas are not those of the held-out check.")
	}
	if s := p.Recipe.Search; s != nil && s.Evals > 0 {
		add("A search ends after a fixed number of evaluations, not after a time: the same seed gives the same formulas on any number of cores.")
	}
	if p.Sweep != nil {
		add("The search, not the formula, is the unit of replication: intervals are 95 %% bootstrap intervals over %d resamples of the searches.", p.Sweep.Settings.Resamples)
	}
}
