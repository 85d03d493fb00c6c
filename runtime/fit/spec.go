package fit

import (
	"errors"
	"fmt"
	"math"

	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/posterior"
)

// Spec says what is fitted: a model, and for each of its parameters the range, the prior, or the value that it is fixed at.
type Spec struct {
	Model  *catalog.Model
	Params []Param  // in the model's order
	Notes  []string // remarks on what the user asked for, a line each: priors that their ranges cut

	ranged *catalog.Model // the model with the ranges of Params
	free   []int          // parameters that are sampled
}

// Param is a parameter of a Spec.
type Param struct {
	Name  string
	Range catalog.Range // before the data bound it
	Prior posterior.Prior
	Fixed bool    // not sampled: it has the one Value
	Value float64 // of a fixed parameter
}

// NewSpec decides each parameter's range. It is the one asked for. Otherwise it is the model's, but for an exact density, with
// which the range of a parameter that has a prior is all of the prior's support. Errors name the parameter.
func NewSpec(m *catalog.Model, w Wishes) (*Spec, error) {
	s := &Spec{Model: m}
	ranges := make([]catalog.Range, len(m.Params))
	for i, p := range m.Params {
		param, err := newParam(m, i, w)
		if err != nil {
			return nil, err
		}
		ranges[i] = param.Range
		s.Params = append(s.Params, param)
		if value, fixed := w.Fixed[p.Name]; fixed {
			s.Params[i].Fixed, s.Params[i].Value = true, value
			continue
		}
		s.free = append(s.free, i)
		if note := param.cutNote(); note != "" {
			s.Notes = append(s.Notes, note)
		}
	}
	if len(s.free) == 0 {
		return nil, errors.New("every parameter is fixed: there is nothing to fit")
	}
	s.ranged = m.WithRanges(ranges)
	return s, nil
}

// newParam is parameter i as asked for.
func newParam(m *catalog.Model, i int, w Wishes) (Param, error) {
	name, limits := m.Params[i].Name, catalog.Range{}
	p := Param{Name: name, Range: catalog.Range{Low: m.Params[i].Lower, High: m.Params[i].Upper}, Prior: w.Priors[name]}
	limits, why := m.Limits(i)
	asked, isAsked := w.Ranges[name]
	value, isFixed := w.Fixed[name]
	_, hasPrior := w.Priors[name]
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

// cutShare is the share of a prior outside the range from which on it is said that the range cuts the prior.
const cutShare = 0.001

// cutNote says that the range cuts the prior, and by how much; "" if it does not.
func (p *Param) cutNote() string {
	inside := p.Prior.Mass(p.Range.Low, p.Range.High)
	if 1-inside < cutShare || inside == 0 {
		return ""
	}
	return fmt.Sprintf("the prior of %s, %s, is cut to the range %s, in which %.3g %% of it lie", p.Name, p.Prior, p.Range, 100*inside)
}

// Names returns the names of the parameters that are sampled, in the model's order.
func (s *Spec) Names() []string {
	names := make([]string, len(s.free))
	for k, i := range s.free {
		names[k] = s.Params[i].Name
	}
	return names
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

// Theta sets theta, which has a value for each parameter of the model, from values of those that are sampled.
func (s *Spec) Theta(theta, sampled []float64) {
	for i, p := range s.Params {
		theta[i] = p.Value
	}
	for k, i := range s.free {
		theta[i] = sampled[k]
	}
}

// Parameters returns the parameters that are sampled, as [catalog.Model.Parameters] does: with the bounds that the data set.
func (s *Spec) Parameters(columns [][]float64, choice []float64) ([]posterior.Parameter, error) {
	priors := map[string]posterior.Prior{}
	for _, p := range s.Params {
		if !p.Fixed {
			priors[p.Name] = p.Prior
		}
	}
	all, err := s.ranged.Parameters(priors, columns, choice)
	if err != nil {
		return nil, err
	}
	for i, p := range s.Params {
		if declared := s.Params[i].Range.High; p.Fixed && p.Value >= all[i].Upper && all[i].Upper < declared {
			return nil, fmt.Errorf("%s is fixed at %.6g: the data want it below %.6g", p.Name, p.Value, all[i].Upper)
		}
	}
	out := make([]posterior.Parameter, len(s.free))
	for k, i := range s.free {
		out[k] = all[i]
	}
	return out, nil
}

// Posterior returns the posterior of the parameters that are sampled, given trials and their likelihood.
func (s *Spec) Posterior(lik kernel.Sum, columns [][]float64, choice []float64) (*posterior.Posterior, error) {
	params, err := s.Parameters(columns, choice)
	if err != nil {
		return nil, err
	}
	if len(s.free) < len(s.Params) {
		theta := make([]float64, len(s.Params))
		s.Theta(theta, make([]float64, len(s.free)))
		lik = kernel.Fix(lik, theta, s.free)
	}
	return posterior.New(lik, params)
}
