package objective

// HasJoint reports whether the joint proxy has a share in the loss.
func (l *Loss) HasJoint() bool { return l.settings.JointWeight > 0 }

// Columns returns the headings of the figures that listings print for an expression, and their format. There is one for each
// parameter: J for joint estimates of all parameters, R for estimates of one parameter at a time.
func (l *Loss) Columns() (heads []string, verb string) {
	letter := "R"
	if l.HasJoint() {
		letter = "J"
	}
	for _, p := range l.valuer.params {
		heads = append(heads, letter+" "+p.Name)
	}
	return heads, "%5.2f"
}

// Figures returns what the columns show: the recovery of each parameter.
func (l *Loss) Figures(terms []float64) []float64 { return l.Recovery(terms) }

// Recovery returns, for each parameter in the header's order, the correlation of estimates and truths minus the fraction of
// estimates at an edge. It uses the joint proxy if that has a share in the loss, and otherwise the profiles. terms are those of a
// score. The result is 0 for an expression whose joint proxy was not computed.
func (l *Loss) Recovery(terms []float64) []float64 {
	n, first := len(l.valuer.params), l.fitTerms()
	if l.HasJoint() {
		first += 2 * n
	}
	recovery := make([]float64, n)
	for j := range recovery {
		recovery[j] = terms[first+j] - terms[first+n+j]
	}
	return recovery
}
