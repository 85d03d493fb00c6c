package evidence

import (
	"math"

	"likc/runtime/num/gauss"
	"likc/runtime/num/gemm"
)

// A panel is an interval of time.
const (
	order = 8  // number of nodes of a panel
	inner = 12 // number of points between them at which kernels that change fast are evaluated
	tests = 2  // number of points at which polynomials are compared with functions
)

// panelRule holds the numbers that all panels share. A function on a panel is the polynomial through its values at the Radau
// nodes. Basis polynomial j is 1 at node j and 0 at the other nodes.
type panelRule struct {
	x, weight   [order]float64        // nodes on [0, 1], the last of which is 1, and weights of the integral over the panel
	bary        [order]float64        // weights of barycentric interpolation
	edge        joint                 // the basis polynomials where the panel begins
	upTo        [order][order]float64 // [i][j]: integral of basis polynomial j from 0 to node i
	downTo      [order][order]float64 // [i][j]: integral of basis polynomial j from node i to 1
	root        [order][order]float64 // [i][j]: integral from 0 to node i of basis polynomial j divided by the root of the distance from node i
	gauss       gauss.Rule            // rule of `inner` points on [0, 1]
	between     []float64             // row-major [inner][order]: basis polynomials at the points of gauss
	below       []float64             // row-major [order·inner][order]: basis polynomials at node i times point k of gauss
	own         gauss.Rule            // rule of `order` points
	belowByNode []float64             // below, transposed
	parts       [fewParts][]float64   // [m-1]: see inParts
	test        [tests]float64        // points at which polynomials are compared with the functions that they approximate
	atTest      [tests][order]float64 // basis polynomials at these points
	series      []float64             // row-major [n][j]: the coefficient of Legendre's polynomial of degree n, on [0, 1], in basis polynomial j
}

// rule is shared by all panels.
var rule = newPanelRule()

func newPanelRule() *panelRule {
	r := &panelRule{gauss: gauss.New(inner), own: gauss.New(order), test: [tests]float64{0.03, 0.6}}
	r.radau()
	for j := range order {
		r.bary[j] = 1
		for k := range order {
			if k != j {
				r.bary[j] /= r.x[j] - r.x[k]
			}
		}
	}
	var l [order]float64
	r.edge = r.newJoint()
	exact := gauss.New(order)
	for q, x := range exact.X {
		r.lagrange(x, &l)
		for j := range order {
			r.weight[j] += exact.Weight[q] * l[j]
		}
	}
	for i, to := range r.x {
		for q, x := range exact.X {
			r.lagrange(to+(1-to)*x, &l)
			for j := range order {
				r.downTo[i][j] += (1 - to) * exact.Weight[q] * l[j]
			}
			r.lagrange(to*x, &l)
			for j := range order {
				r.upTo[i][j] += to * exact.Weight[q] * l[j]
			}
			r.lagrange(to*(1-x*x), &l) // the distance is to·x²
			for j := range order {
				r.root[i][j] += 2 * math.Sqrt(to) * exact.Weight[q] * l[j]
			}
		}
	}
	for _, x := range r.gauss.X {
		r.lagrange(x, &l)
		r.between = append(r.between, l[:]...)
	}
	r.belowByNode = make([]float64, order*order*inner)
	for i, to := range r.x {
		for q, x := range r.gauss.X {
			r.lagrange(to*x, &l)
			r.below = append(r.below, l[:]...)
			for j, y := range l {
				r.belowByNode[(j*order+i)*inner+q] = y
			}
		}
	}
	for k, x := range r.test {
		r.lagrange(x, &r.atTest[k])
	}
	for m := range r.parts {
		r.parts[m] = r.split(m + 1)
	}
	r.project(exact)
	return r
}

// fewParts is a number of parts into which panels are often split.
const fewParts = 8

// inParts returns the basis polynomials at the points of rule own on m equal parts of a panel, row-major.
func (r *panelRule) inParts(m int) []float64 {
	if m <= fewParts {
		return r.parts[m-1]
	}
	return r.split(m)
}

// split computes what inParts returns.
func (r *panelRule) split(m int) (points []float64) {
	var l [order]float64
	for part := range m {
		for _, x := range r.own.X {
			r.lagrange((float64(part)+x)/float64(m), &l)
			points = append(points, l[:]...)
		}
	}
	return points
}

// project sets the series of the basis polynomials. exact integrates products of two polynomials.
func (r *panelRule) project(exact gauss.Rule) {
	var l, p [order]float64
	r.series = make([]float64, order*order)
	for q, x := range exact.X {
		r.lagrange(x, &l)
		legendre(x, &p)
		for n := range order {
			for j := range order {
				r.series[n*order+j] += float64(2*n+1) * exact.Weight[q] * p[n] * l[j]
			}
		}
	}
}

// legendre sets p to the values of Legendre's polynomials, on [0, 1], at x.
func legendre(x float64, p *[order]float64) {
	x = 2*x - 1
	p[0], p[1] = 1, x
	for n := 1; n+1 < order; n++ {
		p[n+1] = (float64(2*n+1)*x*p[n] - float64(n)*p[n-1]) / float64(n+1)
	}
}

// radau sets the nodes: the zeros of P_n - P_(n-1) on [-1, 1], where P_n are the Legendre polynomials. One zero is 1; Newton's
// method finds the others, starting from a fine grid.
func (r *panelRule) radau() {
	f := func(x float64) float64 { // the polynomial divided by x-1, which has only the other zeros
		p0, p1 := 1.0, x
		for k := 2; k <= order; k++ {
			p0, p1 = p1, (float64(2*k-1)*x*p1-float64(k-1)*p0)/float64(k)
		}
		return (p1 - p0) / (x - 1)
	}
	const grid = 4000
	n := 0
	for k := 0; k < grid && n < order-1; k++ {
		a, b := -1+2*float64(k)/grid, -1+2*float64(k+1)/grid
		if k == grid-1 || f(a)*f(b) > 0 {
			continue
		}
		for range 80 {
			if m := (a + b) / 2; f(a)*f(m) <= 0 {
				b = m
			} else {
				a = m
			}
		}
		r.x[n] = ((a+b)/2 + 1) / 2
		n++
	}
	r.x[order-1] = 1
}

// lagrange sets l to the values of the basis polynomials at x.
func (r *panelRule) lagrange(x float64, l *[order]float64) {
	sum := 0.0
	for j := range order {
		d := x - r.x[j]
		if d == 0 {
			*l = [order]float64{}
			l[j] = 1
			return
		}
		l[j] = r.bary[j] / d
		sum += l[j]
	}
	inverse := 1 / sum
	for j := range order {
		l[j] *= inverse
	}
}

// rootsOver sets w, row-major, to integrals over a panel of length h, after which a panel of length next follows at a distance of gap. The integrand
// of w[i][j] is basis polynomial j of the first panel, divided by the root of the distance from node i of the second one. moments is working memory.
//
// On [-1, 1] the integral of Legendre's polynomial of degree n over √(z - x) is 2√(2t) tⁿ/(2n + 1), where t is the smaller root of t² - 2zt + 1: for
// 1/√(1 - 2xt + t²) is the sum of tⁿ times the polynomials.
func (r *panelRule) rootsOver(h, gap, next float64, moments, w []float64) {
	for i, x := range r.x {
		past := (gap + next*x) / h // the distance of node i from the end of the first panel
		t := 1 / (1 + 2*past + 2*math.Sqrt(past*(1+past)))
		power := 2 * math.Sqrt(h*t)
		for n := range order {
			moments[i*order+n] = power / float64(2*n+1)
			power *= t
		}
	}
	clear(w)
	gemm.AddRows(w, moments, r.series, order, order)
}

// lagrangeSlope sets d to the derivatives of the basis polynomials at x, where their values are l.
func (r *panelRule) lagrangeSlope(x float64, l, d *[order]float64) {
	var inverse [order]float64
	for j := range order {
		inverse[j] = 1 / (x - r.x[j])
	}
	for j := range order {
		d[j] = 0
		if l[j] != 0 && l[j] != 1 {
			sum := 0.0
			for k := range order {
				if k != j {
					sum += inverse[k]
				}
			}
			d[j] = l[j] * sum
			continue
		}
		for i := range order { // at a node
			if i == j {
				continue
			}
			product := 1 / (r.x[j] - r.x[i])
			for k := range order {
				if k != j && k != i {
					product *= (x - r.x[k]) / (r.x[j] - r.x[k])
				}
			}
			d[j] += product
		}
	}
}

// integral sets w to the integrals of the basis polynomials from 0 to x.
func (r *panelRule) integral(x float64, w *[order]float64) {
	*w = [order]float64{}
	switch {
	case x <= 0:
		return
	case x >= 1:
		*w = r.weight
		return
	}
	var l [order]float64
	for q, at := range r.own.X {
		r.lagrange(at*x, &l)
		for j := range order {
			w[j] += x * r.own.Weight[q] * l[j]
		}
	}
}
