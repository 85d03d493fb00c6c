package hierarchy

import "likc/runtime/num/chains"

// constrain replaces draws of unconstrained coordinates by draws of coefficients, spreads, correlations and offsets.
func (s *Study) constrain(d *chains.Draws) error {
	post, e, err := s.posterior()
	if err != nil {
		return err
	}
	post.ConstrainDraws(d)
	for c := range d.Chains {
		for _, t := range []*chains.Trace{&d.Chains[c].Trace, &d.Chains[c].Warmup} {
			e.constrain(t)
		}
	}
	return nil
}

// constrain replaces coordinates by coefficients in one trace, which holds the draws of a chain.
func (e *evaluation) constrain(t *chains.Trace) {
	coords := make([]float64, len(e.coefs))
	for k := range t.Len() {
		for j, column := range t.Params {
			coords[j] = column[k]
		}
		copy(e.coefs, coords)
		for i, g := range e.groups {
			g.toOffsets(coords, e.coefs, e.workspaces[i])
			if g.correlated() {
				g.correlations(e.coefs, e.workspaces[i])
			}
		}
		for j, column := range t.Params {
			column[k] = e.coefs[j]
		}
	}
}

// Names returns the names of all coefficients, in the order of the draws.
func (s *Study) Names() []string {
	names := make([]string, len(s.coords))
	for i, c := range s.coords {
		names[i] = c.Name
	}
	return names
}

// Varying is an effect that varies over the levels of a grouping, such as v_1|subj_idx, which varies by subj_idx.
type Varying struct {
	Name, By    string
	Levels      []string
	Coordinates []int // index of each level's offset in the draws
}

// Varying returns all effects that vary by group.
func (s *Study) Varying() (all []Varying) {
	for _, g := range s.groups {
		for k, name := range g.names {
			v := Varying{Name: name, By: g.by, Levels: g.levels}
			for level := range g.levels {
				v.Coordinates = append(v.Coordinates, g.offset(level, k))
			}
			all = append(all, v)
		}
	}
	return all
}

// Population returns the names of the coefficients, spreads and correlations that belong to no single level of a group.
func (s *Study) Population() []string {
	var names []string
	for i, c := range s.coords {
		if !s.isOffset(i) {
			names = append(names, c.Name)
		}
	}
	return names
}
