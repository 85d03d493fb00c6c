package cli

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"likc/compiler/expr"
)

// ParseTheta reads parameters that are written as "v=1,a=1.2,…", and returns them in the model's order. Every parameter must occur once.
// Values may lie outside the declared ranges.
func ParseTheta(m *expr.Model, text string) ([]float64, error) {
	if strings.TrimSpace(text) == "" {
		return nil, Usagef("--theta: missing; want %s", strings.Join(m.ParamNames(), "=…,")+"=…")
	}
	theta := make([]float64, len(m.Params))
	given := map[string]bool{}
	for _, pair := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok {
			return nil, Usagef("--theta %q: want NAME=VALUE", pair)
		}
		i := m.ParamIndex(name)
		if i < 0 {
			return nil, Usagef("--theta %s: no such parameter; %s has %s", name, m.Name, strings.Join(m.ParamNames(), ", "))
		}
		if given[name] {
			return nil, Usagef("--theta %s: given twice", name)
		}
		x, err := strconv.ParseFloat(value, 64)
		switch {
		case errors.Is(err, strconv.ErrRange):
			return nil, Usagef("--theta %s=%s: too large for a number", name, value)
		case err != nil || math.IsNaN(x) || math.IsInf(x, 0):
			return nil, Usagef("--theta %s=%s: not a number", name, value)
		}
		theta[i], given[name] = x, true
	}
	for _, p := range m.Params {
		if !given[p.Name] {
			return nil, Usagef("--theta: no value for %s; want %s", p.Name, strings.Join(m.ParamNames(), "=…,")+"=…")
		}
	}
	return theta, nil
}
