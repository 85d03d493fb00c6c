package formula

import (
	"slices"
	"strings"
)

// Coding is the information that Build learns from the data. Transform needs it to code new data in the same way.
type Coding struct {
	Factors map[string]FactorCoding `json:"factors"` // coding of each factor, by the text of Factor.String
	Groups  map[string][]string     `json:"groups"`  // the levels of each grouping, sorted, by its name: g or g1:g2
}

// FactorCoding is the coding of one factor.
type FactorCoding struct {
	Levels    []string `json:"levels,omitempty"`    // sorted; nil for a numeric factor
	Reference string   `json:"reference,omitempty"` // the level that treatment coding leaves out
	Center    float64  `json:"center,omitempty"`    // subtracted from a numeric factor
	Scale     float64  `json:"scale,omitempty"`     // divides the factor after the subtraction; 0 for no division
}

// Name is the name of a coefficient in bambi's notation: a base such as v_C(conf) or v_theta|subj_idx, and the levels of the
// categorical factors.
type Name struct {
	Base   string
	Levels []string
}

// String returns BASE, or BASE[LEVEL, LEVEL].
func (n Name) String() string {
	if len(n.Levels) == 0 {
		return n.Base
	}
	return n.Base + "[" + strings.Join(n.Levels, ", ") + "]"
}

// Sigma returns the name of the standard deviation of a group effect: v_1|subj_idx_sigma.
func (n Name) Sigma() Name { return Name{n.Base + "_sigma", n.Levels} }

// At returns the name of the effect of one group: v_1|subj_idx[3].
func (n Name) At(group string) Name {
	return Name{n.Base, slices.Concat([]string{group}, n.Levels)}
}
