package evidence

import (
	"likc/runtime/num/gemm"
	"likc/runtime/num/vec"
)

// dual is a column of numbers v with their derivatives d in dim parameters. The derivatives of number i begin at d[dim·i].
type dual struct{ v, d []float64 }

// calculus computes duals, in memory from an arena.
type calculus struct {
	mem *arena // the memory of the results
	dim int    // number of parameters; 0 if no derivatives are wanted
}

func (c calculus) new(n int) dual { return dual{c.mem.take(n), c.mem.take(n * c.dim)} }

// each returns the dual of a function f of the numbers of x and y. f returns a value and its partial derivatives in x and y.
func (c calculus) each(x, y dual, f func(x, y float64) (v, dx, dy float64)) dual {
	out := c.new(len(x.v))
	for i := range x.v {
		v, dx, dy := f(x.v[i], y.v[i])
		out.v[i] = v
		if c.dim > 0 {
			o, a, b := out.d[i*c.dim:(i+1)*c.dim], x.d[i*c.dim:(i+1)*c.dim], y.d[i*c.dim:(i+1)*c.dim]
			for p := range o {
				o[p] = dx*a[p] + dy*b[p]
			}
		}
	}
	return out
}

// times returns the products x·y.
func (c calculus) times(x, y dual) dual {
	return c.each(x, y, func(x, y float64) (v, dx, dy float64) { return x * y, y, x })
}

// minus returns the differences x - y.
func (c calculus) minus(x, y dual) dual {
	out := c.new(len(x.v))
	vec.Sub(out.v, x.v, y.v)
	vec.Sub(out.d, x.d[:len(out.d)], y.d[:len(out.d)])
	return out
}

// over returns the quotients x/y.
func (c calculus) over(x, y dual) dual {
	return c.each(x, y, func(x, y float64) (v, dx, dy float64) { return x / y, 1 / y, -x / (y * y) })
}

// cumulative returns the integral of f from an edge to each node of the panels, the intervals between edges. It is negative at nodes
// before that edge.
func (c calculus) cumulative(f dual, edges []float64, from int) dual {
	out := c.new(len(f.v))
	for e := from; e+1 < len(edges); e++ {
		base := c.new(1)
		if e > from {
			base = out.part(e*order-1, 1, c.dim)
		}
		c.integrate(out, f, e, base, edges[e+1]-edges[e], &rule.upTo)
	}
	first := c.new(1) // the integral at the beginning of the panel after the one that is computed
	for e := from - 1; e >= 0; e-- {
		h := edges[e+1] - edges[e]
		c.integrate(out, f, e, first, -h, &rule.downTo)
		for j, w := range rule.weight {
			at := e*order + j
			first.v[0] -= h * w * f.v[at]
			for p, d := range f.d[at*c.dim : (at+1)*c.dim] {
				first.d[p] -= h * w * d
			}
		}
	}
	return out
}

// integrate sets out at the nodes of panel e to base plus h times integrals of f, whose weights are given for each node.
func (c calculus) integrate(out, f dual, e int, base dual, h float64, weights *[order][order]float64) {
	o, x, scaled := out.part(e*order, order, c.dim), f.part(e*order, order, c.dim), c.mem.take(order*order)
	for i := range order {
		sum := 0.0
		for j, w := range weights[i] {
			sum += w * x.v[j]
		}
		o.v[i] = base.v[0] + h*sum
		copy(scaled[i*order:(i+1)*order], weights[i][:])
		copy(o.d[i*c.dim:(i+1)*c.dim], base.d)
	}
	vec.MulScalar(scaled, scaled, h)
	gemm.AddRows(o.d, scaled, x.d, order, c.dim)
}

// part returns n numbers from the one at first, with their derivatives.
func (x dual) part(first, n, dim int) dual {
	return dual{x.v[first : first+n], x.d[first*dim : (first+n)*dim]}
}

// take copies the first n numbers of another column.
func (x dual) take(of dual, n, dim int) {
	copy(x.v, of.v[:n])
	copy(x.d, of.d[:n*dim])
}

// at returns the values of f at points of a panel. points is a row-major matrix: its rows interpolate from the panel's nodes to
// each point.
func (c calculus) at(f dual, panel int, points []float64) dual {
	n := len(points) / order
	out := c.new(n)
	first := panel * order
	own := (*[order]float64)(f.v[first:])
	for k := range n {
		sum := 0.0
		for j, w := range (*[order]float64)(points[k*order:]) {
			sum += w * own[j]
		}
		out.v[k] = sum
	}
	if c.dim > 0 {
		gemm.AddRows(out.d, points, f.d[first*c.dim:(first+order)*c.dim], order, c.dim)
	}
	return out
}
