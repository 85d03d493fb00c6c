package formula

// Columns returns the names of the data columns that the formula reads, in order of first appearance among the common terms, the
// offsets and the group terms.
func (f *Formula) Columns() []string {
	var all []string
	seen := map[string]bool{}
	add := func(names ...string) {
		for _, name := range names {
			if name != "" && !seen[name] {
				seen[name] = true
				all = append(all, name)
			}
		}
	}
	arith := func(a *Arith) {
		for _, c := range a.columns() {
			add(c.Column)
		}
	}
	terms := func(list []Term) {
		for _, t := range list {
			for _, factor := range t.Factors {
				add(factor.Column)
				arith(factor.Value)
			}
		}
	}
	terms(f.Common)
	for _, o := range f.Offsets {
		arith(o)
	}
	for _, g := range f.Groups {
		terms(g.Effects)
		for _, by := range g.By {
			add(by.Column)
		}
	}
	return all
}
