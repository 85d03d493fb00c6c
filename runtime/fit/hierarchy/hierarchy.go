// Package hierarchy makes the posterior of a regression: each parameter of a model depends on columns of the data, and some of
// its coefficients vary by group.
//
//	model, binder, Spec (formulas, links, priors), Data ─New─▶ Study ─Target─▶ nuts ─Draws─▶ coefficients by name, groups
//
// The path of one evaluation, once for each gradient:
//
//	coordinates ─groups─▶ coefficients ─predictors─▶ values of parameters ─blocks─▶ log-likelihood, and back for its gradient
//
// Coordinates are what the sampler moves. A coefficient that varies by group is its mean plus an offset, and the offsets are
// normal with a spread of their own. How offsets follow from coordinates is the parameterisation (see group). A predictor is the
// inverse link of a linear combination of coefficients. A block is a set of trials that share the values of parameters.
package hierarchy

import (
	"fmt"
	"slices"

	"likc/runtime/fit/formula"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/posterior"
)

// Spec says how a model's parameters depend on the columns of the data.
type Spec struct {
	Params map[string]Regression      // regressions by parameter; a parameter that is not in the map is one number, uniform over its range
	Priors map[string]posterior.Prior // priors by the name of a coefficient, of a spread or of a parameter; see Study.Names
	Fixed  map[string]float64         // values of parameters that are not estimated
	Form   Form                       // parameterisation of the offsets

	set        PriorSet                   // source of priors for coefficients that Priors does not name
	intercepts map[string]posterior.Prior // priors of intercepts, by parameter, that replace the set's
}

// Grouped reports whether a coefficient varies by group.
func (s *Spec) Grouped() bool {
	for _, r := range s.Params {
		if len(r.Formula.Groups) > 0 {
			return true
		}
	}
	return false
}

// Regression says how one parameter depends on columns of the data.
type Regression struct {
	Formula *formula.Formula
	Link    Link // "": see DefaultLink
	// Fastest makes the range of a logit depend on the trials: it ends where the trials of each level of the formula's first grouping
	// end it, as the fastest trial does for t < rt. Only a preset uses it, because such a link depends on the data.
	Fastest bool
	// Outside has terms that are added on the parameter's own scale, after the link; nil for none. It has neither an intercept nor
	// groups.
	Outside *formula.Formula
}

// Data holds the trials: the columns to which the model's likelihood is bound, and the table for formulas, with a row for each
// trial.
type Data struct {
	Columns [][]float64 // a slice for each trial column, in the model's order
	Choice  []float64   // nil for a model without choice
	Person  []int32     // for each trial, the participant who carries the states of a model; nil for one participant
	Table   formula.Table
}

// trials returns the trials in the form to which the likelihood is bound.
func (d *Data) trials() kernel.Trials {
	return kernel.Trials{Columns: d.Columns, Choice: d.Choice, Person: d.Person}
}

// Study is a model with formulas, applied to data: a posterior density. It is safe for concurrent use, but the results of Target are
// not.
type Study struct {
	model  *catalog.Model
	data   Data
	params []*linear             // one for each parameter of the model
	coords []posterior.Parameter // the coordinates that the sampler moves, with their priors and ranges
	groups []*group              // the group terms of all formulas
	// Indices of coefficients that give a parameter's value behind a link other than identity: intercepts, and coefficients of a factor's
	// values.
	linked []int
	start  []float64    // positions where chains start, in non-centred coordinates; nil before Prepare
	bound  *bound.Bound // nil for a study that is not bound
}

// New makes a study. It returns an error if a formula does not fit the data, if a prior names no coefficient, or if the data exclude
// all of a parameter's range. Errors in formulas are [formula.Error] with a position.
func New(m *catalog.Model, b *bound.Prepared, spec Spec, data Data) (*Study, error) {
	s, err := Unbound(m, spec, data)
	if err != nil {
		return nil, err
	}
	of := s.design()
	if !s.Varies() && len(s.coords) == len(s.params) {
		of = bound.Design{} // coefficients are the parameters themselves
	}
	s.bound, err = b.Bind(data.trials(), of)
	return s, err
}

// Unbound makes a study whose likelihood is not bound. It is for names, priors and parameters of trials; data may have no trials.
func Unbound(m *catalog.Model, spec Spec, data Data) (*Study, error) {
	bounds, err := m.Parameters(spec.Priors, data.Columns, data.Choice)
	if err != nil {
		return nil, err
	}
	return assemble(m, spec, data, bounds)
}

// BeforeData makes the same study as Unbound, but the trials do not limit the ranges of parameters. It serves to draw from the
// priors.
func BeforeData(m *catalog.Model, spec Spec, data Data) (*Study, error) {
	bounds, err := m.Parameters(spec.Priors, nil, nil)
	if err != nil {
		return nil, err
	}
	return assemble(m, spec, data, bounds)
}

// assemble makes a study that is not bound, of parameters with the given ranges.
func assemble(m *catalog.Model, spec Spec, data Data, bounds []posterior.Parameter) (*Study, error) {
	for name := range spec.Params {
		if !m.IsParam(name) {
			return nil, fmt.Errorf("formula of %s: %s has no such parameter; it has %v", name, m.Name, m.ParamNames())
		}
	}
	s := &Study{model: m, data: data}
	for i, p := range bounds {
		var l *linear
		var err error
		if _, varies := spec.Params[p.Name]; varies {
			l, err = s.regress(i, p.Upper, &spec)
		} else if value, fixed := spec.Fixed[p.Name]; fixed {
			l, err = s.fixed(p, value)
		} else {
			l = s.constant(p)
		}
		if err != nil {
			return nil, err
		}
		s.params = append(s.params, l)
	}
	if err := s.setPriors(spec.Priors); err != nil {
		return nil, err
	}
	for _, g := range s.groups {
		g.form = spec.Form
		g.setShares(spec.Form.share())
	}
	return s, nil
}

// setPriors sets the priors that the user names.
func (s *Study) setPriors(priors map[string]posterior.Prior) error {
	var names []string
	for i, c := range s.coords {
		if s.isOffset(i) {
			continue
		}
		names = append(names, c.Name)
		if p, given := priors[c.Name]; given {
			s.coords[i].Prior = p
			for _, l := range s.params {
				delete(l.designs[0].widened, i)
				delete(l.designs[1].widened, i)
			}
		}
	}
	for name := range priors {
		if !slices.Contains(names, name) {
			return fmt.Errorf("prior of %s: no such coefficient; there are %s", name, list(names))
		}
	}
	return nil
}

// Priors returns the priors of coefficients, spreads and parameters by name, except those of levels of groups.
func (s *Study) Priors() map[string]posterior.Prior {
	all := map[string]posterior.Prior{}
	for i, c := range s.coords {
		if !s.isOffset(i) {
			all[c.Name] = c.Prior
		}
	}
	return all
}

// addCoordinate appends a coordinate and returns its index.
func (s *Study) addCoordinate(p posterior.Parameter) int {
	s.coords = append(s.coords, p)
	return len(s.coords) - 1
}

// isOffset reports whether coordinate i belongs to one level of a group.
func (s *Study) isOffset(i int) bool {
	return slices.ContainsFunc(s.groups, func(g *group) bool { return i >= g.first && i < g.first+len(g.shares) })
}

// ZeroMeans reports whether the value 0 of a coefficient, spread, correlation or parameter has a meaning, such as no effect or no
// drift. It has none for positive numbers, nor for intercepts and coefficients of a column's levels with another
// link than identity.
func (s *Study) ZeroMeans(name string) bool {
	for i, c := range s.coords {
		if c.Name == name {
			low, high := c.Support()
			return low < 0 && high > 0 && !slices.Contains(s.linked, i)
		}
	}
	return false
}

// Varies reports whether a parameter has a formula.
func (s *Study) Varies() bool {
	return slices.ContainsFunc(s.params, func(l *linear) bool { return l.varies })
}

// Grouped reports whether a coefficient varies by group.
func (s *Study) Grouped() bool { return len(s.groups) > 0 }

// Model returns the model.
func (s *Study) Model() *catalog.Model { return s.model }

// Trials returns the number of trials.
func (s *Study) Trials() int { return s.data.Table.Rows }

// Bound returns the log-likelihood as a function of the study's coefficients, in the order of [Study.Names].
func (s *Study) Bound() *bound.Bound { return s.bound }
