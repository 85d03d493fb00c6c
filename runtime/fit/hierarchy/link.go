package hierarchy

import (
	"fmt"
	"math"

	"likc/runtime/model/catalog"
)

// Link maps a parameter to the scale of its linear predictor.
type Link string

// The links: the parameter itself, its logarithm, and the logit of its place in the range, log((x-low)/(high-x)). None depends on
// the data.
const (
	Identity Link = "identity"
	Log      Link = "log"
	Logit    Link = "logit"
)

// Links are the names of all links.
var Links = []Link{Identity, Log, Logit}

// ParseLink reads the name of a link.
func ParseLink(name string) (Link, error) {
	for _, l := range Links {
		if name == string(l) {
			return l, nil
		}
	}
	return "", fmt.Errorf("%q is no link: want identity, log or logit", name)
}

// DefaultLink is the link of parameter i where a formula has none. It does not look at the data:
//
//	identity  for a parameter whose range has 0 inside, as a drift has
//	log       for an onset, a time from 0 on that every trial must come after: the density itself ends it, smoothly, before the
//	          fastest trial. Not where the likelihood is known within a range alone, as a teacher's is
//	logit     onto the range for all others
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

// inverse is the way back from a linear predictor to the parameter. Whatever writes a parameter on its own scale uses it.
type inverse struct {
	link       Link
	low, width float64 // of the range; width is 0 for a link without one
}

// newInverse is the inverse of a link for a range.
func newInverse(link Link, low, high float64) inverse {
	if link == Logit {
		return inverse{link, low, high - low}
	}
	return inverse{link: link}
}

// value returns the parameter and its derivative at eta.
func (l *inverse) value(eta float64) (x, slope float64) {
	switch l.link {
	case Logit:
		near := 1 / (1 + math.Exp(math.Abs(eta))) // share of the width to the nearer end
		slope = l.width * near * (1 - near)
		if eta < 0 {
			return l.low + l.width*near, slope
		}
		return l.low + l.width*(1-near), slope
	case Log:
		e := math.Exp(eta)
		return e, e
	}
	return eta, 1
}

// at is the link itself: the linear predictor that gives the parameter the value x.
func (l *inverse) at(x float64) float64 {
	switch l.link {
	case Logit:
		return math.Log((x - l.low) / (l.low + l.width - x))
	case Log:
		return math.Log(x)
	}
	return x
}
