package report

import (
	"fmt"
	"slices"
	"strings"

	"likc/runtime/fit"
	"likc/runtime/num/notation"
)

// Formulas returns the formulas of a regression, with their links; nil for other fits.
func (f *fitted) Formulas() (all []string) {
	of := f.First().Regression
	if of == nil {
		return nil
	}
	for _, p := range of.Params {
		if p.Formula == nil {
			continue
		}
		text := fmt.Sprintf("%s (link %s)", p.Formula.Text, p.LinkText())
		if p.Outside != nil {
			text += ", and behind the link " + p.Outside.Text
		}
		all = append(all, text)
	}
	return all
}

// Lapses says how lapses are modelled; "" for a model without them.
func (f *fitted) Lapses() string {
	l := f.First().Lapse
	if l == nil {
		return ""
	}
	times, err := l.Read()
	if err != nil {
		return ""
	}
	text := fmt.Sprintf("with the probability lapse, a trial's response time is %s", times)
	if l.Choices > 1 {
		text += fmt.Sprintf(", and its %d choices are equally frequent", l.Choices)
	}
	return text
}

// Grouped reports whether the fit has an offset for each level of a grouping.
func (f *fitted) Grouped() bool {
	return f.First().Regression != nil && len(f.Model.Params) < len(f.First().Params)
}

// leaveOutLevels removes from the model's card the coefficients of single levels of groups, because they have no prior of their own.
func (f *fitted) leaveOutLevels() {
	if f.First().Regression == nil || f.Record.Priors == nil {
		return
	}
	f.Model.Params = slices.DeleteFunc(f.Model.Params, func(p paramCard) bool {
		_, has := f.Record.Priors[p.Name]
		return !has
	})
}

// structure describes in sentences the formulas and lapses of the model.
func (p *paragraph) structure(f *fitted) {
	if formulas := f.Formulas(); formulas != nil {
		p.say("Parameters depended on the trials by %s.", strings.Join(formulas, "; "))
	}
	if f.Grouped() {
		p.say("The offsets of the levels of a group were normal around 0, with a standard deviation that was estimated as well.")
	}
	switch n := f.Record.Data.Omitted; {
	case n == 0:
	case f.Record.Data.Go != 0:
		p.say("On %s nobody responded: their likelihood is the probability that the choice was not to respond, or that the response would have come after the deadline.", notation.Count(n, "trial"))
	default:
		p.say("On %s nobody responded by the deadline; their likelihood is the probability that the response would have come later.", notation.Count(n, "trial"))
	}
	if text := f.Lapses(); text != "" {
		p.say("A share of the trials was taken for lapses: %s.", text)
	}
}

// lapseMeaning sets the meaning of the parameter lapse, if the fit models lapses.
func (c *modelCard) lapseMeaning(s *fit.Summary) {
	if s.Lapse == nil {
		return
	}
	for i := range c.Params {
		if c.Params[i].Name == "lapse" {
			c.Params[i].Meaning = "probability that a trial is a lapse"
		}
	}
}
