package hierarchy

import (
	"fmt"
	"math"

	"likc/runtime/posterior"
)

// Link maps a parameter to the scale of its linear predictor.
type Link string

// The links: the parameter itself, its logarithm, and the logit of its place in the range, log((x-low)/(high-x)).
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

// DefaultLink is identity for a parameter whose range has 0 inside, as a drift has, and logit for one whose range ends where its
// meaning does.
func DefaultLink(p posterior.Parameter) Link {
	if p.Lower < 0 && p.Upper > 0 {
		return Identity
	}
	return Logit
}

// inverse is the way back from a linear predictor to the parameter.
type inverse struct {
	link       Link
	low, width float64 // of the range; width is 0 for a link without one
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

// predictor is the linear predictor at which the parameter is x; not finite where there is none.
func (l *inverse) predictor(x float64) float64 {
	switch l.link {
	case Logit:
		return math.Log((x - l.low) / (l.low + l.width - x))
	case Log:
		return math.Log(x)
	}
	return x
}
