package fit

import (
	"errors"
	"fmt"
	"maps"
	"math"

	"likc/runtime/fit/formula"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/posterior"
)

// Spec states what is fitted: a model, and for each of its parameters one of three things. These are a range and a prior, a fixed
// value, or a formula with the priors of its coefficients.
type Spec struct {
	Model  *catalog.Model
	Params []Param  // the parameters, in the model's order
	Notes  []string // remarks on the user's wishes, one on each line, such as priors that their ranges cut

	ranged *catalog.Model // the model with the ranges of Params
	design hierarchy.Spec // formulas, priors and fixed values, in the form that a study needs
}

// Param is a parameter of a Spec.
type Param struct {
	Name  string
	Range catalog.Range // range before the data limit it
	Prior posterior.Prior
	Fixed bool    // whether it is not sampled but has the value Value
	Value float64 // value of a fixed parameter
}

// NewSpec returns the specification for a user's wishes. A parameter without a wished range has the model's range. There is one
// exception: if a parameter of an exact density has a prior, its range is the whole support of the prior. The error is a
// [WishError].
func NewSpec(m *catalog.Model, w Wishes) (*Spec, error) {
	s := &Spec{Model: m}
	var err error
	if s.design, err = w.formulas(m); err != nil {
		return nil, err
	}
	coefficients := w.divide(m, &s.design)
	asked, err := w.parse(m)
	if err != nil {
		return nil, err
	}
	if err := asked.addPreset(m, w.PriorPreset, &s.design); err != nil {
		return nil, err
	}
	if err := s.setParams(asked); err != nil {
		return nil, WishError{Err: err}
	}
	s.design.Fixed = asked.fixed
	for name := range asked.fixed {
		if _, varies := s.design.Params[name]; varies {
			return nil, WishError{"fix", fmt.Errorf("%s: it has a formula", name)}
		}
	}
	maps.Copy(s.design.Priors, asked.priors)
	if err := s.design.SetPriors(coefficients); err != nil {
		return nil, WishError{"prior", err}
	}
	return s, nil
}

// setParams determines the range of each parameter. Errors name the parameter.
func (s *Spec) setParams(asked asked) error {
	ranges, fixed := make([]catalog.Range, len(s.Model.Params)), 0
	for i, p := range s.Model.Params {
		param, err := newParam(s.Model, i, asked)
		if err != nil {
			return err
		}
		ranges[i] = param.Range
		if param.Value, param.Fixed = asked.fixed[p.Name]; param.Fixed {
			fixed++
		} else if note := param.cutNote(); note != "" {
			s.Notes = append(s.Notes, note)
		}
		s.Params = append(s.Params, param)
	}
	if fixed == len(s.Params) {
		return errors.New("every parameter is fixed: there is nothing to fit")
	}
	s.ranged = s.Model.WithRanges(ranges)
	return nil
}

// newParam returns parameter i with the user's wishes.
func newParam(m *catalog.Model, i int, w asked) (Param, error) {
	name := m.Params[i].Name
	p := Param{Name: name, Range: catalog.Range{Low: m.Params[i].Lower, High: m.Params[i].Upper}, Prior: w.priors[name]}
	limits, why := m.Limits(i)
	asked, isAsked := w.ranges[name]
	value, isFixed := w.fixed[name]
	_, hasPrior := w.priors[name]
	switch {
	case isFixed && isAsked:
		return p, fmt.Errorf("%s is fixed: it has no range", name)
	case isFixed && hasPrior:
		return p, fmt.Errorf("%s is fixed: it has no prior", name)
	case isFixed && !(value >= limits.Low && value <= limits.High):
		return p, fmt.Errorf("%s cannot be fixed at %.6g: %s", name, value, why)
	case isAsked && (asked.Low < limits.Low || asked.High > limits.High):
		return p, fmt.Errorf("%s cannot range over %s: %s", name, asked, why)
	case isAsked:
		p.Range = asked
	case !p.Prior.IsFlat() && m.Origin.Kind == catalog.Exact:
		low, high := p.Prior.Support()
		p.Range = catalog.Range{Low: max(low, limits.Low), High: min(high, limits.High)}
		if !(p.Range.Low < p.Range.High) {
			return p, fmt.Errorf("prior %s=%s: nothing of it is possible: %s", name, p.Prior, why)
		}
	}
	if p.Prior.IsFlat() && math.IsInf(p.Range.High-p.Range.Low, 1) {
		return p, fmt.Errorf("%s ranges over %s without end: give it a prior", name, p.Range)
	}
	return p, nil
}

// cutShare is the smallest share of a prior outside the range that causes a remark.
const cutShare = 0.001

// cutNote returns a remark about how much the range cuts the prior; "" if it does not.
func (p *Param) cutNote() string {
	inside := p.Prior.Mass(p.Range.Low, p.Range.High)
	if 1-inside < cutShare || inside == 0 {
		return ""
	}
	return fmt.Sprintf("the prior of %s, %s, is cut to the range %s, in which %.3g %% of it lie", p.Name, p.Prior, p.Range, 100*inside)
}

// Fixed returns the fixed parameters, in the model's order.
func (s *Spec) Fixed() (all []Param) {
	for _, p := range s.Params {
		if p.Fixed {
			all = append(all, p)
		}
	}
	return all
}

// Varies reports whether a parameter has a formula.
func (s *Spec) Varies() bool { return len(s.design.Params) > 0 }

// GroupsBy reports whether a formula has a group term that names the column.
func (s *Spec) GroupsBy(column string) bool { return s.design.GroupsBy(column) }

// Grouped reports whether a coefficient varies by group.
func (s *Spec) Grouped() bool { return s.design.Grouped() }

// Columns returns the names of the columns that the formulas name, sorted.
func (s *Spec) Columns() []string { return s.design.Columns() }

// ColumnNotes returns remarks, one on each line, about columns whose use in a formula may be unintended.
func (s *Spec) ColumnNotes(t formula.Table) []string { return s.design.Notes(t) }

// Study returns the study of a subject, whose likelihood is bound to the trials.
func (s *Spec) Study(b *bound.Prepared, of *Subject) (*hierarchy.Study, error) {
	return hierarchy.New(s.ranged, b, s.design, of.data())
}

// Unbound returns a study without a likelihood, for names, priors and parameters of trials.
func (s *Spec) Unbound(of *Subject) (*hierarchy.Study, error) {
	return hierarchy.Unbound(s.ranged, s.design, of.data())
}

// BeforeData returns an unbound study whose ranges of parameters are not limited by the trials, for draws from the priors.
func (s *Spec) BeforeData(of *Subject) (*hierarchy.Study, error) {
	return hierarchy.BeforeData(s.ranged, s.design, of.data())
}

// Generator returns a generator of true parameters for simulated trials: see [hierarchy.NewGenerator].
func (s *Spec) Generator(t formula.Table, stated map[string]float64) (*hierarchy.Generator, error) {
	return hierarchy.NewGenerator(s.ranged, s.design, t, stated)
}

// TakePriors sets the priors of parameters and coefficients to those of a study, because default priors depend on columns of the
// data.
func (s *Spec) TakePriors(of *hierarchy.Study) { s.design.Priors = of.Priors() }
