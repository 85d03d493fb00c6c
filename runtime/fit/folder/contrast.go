package folder

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"likc/runtime/fit"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/model/posterior"
	"likc/runtime/num/chains"
	"likc/runtime/num/finite"
)

// forStan returns the draws with names that are valid columns of Stan's CSV. Invalid characters become underscores, and equal names
// get a number.
func forStan(r *fit.Result) *chains.Draws {
	own, seen := *r.Draws, map[string]int{}
	own.Names = make([]string, len(r.Draws.Names))
	for i, name := range r.Draws.Names {
		name = strings.Map(func(c rune) rune {
			if strings.ContainsRune(",\"# \r\n\t", c) {
				return '_'
			}
			return c
		}, strings.ReplaceAll(name, ", ", ","))
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s_%d", name, seen[name])
		}
		own.Names[i] = name
	}
	return &own
}

// mostShown is the largest number of a study's parameters in figures of draws.
const mostShown = 12

// shown returns the draws for figures. For a fit without formulas these are all draws. For a study, they are the coefficients
// that belong to no single level of a group.
func shown(r *fit.Result) *chains.Draws {
	d := r.Draws.Common()
	if !r.Study.Varies() {
		return d
	}
	names := r.Study.Population()
	names = names[:min(len(names), mostShown)]
	keep := func(name string) bool { return slices.Contains(names, name) }
	out := *d
	out.Names, out.Chains = names, slices.Clone(d.Chains)
	for c := range out.Chains {
		out.Chains[c].Params = nil
		for j, column := range d.Chains[c].Params {
			if keep(d.Names[j]) {
				out.Chains[c].Params = append(out.Chains[c].Params, column)
			}
		}
	}
	return &out
}

// Regression is the fit of a regression, read from its folder.
type Regression struct {
	*hierarchy.Record
	Draws  *chains.Draws                  // draws with the names in summary.json; all chains have the same length
	Priors map[string]posterior.Parameter // priors of coefficients, spreads and parameters without a formula; nil if the fit has no record
}

// OpenRegression reads the folder of a fit. A fit without formulas is a regression in which every parameter is one number.
func OpenRegression(dir string) (*Regression, error) {
	s, err := Open(dir)
	if err != nil {
		return nil, err
	}
	of := s.Subjects[0]
	switch {
	case len(s.Subjects) > 1:
		return nil, fmt.Errorf("%s: has fits of %d subjects: name the folder of one, such as %s", dir, len(s.Subjects), s.Path(of))
	case of.Regression == nil:
		of.Regression = withoutFormulas(of)
	}
	d, err := s.Draws(of)
	if err != nil {
		return nil, err
	}
	if len(d.Names) != len(of.Params) {
		return nil, fmt.Errorf("%s: the draws have %d columns, the summary %d parameters", dir, len(d.Names), len(of.Params))
	}
	for i, p := range of.Params {
		d.Names[i] = p.Name
	}
	r := &Regression{Record: of.Regression, Draws: d.Common(), Priors: map[string]posterior.Parameter{}}
	if of.Record == nil {
		return r, nil
	}
	r.Refuse(func(param string) float64 {
		if given, known := of.Record.Ranges[param]; known {
			return float64(given[1])
		}
		return math.NaN()
	})
	for name, text := range of.Record.Priors {
		prior, err := posterior.ParsePrior(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", dir, name, err)
		}
		if p, own := r.withRange(name, of.Record.Ranges[name]); own {
			p.Prior = prior
			r.Priors[name] = p
		}
	}
	return r, nil
}

// withoutFormulas returns a fit without formulas as a regression.
func withoutFormulas(of *fit.Summary) *hierarchy.Record {
	r := &hierarchy.Record{}
	for _, p := range of.Params {
		r.Params = append(r.Params, hierarchy.ParamRecord{Name: p.Name})
	}
	if of.Record == nil {
		return r
	}
	for _, name := range slices.Sorted(maps.Keys(of.Fixed)) {
		r.Params = append(r.Params, hierarchy.ParamRecord{Name: name, Fixed: finite.Number(of.Fixed[name]), IsFixed: true})
	}
	return r
}

// withRange returns a coefficient, a spread, or a parameter with its range. given is the range of a parameter without a formula.
// ok is false for a correlation, because its prior belongs to a whole matrix.
func (r *Regression) withRange(name string, given fit.Interval) (p posterior.Parameter, ok bool) {
	p = posterior.Parameter{Name: name, Lower: math.Inf(-1), Upper: math.Inf(1)}
	isParam := slices.ContainsFunc(r.Params, func(of hierarchy.ParamRecord) bool { return of.Name == name && of.Formula == nil })
	switch {
	case isParam:
		p.Lower, p.Upper = float64(given[0]), float64(given[1])
		if math.IsNaN(p.Lower) { // null means that the range has no lower end
			p.Lower = math.Inf(-1)
		}
		if math.IsNaN(p.Upper) {
			p.Upper = math.Inf(1)
		}
	case strings.Contains(name, "|") && strings.Contains(name, "_sigma"):
		p.Lower = 0
	}
	return p, !strings.HasSuffix(name, "_cor")
}
