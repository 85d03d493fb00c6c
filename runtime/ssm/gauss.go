package ssm

import "gonum.org/v1/gonum/integrate/quad"

// node is a node of a quadrature rule on (0, 1).
type node struct{ at, weight float64 }

// gauss is the rule of Gauss and Legendre with n nodes, in ascending order.
func gauss(n int) []node {
	at, weight := make([]float64, n), make([]float64, n)
	quad.Legendre{}.FixedLocations(at, weight, 0, 1)
	nodes := make([]node, n)
	for i := range nodes {
		nodes[i] = node{at[i], weight[i]}
	}
	return nodes
}

// order is the number of nodes of a panel, on which a function is a polynomial of one degree less.
const order = 16

var (
	panelRule = gauss(order)
	// toLegendre turns values at the nodes of panelRule into the coefficients of Legendre's polynomials on (-1, 1).
	toLegendre = legendreOf(panelRule)
)

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
	p[0], p[1] = 1, x
	for k := 2; k < order; k++ {
		p[k] = x*p[k-1]*over[k].twice - p[k-2]*over[k].less
	}
}

// over holds the factors of the recurrence, (2k-1)/k and (k-1)/k.
var over = func() (f [order]struct{ twice, less float64 }) {
	for k := 2; k < order; k++ {
		f[k].twice, f[k].less = float64(2*k-1)/float64(k), float64(k-1)/float64(k)
	}
	return f
}()
