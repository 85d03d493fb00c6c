package report

import (
	"strings"

	"github.com/DataDog/datadog-agent/pkg/template/html"

	"likc/runtime/fit"
	"likc/runtime/model/catalog"
)

// modelCard describes a model, as far as its name or the fit's record allows.
type modelCard struct {
	Name     string
	What     string        // a sentence
	Process  string        // a line of mathematics; "" if unknown
	Notes    string        // remarks on the parameters
	Formula  template.HTML // the log density as a formula; "" for none
	Kind     catalog.Kind  // "" if unknown
	TwoSided bool          // whether Formula is that of the upper boundary only; the formula of the lower one follows from it
	Loose    bool          // whether the expression is no density: it does not integrate to 1
	Params   []paramCard
}

// paramCard describes a parameter of the fit.
type paramCard struct {
	Name, Meaning string
	Lower, Upper  float64 // the ends of the model's range
	Known         bool    // whether the range is known
}

// cardOf returns the card of a fit's model. A user's own expression is in the fit's record; other models are part of likc. For a
// model that is found in neither, such as a user's teacher, the card only has names.
func cardOf(s *fit.Summary) modelCard {
	c := modelCard{Name: s.Model, What: "a model of the user's own"}
	for _, p := range s.Params {
		c.Params = append(c.Params, paramCard{Name: p.Name})
	}
	m := modelOf(s)
	if m == nil {
		if s.Record != nil && s.Record.Process != "" {
			c.What, c.Process = "a process of the user's own, with a numerical density", s.Record.Process
		}
		return c
	}
	c.Loose = isLoose(m, s)
	c.Kind, c.What = m.Origin.Kind, whatIs(m, c.Loose)
	if e, ok := m.Expression(); ok && e.LogLik.Size() <= mostNodes {
		c.Formula, c.TwoSided = Formula(e.LogLik), e.Choice != ""
	}
	if simulator, ok := m.Simulator(); ok {
		c.Process, c.Notes = simulator.Process.Process, simulator.Process.Notes
	}
	for i := range c.Params {
		c.Params[i].describe(m)
	}
	return c
}

// mostNodes is the size of the largest expression that a page prints.
const mostNodes = 500

// modelOf returns the model of a fit; nil if it is unknown.
func modelOf(s *fit.Summary) *catalog.Model {
	if s.Record != nil && s.Record.ModelText != "" {
		m, err := catalog.Parse(s.Record.ModelText)
		if err != nil {
			return nil
		}
		return m
	}
	m, err := catalog.Open(s.Model)
	if err != nil || !m.Origin.Builtin {
		return nil
	}
	return m
}

// isLoose reports whether the model of a fit is no density: because the fit found that it does not integrate to 1, or because it is an
// expression that replaces a process's density. A fit with PSIS-LOO has found that its model is a density.
func isLoose(m *catalog.Model, s *fit.Summary) bool {
	if s.LOO != nil {
		return false
	}
	return m.Origin.Kind == catalog.Formula || strings.Contains(s.Missing, " is no density")
}

// describe sets the parameter's range and meaning.
func (p *paramCard) describe(m *catalog.Model) {
	if j := m.ParamIndex(p.Name); j >= 0 {
		p.Lower, p.Upper, p.Known = m.Params[j].Lower, m.Params[j].Upper, true
	}
	simulator, ok := m.Simulator()
	if !ok || !m.Of(simulator.Process.Name) {
		return
	}
	if j := simulator.Process.Index(p.Name); j >= 0 {
		p.Meaning = simulator.Process.Params[j].Meaning
	}
}

// whatIs describes a model's likelihood in a sentence.
func whatIs(m *catalog.Model, loose bool) string {
	_, written := m.Expression()
	switch {
	case m.Origin.Kind == catalog.Exact:
		return "an exact density"
	case loose && m.Origin.Kind == catalog.Formula:
		return "an expression that stands in for a density: estimates rank people, but their values and intervals can be far off"
	case loose:
		return "an expression that is no density: its intervals do not say how sure the estimates are"
	case written:
		return "a log density in closed form"
	}
	return "a likelihood"
}
