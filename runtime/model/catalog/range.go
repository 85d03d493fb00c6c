package catalog

import (
	"fmt"
	"math"

	"likc/compiler/expr"
	"likc/runtime/model/ssm"
)

// Range is an interval of a parameter, in the parameter's unit. Its ends may be infinite.
type Range struct{ Low, High float64 }

// String writes the range as [low, high].
func (r Range) String() string { return fmt.Sprintf("[%.6g, %.6g]", r.Low, r.High) }

// Limits returns the largest possible range of parameter i, and the reason for the limit. The exact density of a process is right
// wherever the process is defined. An expression without a simulator may be evaluated anywhere, at the user's own risk. Any other
// likelihood is right only in its ranges. So are the grid of a normalised model's integral and the sums that replace a model's own
// integrals.
func (m *Model) Limits(i int) (r Range, why string) {
	p := m.Params[i]
	if m.IsAdded(i) {
		return Range{p.Lower, p.Upper}, fmt.Sprintf("%s must be in [%.6g, %.6g]", p.Name, p.Lower, p.Upper)
	}
	if m.Normalise {
		return Range{p.Lower, p.Upper}, fmt.Sprintf("the integral of %s is known for %s in [%.6g, %.6g] only; the file declares the range", m.Name, p.Name, p.Lower, p.Upper)
	}
	if m.Integrals {
		return Range{p.Lower, p.Upper}, fmt.Sprintf("the sums for the integrals of %s are chosen for %s in [%.6g, %.6g] only; the file declares the range", m.Name, p.Name, p.Lower, p.Upper)
	}
	if m.Called != nil || m.outer != nil {
		return m.limitsOfCallees(p.Name)
	}
	switch m.Origin.Kind {
	case Exact:
		return domainOf(m.simulator.Process.Params[i])
	case Closed:
		if m.simulator != nil {
			return domainOf(m.simulator.Process.Params[i])
		}
		return Range{math.Inf(-1), math.Inf(1)}, ""
	case Numerical:
		return Range{math.Inf(-1), math.Inf(1)}, ""
	case Teacher:
		why = fmt.Sprintf("%s is a teacher, trained on %s in [%.6g, %.6g] only", m.Name, p.Name, p.Lower, p.Upper)
	default:
		why = fmt.Sprintf("%s stands in for the density of %s, and was made for %s in [%.6g, %.6g] only", m.Name, m.simulator.Process.Name, p.Name, p.Lower, p.Upper)
	}
	return Range{p.Lower, p.Upper}, why
}

// EndsWithin reports whether the likelihood is right only in a finite range of parameter i.
func (m *Model) EndsWithin(i int) bool {
	r, _ := m.Limits(i)
	return !math.IsInf(r.Low, 0) && !math.IsInf(r.High, 0)
}

// domainOf returns the range of a parameter in which a process is defined, and the reason for its limits.
func domainOf(p ssm.Param) (r Range, why string) {
	switch p.Domain {
	case ssm.Positive:
		return Range{0, math.Inf(1)}, p.Name + " must be positive"
	case ssm.NonNegative:
		return Range{0, math.Inf(1)}, p.Name + " must be 0 or more"
	case ssm.Unit:
		return Range{0, 1}, p.Name + " must be between 0 and 1"
	case ssm.Share:
		return Range{0, 1}, p.Name + " must be from 0 to 1"
	case ssm.Acute:
		return Range{-math.Pi / 2, math.Pi / 2}, p.Name + " must be between -π/2 and π/2"
	}
	return Range{math.Inf(-1), math.Inf(1)}, ""
}

// WithRanges returns the model with other ranges of its parameters, in their order. Its likelihood is the same.
func (m *Model) WithRanges(ranges []Range) *Model {
	header, out := *m.Model, *m
	header.Params = make([]expr.Param, len(m.Params))
	copy(header.Params, m.Params)
	for i, r := range ranges {
		header.Params[i].Lower, header.Params[i].Upper = r.Low, r.High
	}
	out.Model = &header
	return &out
}
