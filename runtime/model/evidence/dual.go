package evidence

import "likc/runtime/num/gemm"

// dual is a column of numbers v with their derivatives d in dim parameters. The derivatives of number i begin at d[dim·i].
type dual struct{ v, d []float64 }

// calculus computes duals, in memory from an arena.
type calculus struct {
	mem *arena
	dim int // number of parameters; 0 if no derivatives are wanted
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

func (c calculus) times(x, y dual) dual {
	return c.each(x, y, func(x, y float64) (v, dx, dy float64) { return x * y, y, x })
}

func (c calculus) minus(x, y dual) dual {
	return c.each(x, y, func(x, y float64) (v, dx, dy float64) { return x - y, 1, -1 })
}

func (c calculus) over(x, y dual) dual {
	return c.each(x, y, func(x, y float64) (v, dx, dy float64) { return x / y, 1 / y, -x / (y * y) })
}

// cumulative returns the integral of f from 0 to each node of the panels between edges.
func (c calculus) cumulative(f dual, edges []float64) dual {
	out := c.new(len(f.v))
	base, slopes := 0.0, c.mem.take(c.dim)
	for e := 0; e+1 < len(edges); e++ {
		h, first := edges[e+1]-edges[e], e*order
		for i := range order {
			at := first + i
			out.v[at] = base
			o := out.d[at*c.dim : (at+1)*c.dim]
			copy(o, slopes)
			for j := range order {
				w := h * rule.upTo[i][j]
				out.v[at] += w * f.v[first+j]
				for p, d := range f.d[(first+j)*c.dim : (first+j+1)*c.dim] {
					o[p] += w * d
				}
			}
		}
		last := first + order - 1
		base = out.v[last]
		copy(slopes, out.d[last*c.dim:])
	}
	return out
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
