package fit

import (
	"likc/cmd/likc/internal/cli"
	"likc/runtime/catalog"
	"likc/runtime/posterior"
	"strings"
)

// parsePriors reads NAME=PRIOR, one of each parameter at most.
func parsePriors(src *catalog.Model, texts []string) (map[string]posterior.Prior, error) {
	priors := map[string]posterior.Prior{}
	for _, text := range texts {
		name, prior, ok := strings.Cut(text, "=")
		name = strings.TrimSpace(name)
		switch {
		case !ok || name == "" || strings.Contains(name, "("):
			return nil, cli.Usagef("--prior %s: want NAME=PRIOR, as in v=normal(0,2)", text)
		case !src.IsParam(name):
			return nil, cli.Usagef("--prior %s: no such parameter; %s has %s", name, src.Name, strings.Join(src.ParamNames(), ", "))
		}
		if _, twice := priors[name]; twice {
			return nil, cli.Usagef("--prior %s: given twice", name)
		}
		p, err := posterior.ParsePrior(prior)
		if err != nil {
			return nil, cli.Usagef("--prior %s: %w", name, err)
		}
		priors[name] = p
	}
	return priors, nil
}
