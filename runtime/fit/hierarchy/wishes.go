package hierarchy

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"likc/runtime/fit/formula"
	"likc/runtime/model/catalog"
	"likc/runtime/model/posterior"
	"likc/runtime/model/trials"
)

// ParseFormulas returns a Spec with formulas such as v ~ 1 + theta + (1 | subj_idx), at most one for each parameter of the model.
func ParseFormulas(m *catalog.Model, texts []string) (Spec, error) {
	s := Spec{Params: map[string]Regression{}, Priors: map[string]posterior.Prior{}}
	for _, text := range texts {
		parsed, err := formula.Parse(text)
		if err != nil {
			return s, fmt.Errorf("%q: %w", text, err)
		}
		if !m.IsParam(parsed.Param) {
			return s, fmt.Errorf("%q: %s has no parameter %s; it has %s", text, m.Name, parsed.Param, strings.Join(m.ParamNames(), ", "))
		}
		if _, twice := s.Params[parsed.Param]; twice {
			return s, fmt.Errorf("%q: %s has a formula already", text, parsed.Param)
		}
		s.Params[parsed.Param] = Regression{Formula: parsed}
	}
	return s, nil
}

// SetLinks parses texts such as a=log, for parameters with a formula.
func (s *Spec) SetLinks(texts []string) error {
	for _, text := range texts {
		name, link, ok := strings.Cut(text, "=")
		r, varies := s.Params[name]
		if !ok || !varies {
			return fmt.Errorf("%s: want NAME=LINK of a parameter with a formula", text)
		}
		var err error
		if r.Link, err = ParseLink(link); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		r.Fastest = false
		s.Params[name] = r
	}
	return nil
}

// SetPriors parses texts such as v_theta=normal(0,1), at most one for each coefficient, spread or parameter without a formula.
func (s *Spec) SetPriors(texts []string) error {
	seen := map[string]bool{}
	for _, text := range texts {
		name, prior, err := cutPrior(text)
		if err != nil {
			return err
		}
		if seen[name] {
			return fmt.Errorf("%s: given twice", name)
		}
		seen[name], s.Priors[name] = true, prior
	}
	return nil
}

// DividePriors divides texts NAME=PRIOR into priors of parameters without a formula and priors of coefficients.
func (s *Spec) DividePriors(m *catalog.Model, texts []string) (params, coefficients []string) {
	for _, text := range texts {
		name, _, _ := strings.Cut(text, "=")
		name = strings.TrimSpace(name)
		if _, varies := s.Params[name]; varies || !m.IsParam(name) {
			coefficients = append(coefficients, text)
		} else {
			params = append(params, text)
		}
	}
	return params, coefficients
}

// cutPrior parses NAME=PRIOR. A name may contain equality signs: it ends at the first one that a valid prior follows.
func cutPrior(text string) (name string, p posterior.Prior, err error) {
	first := errors.New(text + ": want NAME=PRIOR, as in v_theta=normal(0,1)")
	for i, c := range text {
		if c != '=' || i == 0 {
			continue
		}
		if p, err = posterior.ParsePrior(text[i+1:]); err == nil {
			return strings.TrimSpace(text[:i]), p, nil
		}
		if !strings.Contains(text[:i], "=") {
			first = fmt.Errorf("%s: %w", strings.TrimSpace(text[:i]), err)
		}
	}
	return "", p, first
}

// Columns returns the names of the columns that the formulas name, sorted.
func (s *Spec) Columns() (all []string) {
	for _, r := range s.Params {
		for _, f := range []*formula.Formula{r.Formula, r.Outside} {
			if f != nil {
				all = append(all, f.Columns()...)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Notes returns remarks, one on each line, about columns whose use in a formula may be unintended.
func (s *Spec) Notes(t formula.Table) (notes []string) {
	for _, name := range slices.Sorted(maps.Keys(s.Params)) {
		for _, f := range []*formula.Formula{s.Params[name].Formula, s.Params[name].Outside} {
			if f == nil {
				continue
			}
			for _, note := range f.Notes(t) {
				if !slices.Contains(notes, note) {
					notes = append(notes, note)
				}
			}
		}
	}
	return notes
}

// DataOf returns the trials of a table in the form that New needs. A column in t.Extra becomes a column of numbers if every row is a
// number without leading zeros, otherwise one of labels.
func DataOf(t *trials.Table) Data {
	d := Data{Columns: t.Columns, Choice: t.Choice, Person: t.Person, Table: formula.Table{Rows: t.N(), RowNumbers: t.Rows}}
	for i := range t.Extra {
		c := formula.DataColumn{Name: t.Extra[i].Name}
		if numbers, ok := t.Extra[i].Numbers(); ok {
			c.Numeric = numbers
		} else {
			c.Labels = t.Extra[i].Texts
		}
		d.Table.Columns = append(d.Table.Columns, c)
	}
	return d
}
