package hierarchy

import (
	"fmt"
	"strings"

	"likc/runtime/fit/formula"
	"likc/runtime/model/catalog"
	"likc/runtime/model/posterior"
)

// preset is a study with a name: a formula for each named parameter, and one for all other parameters. In a formula, GROUP stands
// for the column of the participants, PARAM for the parameter.
type preset struct {
	name, doc string                 // the name, and a line of description
	params    map[string]presetParam // the named parameters
	others    *presetParam           // all other parameters; nil: each is one number, uniform over the range
}

// presetParam is the regression of one parameter in a preset.
type presetParam struct {
	formula, outside string // the formula inside the link, and terms that are added after it; "" for none
	link             Link
	fastest          bool              // see [Regression.Fastest]
	priors           map[string]string // priors by the name of a coefficient or spread
}

// grouped holds the priors of a parameter whose only terms are an intercept and its variation among participants.
var grouped = map[string]string{"PARAM_Intercept": "normal(0, 1)", "PARAM_1|GROUP_sigma": "halfnormal(0.5)"}

// presets are the models of the paper's applied case.
var presets = []preset{
	{name: "cavanagh-simple", doc: "v ~ 1 + theta + (1 | subj_idx), all else shared and uniform",
		params: map[string]presetParam{"v": {formula: "PARAM ~ 1 + theta + (1 | GROUP)", link: Identity, priors: map[string]string{
			"PARAM_Intercept": "normal(0, 1)", "PARAM_theta": "normal(0, 0.5)", "PARAM_1|GROUP_sigma": "halfnormal(0.5)"}}}},
	{name: "cavanagh-full", doc: "every parameter ~ 1 + (1 | subj_idx) behind a logit onto its range, for t up to each participant's fastest trial, and theta on v behind it",
		params: map[string]presetParam{"v": {formula: "PARAM ~ 1 + (1 | GROUP)", outside: "PARAM ~ 0 + theta", link: Logit, priors: map[string]string{
			"PARAM_Intercept": "normal(0, 1)", "PARAM_theta": "normal(0, 0.5)", "PARAM_1|GROUP_sigma": "halfnormal(0.5)"}}},
		others: &presetParam{formula: "PARAM ~ 1 + (1 | GROUP)", link: Logit, fastest: true, priors: grouped}},
}

// Presets returns the names of the presets, with a line of description for each.
func Presets() (names, docs []string) {
	for _, p := range presets {
		names, docs = append(names, p.name), append(docs, p.doc)
	}
	return names, docs
}

// Preset returns the named study for a model. column is the column of the participants.
func Preset(name string, m *catalog.Model, column string) (Spec, error) {
	names, _ := Presets()
	for _, p := range presets {
		if p.name == name {
			return p.spec(m, column)
		}
	}
	return Spec{}, fmt.Errorf("%q: want one of %s", name, strings.Join(names, ", "))
}

// spec returns the preset as a Spec for a model; column is the column of the participants.
func (p *preset) spec(m *catalog.Model, column string) (Spec, error) {
	s := Spec{Params: map[string]Regression{}, Priors: map[string]posterior.Prior{}}
	for name := range p.params {
		if !m.IsParam(name) {
			return s, fmt.Errorf("%s wants a parameter %s, which %s does not have", p.name, name, m.Name)
		}
	}
	for _, param := range m.ParamNames() {
		of, named := p.params[param]
		if !named && p.others == nil {
			continue
		}
		if !named {
			of = *p.others
		}
		if err := of.add(&s, param, column); err != nil {
			return s, err
		}
	}
	return s, nil
}

// add adds the formula, the link and the priors of one parameter to a Spec.
func (p *presetParam) add(s *Spec, param, column string) error {
	fill := strings.NewReplacer("PARAM", formula.QuoteName(param), "GROUP", formula.QuoteName(column)).Replace
	r := Regression{Link: p.link, Fastest: p.fastest}
	var err error
	if r.Formula, err = formula.Parse(fill(p.formula)); err != nil {
		return err
	}
	if p.outside != "" {
		if r.Outside, err = formula.Parse(fill(p.outside)); err != nil {
			return err
		}
	}
	s.Params[param] = r
	for name, prior := range p.priors {
		name = strings.NewReplacer("PARAM", param, "GROUP", formula.QuoteName(column)).Replace(name)
		if s.Priors[name], err = posterior.ParsePrior(prior); err != nil {
			return err
		}
	}
	return nil
}
