package fit

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"likc/runtime/fit/hierarchy"
	"likc/runtime/model/catalog"
	"likc/runtime/model/posterior"
)

// Wishes holds a user's wishes for a model's parameters. The zero value has none: every parameter is sampled, with a uniform prior
// over the model's range.
type Wishes struct {
	// Priors are priors of parameters or coefficients, such as v=normal(0,2); [posterior.ParsePrior] lists the families.
	Priors []string `flag:"prior" value:"NAME=PRIOR" help:"NAME=PRIOR of one parameter (repeatable; default: uniform over its range)"`
	// PriorPreset names priors for parameters and coefficients without one in Priors: see [catalog.Model.Preset]; "" for none.
	PriorPreset string `flag:"prior-preset" help:"priors of what has no --prior: flat, brms, hssm or paper (default: uniform over ranges, and of coefficients weakly informative)"`
	// Ranges are ranges of parameters, such as v=-10,10; an end may be inf or -inf.
	Ranges []string `flag:"range" value:"NAME=LOW,HIGH" help:"NAME=LOW,HIGH: the range of one parameter instead of the model's (repeatable)"`
	// Fixed are values of parameters that are not sampled, such as z=0.5.
	Fixed []string `flag:"fix" value:"NAME=VALUE" help:"NAME=VALUE: hold a parameter at a value (repeatable)"`

	// Formulas holds at most one formula for each parameter. Links holds links of parameters with a formula.
	Formulas []string `flag:"formula" value:"FORMULA" not:"preset" help:"FORMULA of one parameter, such as 'v ~ 1 + theta + (1 | subj_idx)' (repeatable)"`
	Links    []string `flag:"link" value:"NAME=LINK" only:"formula preset" help:"NAME=LINK of a parameter with a formula: identity, log or logit (repeatable)"`
	// Preset is the name of a study, in place of Formulas: see [hierarchy.Presets]; "" for none. Group is the column of its participants.
	Preset string `flag:"preset" value:"NAME" help:"NAME of a study: cavanagh-simple, cavanagh-full"`
	Group  string
	// Form is the parameterisation of group effects; "" for [hierarchy.Auto].
	Form hierarchy.Form `flag:"effects" default:"auto" only:"formula preset" help:"coordinates of group effects: auto, centred or non-centred. Posteriors are the same, but the sampler may work only with one.\nTry the other when a warning names a spread (…_sigma) or offsets"`
}

// asked holds the wishes for parameters, by name.
type asked struct {
	priors map[string]posterior.Prior
	ranges map[string]catalog.Range
	fixed  map[string]float64
}

// formulas parses the wishes for parameters with formulas, without their priors.
func (w *Wishes) formulas(m *catalog.Model) (s hierarchy.Spec, err error) {
	if w.Preset != "" {
		if s, err = hierarchy.Preset(w.Preset, m, w.Group); err != nil {
			return s, WishError{"preset", err}
		}
	} else if s, err = hierarchy.ParseFormulas(m, w.Formulas); err != nil {
		return s, WishError{"formula", err}
	}
	for i, p := range m.Params {
		if _, varies := s.Params[p.Name]; varies && m.IsAdded(i) {
			return s, WishError{"formula", fmt.Errorf("of %s: the probability of a lapse is one number, and --lapse is its prior", p.Name)}
		}
	}
	if s.Form, err = hierarchy.ParseForm(string(cmp.Or(w.Form, hierarchy.Auto))); err != nil {
		return s, WishError{"effects", err}
	}
	if err := s.SetLinks(w.Links); err != nil {
		return s, WishError{"link", err}
	}
	return s, nil
}

// divide removes the priors of coefficients from the wishes and returns them.
func (w *Wishes) divide(m *catalog.Model, s *hierarchy.Spec) (coefficients []string) {
	if len(s.Params) > 0 {
		w.Priors, coefficients = s.DividePriors(m, w.Priors)
	}
	return coefficients
}

// parse parses the wishes for parameters. An error says which wish is wrong.
func (w *Wishes) parse(m *catalog.Model) (all asked, err error) {
	if all.priors, err = parseEach(m, w.Priors, "NAME=PRIOR, as in %s=normal(0,2)", posterior.ParsePrior); err != nil {
		return all, WishError{"prior", err}
	}
	if all.ranges, err = parseEach(m, w.Ranges, "NAME=LOW,HIGH, as in %s=-10,10", parseRange); err != nil {
		return all, WishError{"range", err}
	}
	if all.fixed, err = parseEach(m, w.Fixed, "NAME=VALUE, as in %s=0.5", parseFinite); err != nil {
		return all, WishError{"fix", err}
	}
	return all, nil
}

// addPreset adds the priors of a preset. Priors of parameters are added if the parameter has neither a formula nor another wish.
// Priors of coefficients are added to the study.
func (a *asked) addPreset(m *catalog.Model, name string, s *hierarchy.Spec) error {
	if name == "" {
		return nil
	}
	of, err := m.Preset(name)
	if len(s.Params) > 0 {
		if wrong := s.SetPriorSet(hierarchy.PriorSet(name), of.Intercepts); wrong != nil {
			err = cmp.Or(err, wrong)
		} else {
			err = nil // the preset has only priors of coefficients
		}
	}
	if err != nil {
		return WishError{"prior-preset", err}
	}
	for name, p := range of.Priors {
		_, varies := s.Params[name]
		_, fixed := a.fixed[name]
		if _, given := a.priors[name]; !varies && !fixed && !given {
			a.priors[name] = p
		}
	}
	return nil
}

// WishError is an error in one of a user's wishes.
type WishError struct {
	Of  string // the flag of likc fit for the wish, such as "prior"; "" if wishes contradict each other
	Err error
}

func (e WishError) Error() string { return strings.TrimPrefix(e.Of+" "+e.Err.Error(), " ") }

func (e WishError) Unwrap() error { return e.Err }

// parseRange parses LOW,HIGH.
func parseRange(text string) (r catalog.Range, err error) {
	low, high, ok := strings.Cut(text, ",")
	if !ok {
		return r, fmt.Errorf("%q is not LOW,HIGH", text)
	}
	if r.Low, err = parseReal(low); err != nil {
		return r, err
	}
	if r.High, err = parseReal(high); err == nil && !(r.Low < r.High) {
		err = fmt.Errorf("%s is not below %s", strings.TrimSpace(low), strings.TrimSpace(high))
	}
	return r, err
}

// parseFinite parses a finite number.
func parseFinite(text string) (float64, error) {
	x, err := parseReal(text)
	if err == nil && math.IsInf(x, 0) {
		err = fmt.Errorf("%s is not finite", text)
	}
	return x, err
}

// parseEach parses texts NAME=VALUE. form is the syntax for messages, with a place for the name of a parameter.
func parseEach[T any](m *catalog.Model, texts []string, form string, parse func(text string) (T, error)) (map[string]T, error) {
	all := map[string]T{}
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		name = strings.TrimSpace(name)
		switch {
		case !ok || name == "" || strings.Contains(name, "("):
			return nil, fmt.Errorf("%s: want "+form, text, m.Params[0].Name)
		case !m.IsParam(name):
			return nil, fmt.Errorf("%s: no such parameter; %s has %s", name, m.Name, strings.Join(m.ParamNames(), ", "))
		}
		if _, twice := all[name]; twice {
			return nil, fmt.Errorf("%s: given twice", name)
		}
		x, err := parse(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all[name] = x
	}
	return all, nil
}

// parseReal parses a number that may be infinite.
func parseReal(text string) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(x) {
		return 0, fmt.Errorf("%q is not a number", strings.TrimSpace(text))
	}
	return x, nil
}
