package recovery

import (
	"fmt"
	"slices"
	"strings"

	"likc/runtime/fit"
	"likc/runtime/model/catalog"
)

// Of returns the settings with those priors, ranges and fixed values that are of the model's own parameters.
func (s Settings) Of(m *catalog.Model) Settings {
	own := func(wishes []string) []string {
		return slices.DeleteFunc(slices.Clone(wishes), func(wish string) bool { return m.ParamIndex(nameOf(wish)) < 0 })
	}
	s.Priors, s.Ranges, s.Fixed = own(s.Priors), own(s.Ranges), own(s.Fixed)
	return s
}

// CheckNames says which prior, range or fixed value is of a parameter that none of the models has.
func (s Settings) CheckNames(models []*catalog.Model) error {
	for _, of := range []struct {
		kind   string
		wishes []string
	}{{"prior", s.Priors}, {"range", s.Ranges}, {"fix", s.Fixed}} {
		for _, wish := range of.wishes {
			name := nameOf(wish)
			if !slices.ContainsFunc(models, func(m *catalog.Model) bool { return m.ParamIndex(name) >= 0 }) {
				return fit.WishError{Of: of.kind, Err: fmt.Errorf("%s: no model has such a parameter", name)}
			}
		}
	}
	return nil
}

// nameOf is the parameter in NAME=VALUE.
func nameOf(wish string) string {
	name, _, _ := strings.Cut(wish, "=")
	return strings.TrimSpace(name)
}
