package hierarchy

import (
	"fmt"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
)

// Link maps a parameter to the scale of its linear predictor.
type Link = bound.Link

// These are the links: the parameter itself, its logarithm, and the logit of its position in the range, log((x-low)/(high-x)). None
// depends on the data.
const (
	Identity = bound.Identity
	Log      = bound.Log
	Logit    = bound.Logit
)

// Links lists the names of all links.
var Links = []Link{Identity, Log, Logit}

// ParseLink parses the name of a link.
func ParseLink(name string) (Link, error) {
	for _, l := range Links {
		if name == string(l) {
			return l, nil
		}
	}
	return "", fmt.Errorf("%q is no link: want identity, log or logit", name)
}

// DefaultLink returns the link of parameter i for a formula that names no link. It does not depend on the data:
//
//   - identity for a parameter whose range has 0 inside, as a drift has
//   - log for an onset, a time ≥ 0 that ends before every response: the density itself falls smoothly to 0 as the onset approaches the
//     fastest trial. It is not used if the likelihood is known only within a range, as that of a neural network is
//   - logit onto the range for all others
func DefaultLink(m *catalog.Model, i int) Link {
	p := m.Params[i]
	switch {
	case p.Lower < 0 && p.Upper > 0:
		return Identity
	case p.Lower == 0 && m.IsOnset(p.Name) && !m.EndsWithin(i):
		return Log
	}
	return Logit
}
