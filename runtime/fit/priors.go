package fit

import (
	"fmt"
	"strings"

	"likc/runtime/catalog"
	"likc/runtime/posterior"
)

// ParsePriors reads texts such as v=normal(0,2), at most one for each parameter of the model. [posterior.ParsePrior] lists the
// families.
func ParsePriors(m *catalog.Model, texts []string) (map[string]posterior.Prior, error) {
	priors := map[string]posterior.Prior{}
	for _, text := range texts {
		name, prior, ok := strings.Cut(text, "=")
		name = strings.TrimSpace(name)
		switch {
		case !ok || name == "" || strings.Contains(name, "("):
			return nil, fmt.Errorf("%s: want NAME=PRIOR, as in %s=normal(0,2)", text, m.Params[0].Name)
		case !m.IsParam(name):
			return nil, fmt.Errorf("%s: no such parameter; %s has %s", name, m.Name, strings.Join(m.ParamNames(), ", "))
		}
		if _, twice := priors[name]; twice {
			return nil, fmt.Errorf("%s: given twice", name)
		}
		p, err := posterior.ParsePrior(prior)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		priors[name] = p
	}
	return priors, nil
}
