package hierarchy

import (
	"slices"

	"likc/runtime/model/posterior"
)

// mostlyCentred is the mean share above which the offsets of a group count as centred: see [Study.Prepare].
const mostlyCentred = 0.05

// OtherForm returns the form of group effects to try where the sampler has trouble with the named coefficients, after [Study.Prepare]: the
// form that their groups do not have yet. It returns "" if none of the names is a spread, a correlation or an offset of a group.
func (s *Study) OtherForm(names []string) Form {
	var form Form
	for _, g := range s.groups {
		if !slices.ContainsFunc(names, func(name string) bool { return s.isOf(g, name) }) {
			continue
		}
		sum := 0.0
		for _, w := range g.shares {
			sum += w
		}
		if sum > mostlyCentred*float64(len(g.shares)) {
			return NonCentred
		}
		form = Centred
	}
	return form
}

// isOf reports whether a name is a spread, a correlation or an offset of a group. The coordinates of a group follow one another.
func (s *Study) isOf(g *group, name string) bool {
	first, last := g.effects[0].spread, g.first+len(g.shares)
	return slices.ContainsFunc(s.coords[first:last], func(c posterior.Parameter) bool { return c.Name == name })
}
