package report

import (
	"fmt"
	"strconv"

	"likc/search/study/judge"
)

// done sets the page's sentences on the work that the run did, with its settings.
func (p *page) done() {
	add := func(format string, args ...any) { p.Done = append(p.Done, fmt.Sprintf(format, args...)) }
	if t := p.Recipe.Teacher; t != nil && t.Path != "" {
		add("A neural likelihood of the %s model, trained earlier (%s), was the teacher.", p.Recipe.Model, t.Path)
	} else if t != nil {
		add("A neural likelihood of the %s model (%s) was trained on simulated trials; it is the teacher.", p.Recipe.Model, t.Kind)
	}
	if s := p.Recipe.Search; s != nil {
		budget := "of " + s.Time + " each"
		if s.Evals > 0 {
			budget = fmt.Sprintf("of %s evaluations each", thousands(s.Evals))
		}
		add("Symbolic regression looked for short formulas close to the teacher: %d independent searches for each of %d weights λ of the recovery term, %s.",
			s.Seeds, len(s.Lambda), budget)
		if u := s.Ungrouped; u != nil {
			add("%d further searches at λ = 0 learned from rows of which each has its own parameters.", u.Seeds)
		}
	}
	if s := p.Sweep; s != nil && p.Recipe.Search == nil {
		add("Symbolic regression looked for short formulas close to a neural likelihood of the %s model: %d independent searches, under %d weights λ of the recovery term.",
			p.Recipe.Model, s.Searches, len(s.Rows))
	}
	if p.Sweep != nil {
		add("Every formula that a search ended with was used as the likelihood in Bayesian fits (NUTS) of simulated subjects with known parameters. It recovers a parameter if the posterior means correlate with the truth above %g and fewer than %g %% of them lie at a bound.",
			judge.LeastR, 100*judge.MostEdge)
	}
	if p.Holdout != nil && !p.SameSubjects() {
		add("The best formulas were then fitted once to %d further subjects that no other step had seen.", p.Holdout[0].Subjects)
	} else if p.Holdout != nil {
		add("The best formulas were then fitted again to the %d subjects that had ranked them: this run has no others.", p.Holdout[0].Subjects)
	}
}

// SameSubjects reports whether the held-out subjects are the ones used for ranking. A small run may have no others.
func (p *page) SameSubjects() bool {
	h, j := p.Recipe.Holdout, p.Recipe.Judge
	return h != nil && j != nil && h.Bank == j.Bank
}

func thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
