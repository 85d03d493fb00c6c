package objective

// HasJoint reports whether the joint proxy has a share in the loss.
func (l *Loss) HasJoint() bool { return l.settings.JointWeight > 0 }

// Recovery returns, for each parameter in the header's order, the correlation of estimates and truths less the fraction of
// estimates at an edge: in the joint proxy if it has a share in the loss, else in profiles. terms are those of a score; they
// are 0 for an expression that the joint proxy has not seen.
func (l *Loss) Recovery(terms []float64) []float64 {
	n, first := len(l.points.params), l.fitTerms()
	if l.HasJoint() {
		first += 2 * n
	}
	recovery := make([]float64, n)
	for j := range recovery {
		recovery[j] = terms[first+j] - terms[first+n+j]
	}
	return recovery
}
