package report

import (
	"html/template"

	"likc/runtime/catalog"
	"likc/runtime/fit"
)

// modelCard says what a model is, as far as its name tells.
type modelCard struct {
	Name    string
	What    string        // in a sentence
	Process string        // a line of mathematics; "" if it is not known
	Notes   string        // on the parameters
	Formula template.HTML // of the log density; "" for none
	Kind    catalog.Kind  // "" if it is not known
	Params  []paramCard
}

// paramCard is a parameter of the fit.
type paramCard struct {
	Name, Meaning string
	Lower, Upper  float64 // of the model's range
	Known         bool    // the range is
}

// cardOf finds the model of a fit among those that come with likc. Of another model, such as the user's own file, the card has
// the names alone.
func cardOf(s *fit.Summary) modelCard {
	c := modelCard{Name: s.Model, What: "a model of the user's own"}
	for _, p := range s.Params {
		c.Params = append(c.Params, paramCard{Name: p.Name})
	}
	m, err := catalog.Open(s.Model)
	if err != nil || !m.Origin.Builtin {
		return c
	}
	c.Kind, c.What = m.Origin.Kind, whatIs(m)
	if e, ok := m.Expression(); ok {
		c.Formula = Formula(e.LogLik)
	}
	if simulator, ok := m.Simulator(); ok {
		c.Process, c.Notes = simulator.Process.Process, simulator.Process.Notes
	}
	for i := range c.Params {
		c.Params[i].describe(m)
	}
	return c
}

// describe adds the parameter's range and meaning.
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

// whatIs says what a model's likelihood is.
func whatIs(m *catalog.Model) string {
	switch m.Origin.Kind {
	case catalog.Exact:
		return "an exact density"
	case catalog.Closed:
		return "a log density in closed form"
	case catalog.Formula:
		return "an expression that stands in for a density: estimates rank people, but their values and intervals can be far off"
	}
	return "a likelihood"
}
