package evidence

// joint holds what polynomials of panels are at the edge that a panel shares with the one before, whose last node is there. No node of the panel itself
// is, so that its polynomial goes farthest astray there, most of all in its slope. With the value at the edge it does not.
type joint struct {
	basis [order]float64 // the basis polynomials of the panel's nodes, at the edge
	scale float64        // one over the product of the differences of the edge from the nodes
}

func (r *panelRule) newJoint() (j joint) {
	r.lagrange(0, &j.basis)
	j.scale = 1
	for _, x := range r.x {
		j.scale /= -x
	}
	return j
}

// factors holds the factors of values in the value of a polynomial, and in its slope: of the value at the edge, then of those at the nodes of a panel.
type factors struct{ value, slope [order + 1]float64 }

// interpolate sets the factors for the point x of [0, 1], and returns them. If joined is false, the function does not go on smoothly from the panel
// before, and the factors are those of the panel's own nodes.
func (r *panelRule) interpolate(x float64, joined bool, f *factors) (value, slope []float64) {
	nodes, slopes := (*[order]float64)(f.value[1:]), (*[order]float64)(f.slope[1:])
	r.lagrange(x, nodes)
	r.lagrangeSlope(x, nodes, slopes)
	if !joined {
		return nodes[:], slopes[:]
	}
	edge, steep := r.edge.scale, 0.0 // the polynomial that is 1 at the edge and 0 at all nodes, and its slope
	for _, node := range r.x {
		steep = steep*(x-node) + edge
		edge *= x - node
	}
	f.value[0], f.slope[0] = edge, steep
	for j, l := range r.edge.basis {
		nodes[j] -= edge * l
		slopes[j] -= steep * l
	}
	return f.value[:], f.slope[:]
}
