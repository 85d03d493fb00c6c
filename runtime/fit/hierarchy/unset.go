package hierarchy

import (
	"fmt"
	"slices"
	"strings"

	"likc/runtime/fit/formula"
)

// Unset is a column that a contrast does not set though its parameters depend on it.
type Unset struct {
	Column  string   // name of the column
	Values  []string // values over which the parameter is averaged with equal weights; nil for numbers, which are at their mean
	Mean    float64  // mean of a column of numbers
	Numbers bool     // whether the column has numbers that a formula uses as numbers
}

// mostNamed is the largest number of values that are listed.
const mostNamed = 6

// String describes which values of the column the contrast uses.
func (u Unset) String() string {
	switch {
	case u.Values == nil:
		return fmt.Sprintf("%s: at its mean %.4g", u.Column, u.Mean)
	case u.Numbers:
		return fmt.Sprintf("%s: mean of its values %s, which hides an effect that reverses with %[1]s; set %[1]s=… to compare at one", u.Column, strings.Join(u.Values, ", "))
	case len(u.Values) > mostNamed:
		return fmt.Sprintf("%s: averaged over its %d values", u.Column, len(u.Values))
	case len(u.Values) == 1:
		return fmt.Sprintf("%s: at its only value %s", u.Column, u.Values[0])
	}
	last := len(u.Values) - 1
	return fmt.Sprintf("%s: averaged over %s and %s", u.Column, strings.Join(u.Values[:last], ", "), u.Values[last])
}

// Unset returns the columns on which a parameter of the contrast depends and which the contrast does not set, each column once.
func (r *Record) Unset(c *formula.Contrast) (all []Unset) {
	for _, at := range c.Conditions() {
		p := r.param(at.Name)
		if p == nil {
			continue
		}
		for i := range r.Columns {
			column := &r.Columns[i]
			set := slices.ContainsFunc(at.Settings, func(s formula.Setting) bool { return s.Column == column.Name })
			known := slices.ContainsFunc(all, func(u Unset) bool { return u.Column == column.Name })
			if set || known || !p.reads(column.Name) {
				continue
			}
			one := Unset{Column: column.Name, Mean: float64(column.Mean)}
			if column.isFactor() {
				one.Values, one.Numbers = column.all(), column.Labels == nil && !column.Factor
			}
			all = append(all, one)
		}
	}
	return all
}
