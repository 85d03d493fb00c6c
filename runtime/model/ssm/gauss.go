package ssm

import "gonum.org/v1/gonum/integrate/quad"

// node is a node of a quadrature rule on (0, 1).
type node struct{ at, weight float64 }

// gauss returns the Gauss–Legendre rule with n nodes on (0, 1), in ascending order.
func gauss(n int) []node {
	at, weight := make([]float64, n), make([]float64, n)
	quad.Legendre{}.FixedLocations(at, weight, 0, 1)
	nodes := make([]node, n)
	for i := range nodes {
		nodes[i] = node{at[i], weight[i]}
	}
	return nodes
}

// order is the number of nodes of a panel: an interval of decision times on which a function is approximated by a polynomial of degree
// order-1.
const order = 16

var (
	panelRule = gauss(order) // the nodes of a panel
	// toLegendre converts values at the nodes of panelRule into coefficients of Legendre's polynomials on (-1, 1).
	toLegendre = legendreOf(panelRule)
)

// legendreOf returns the matrix that converts values at the nodes of a rule into coefficients of Legendre's polynomials on (-1, 1).
func legendreOf(rule []node) (m [order][order]float64) {
	for n, x := range rule {
		var p [order]float64
		legendre(&p, 2*x.at-1)
		for k := range p {
			m[k][n] = float64(2*k+1) * x.weight * p[k]
		}
	}
	return m
}

// legendre fills p with the values of Legendre's polynomials at x.
func legendre(p *[order]float64, x float64) {
	last, this := 0.0, 1.0
	for k := range p {
		p[k] = this
		this, last = x*this*recurrence[k].twice-last*recurrence[k].less, this
	}
}

// recurrence holds, for each k, the factors (2k+1)/(k+1) and k/(k+1), by which the Legendre polynomial of degree k+1 follows
// from those of degrees k and k-1.
var recurrence = func() (f [order]struct{ twice, less float64 }) {
	for k := range f {
		f[k].twice, f[k].less = float64(2*k+1)/float64(k+1), float64(k)/float64(k+1)
	}
	return f
}()
