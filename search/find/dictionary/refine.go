package dictionary

import (
	"math"
	"slices"

	"likc/compiler/expr"
)

// These are limits of a refinement.
const (
	refinements    = 20   // the most steps
	longestStep    = 0.7  // the largest change of the log of a number in one step
	leastRefined   = 1e-3 // a refinement ends with a step that lowers the log of the mean by less than this
	innerDigits    = 2    // significant digits of refined numbers
	worthRefining  = 0.01 // refined numbers are kept if they lower the log of the mean by at least this
	derivativeStep = 1e-4 // the step of finite differences, in the log of a number
)

// refined returns the fit with better numbers inside its atoms, and the library of these atoms. It returns nil if the numbers
// cannot be improved. It makes Gauss–Newton steps in the logs of the numbers and in all coefficients together [golub1973].
//
// Reference: [golub1973] G. Golub, V. Pereyra, The differentiation of pseudo-inverses and nonlinear least squares problems whose variables
// separate, SIAM Journal on Numerical Analysis 10, 1973.
func (f *fit) refined() (*Library, *fit) {
	r := newRefinement(f)
	if len(r.atoms) == 0 || f.design.target.drawn != nil {
		return nil, nil
	}
	at, now := slices.Clone(r.first), r.fit(r.first, f.coefficient)
	now.minimise(fullSteps)
	damping := 1e-3
	for range refinements {
		before := now.mean
		next, better := r.step(at, now, damping)
		for ; better == nil && damping < mostDamping; damping *= 8 {
			next, better = r.step(at, now, damping*8)
		}
		if better == nil {
			break
		}
		at, now, damping = next, better, max(damping/8, leastDamping)
		if math.Log(before/now.mean) < leastRefined {
			break
		}
	}
	for i := range at {
		at[i] = math.Log(expr.Rounded(math.Exp(at[i]), innerDigits))
	}
	now = r.fit(at, now.coefficient)
	now.minimise(fullSteps)
	if !(now.mean < f.mean*(1-worthRefining)) {
		return nil, nil
	}
	return r.library(at), now
}

// refinement is a fit whose atoms contain numbers that are being refined.
type refinement struct {
	of    *fit        // the fit before refinement
	terms []Term      // the terms of that fit
	atoms []int       // indices of the atoms that terms of the fit contain and that have a number to refine
	first []float64   // the logs of these numbers before refinement
	fixed [][]float64 // values of the fit's atoms with these numbers, [atom][row]; nil for atoms that no term contains
}

func newRefinement(f *fit) *refinement {
	r := &refinement{of: f}
	l := f.design.library
	for _, j := range f.columns {
		t := l.Terms[f.design.terms[j]]
		r.terms = append(r.terms, t)
		for _, a := range t {
			if l.Atoms[a].with != nil && !slices.Contains(r.atoms, a) {
				r.atoms, r.first = append(r.atoms, a), append(r.first, math.Log(l.Atoms[a].inner))
			}
		}
	}
	if len(r.atoms) > 0 {
		r.fixed = r.columns(r.first)
	}
	return r
}

// library returns the fit's library with other numbers in its atoms. at holds the logs of the numbers, here and below.
func (r *refinement) library(at []float64) *Library {
	l := *r.of.design.library
	l.Atoms = slices.Clone(l.Atoms)
	for i, a := range r.atoms {
		l.Atoms[a].inner = expr.Rounded(math.Exp(at[i]), 12)
		l.Atoms[a].Expr = l.Atoms[a].with(l.Atoms[a].inner)
	}
	return &l
}

// columns returns the values of the atoms of the fit's terms, with other numbers, [atom][row]. For atoms without a number it returns
// the values in r.fixed.
func (r *refinement) columns(at []float64) [][]float64 {
	l := r.library(at)
	var used []int
	for _, t := range r.terms {
		for _, a := range t {
			if !slices.Contains(used, a) && (r.fixed == nil || l.Atoms[a].with != nil) {
				used = append(used, a)
			}
		}
	}
	some := &Library{}
	for _, a := range used {
		some.Atoms = append(some.Atoms, l.Atoms[a])
	}
	all := slices.Clone(r.fixed)
	if all == nil {
		all = make([][]float64, len(l.Atoms))
	}
	for i, x := range some.values(r.of.design.target) {
		all[used[i]] = x
	}
	return all
}

// rows returns the values of the terms, [row][term] row by row, centred under the teacher and scaled as in the fit.
func (r *refinement) rows(at []float64) []float64 {
	d := r.of.design
	atoms := r.columns(at)
	k := len(r.terms)
	x, out := make([]float64, len(d.target.share)), make([]float64, len(d.target.share)*k)
	for i, t := range r.terms {
		d.library.product(x, atoms, t)
		d.target.centre(x, nil)
		for n, v := range x {
			out[n*k+i] = v / d.scale[r.of.columns[i]]
		}
	}
	return out
}

// fit returns a fit with other numbers in its atoms. It has the given coefficients, which are not minimised yet.
func (r *refinement) fit(at, start []float64) *fit {
	return fitOf(r.of.design, r.of.columns, r.rows(at), start)
}

// step makes one damped step from the numbers `at`, whose fit is `now`. It returns the new numbers and their fit, or nil if the step
// does not lower the mean divergence.
func (r *refinement) step(at []float64, now *fit, damping float64) ([]float64, *fit) {
	k, n := len(r.terms), len(r.atoms)
	joint := make([]float64, len(r.of.design.target.share)*(k+n))
	for row := range r.of.design.target.share {
		copy(joint[row*(k+n):], now.values[row*k:row*k+k])
	}
	for i := range n {
		moved := slices.Clone(at)
		moved[i] += derivativeStep
		for row, values := 0, r.rows(moved); row*k < len(values); row++ {
			joint[row*(k+n)+k+i] = (dot(values[row*k:row*k+k], now.coefficient) - dot(now.values[row*k:row*k+k], now.coefficient)) / derivativeStep
		}
	}
	all := fitOf(r.of.design, slices.Concat(r.of.columns, make([]int, n)), joint, slices.Concat(now.coefficient, make([]float64, n)))
	all.curve()
	s, ok := all.factor(damping)
	if !ok {
		return nil, nil
	}
	by := s.solve(all.slope)
	next, start := slices.Clone(at), slices.Clone(now.coefficient)
	for i := range start {
		start[i] -= by[i]
	}
	for i := range next {
		next[i] -= min(max(by[k+i], -longestStep), longestStep)
	}
	better := r.fit(next, start)
	if math.IsInf(better.mean, 1) {
		better = r.fit(next, now.coefficient)
	}
	better.minimise(tryingSteps)
	if better.mean < now.mean {
		return next, better
	}
	return nil, nil
}
