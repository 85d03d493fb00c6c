package bound

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"likc/compiler/expr"
	"likc/runtime/num/notation"
)

// massPoints is the number of points in a model's ranges at which its mass, the integral of the density, is computed.
const massPoints = 5

// Masses are the integrals of a density over time and all choices, at a few points of a model's ranges. NaN means that an integral
// is infinite, zero or undefined.
type Masses []float64

// Masses integrates the density at a few points of the model's ranges. ok is false for a model that has trial columns besides a
// response time.
func (p *Prepared) Masses() (all Masses, ok bool) {
	p.masses.Do(func() { p.masses.all = p.integrate() })
	return p.masses.all, p.masses.all != nil
}

// massesOf stores the masses of a model; nil for a model that has none.
type massesOf struct {
	sync.Once
	all Masses
}

// integrate computes the masses.
func (p *Prepared) integrate() (all Masses) {
	t, err := p.Timed()
	if err != nil {
		return nil
	}
	for _, theta := range Spread(p.Model, massPoints) {
		mass, err := t.Mass(theta)
		if err != nil {
			mass = math.NaN()
		}
		all = append(all, mass)
	}
	return all
}

// Normalised reports whether every mass differs from 1 by at most [MassTolerance].
func (m Masses) Normalised() bool {
	return !slices.ContainsFunc(m, func(x float64) bool { return !(math.Abs(x-1) <= MassTolerance) })
}

// String describes the masses in words.
func (m Masses) String() string {
	var finite []float64
	for _, x := range m {
		if !math.IsNaN(x) {
			finite = append(finite, x)
		}
	}
	points := notation.Count(len(m), "point")
	switch {
	case m.Normalised():
		return fmt.Sprintf("integrates to 1 over time and all choices, at %s of the ranges", points)
	case len(finite) == 0:
		return fmt.Sprintf("cannot be normalised: its integral over time is infinite, zero or undefined at %s of the ranges", points)
	}
	from, to := fmt.Sprintf("%.3g", slices.Min(finite)), fmt.Sprintf("%.3g", slices.Max(finite))
	if from != to {
		from += " to " + to
	}
	text := fmt.Sprintf("not normalised: integrates to %s over time and all choices, at %s of the ranges", from, points)
	if len(finite) < len(m) {
		text += fmt.Sprintf(", and is infinite or undefined at %d of them", len(m)-len(finite))
	}
	return text
}

// Fault says why a model with these masses is no density.
func (m Masses) Fault() string {
	return strings.Replace(m.String(), "not normalised: ", "is not normalised: it ", 1)
}

// Unused lists the parameters on which an expression's log density does not depend.
func Unused(m *expr.Model) (names []string) {
	used := map[string]bool{}
	for _, g := range m.Groups() {
		for _, s := range expr.Symbols(g.LogLik) {
			used[s] = true
		}
	}
	for _, p := range m.Params {
		if !used[p.Name] {
			names = append(names, p.Name)
		}
	}
	return names
}
