package fit

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"likc/runtime/model/catalog"
	"likc/runtime/model/posterior"
)

// Wishes are what a user asks of a model's parameters, by name. The zero value asks for nothing: every parameter is sampled, with
// a uniform prior over the model's range.
type Wishes struct {
	Ranges map[string]catalog.Range
	Fixed  map[string]float64 // values of parameters that are not sampled
	Priors map[string]posterior.Prior
}

// ParseWishes reads priors, ranges and fixed values as ParsePriors, ParseRanges and ParseFixed do. An error says which of them is wrong.
func ParseWishes(m *catalog.Model, priors, ranges, fixed []string) (w Wishes, err error) {
	if w.Priors, err = ParsePriors(m, priors); err != nil {
		return w, WishError{"prior", err}
	}
	if w.Ranges, err = ParseRanges(m, ranges); err != nil {
		return w, WishError{"range", err}
	}
	if w.Fixed, err = ParseFixed(m, fixed); err != nil {
		return w, WishError{"fix", err}
	}
	return w, nil
}

// WishError says which wish cannot be.
type WishError struct {
	Of  string // "prior", "range" or "fix"; "" where they do not go together
	Err error
}

func (e WishError) Error() string { return e.Err.Error() }

func (e WishError) Unwrap() error { return e.Err }

// ParsePriors reads texts such as v=normal(0,2), at most one for each parameter of the model. [posterior.ParsePrior] lists the
// families.
func ParsePriors(m *catalog.Model, texts []string) (map[string]posterior.Prior, error) {
	return parseEach(m, texts, "NAME=PRIOR, as in %s=normal(0,2)", posterior.ParsePrior)
}

// ParseRanges reads texts such as v=-10,10, at most one for each parameter of the model. An end may be inf or -inf.
func ParseRanges(m *catalog.Model, texts []string) (map[string]catalog.Range, error) {
	return parseEach(m, texts, "NAME=LOW,HIGH, as in %s=-10,10", func(text string) (r catalog.Range, err error) {
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
	})
}

// ParseFixed reads texts such as z=0.5, at most one for each parameter of the model.
func ParseFixed(m *catalog.Model, texts []string) (map[string]float64, error) {
	return parseEach(m, texts, "NAME=VALUE, as in %s=0.5", func(text string) (float64, error) {
		x, err := parseReal(text)
		if err == nil && math.IsInf(x, 0) {
			err = fmt.Errorf("%s is not finite", text)
		}
		return x, err
	})
}

// parseEach reads texts NAME=VALUE; form says how they are written, with a place for the name of a parameter.
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

// parseReal reads a number that may be infinite.
func parseReal(text string) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(x) {
		return 0, fmt.Errorf("%q is not a number", strings.TrimSpace(text))
	}
	return x, nil
}
