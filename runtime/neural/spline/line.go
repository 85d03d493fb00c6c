package spline

import (
	"math"

	"likc/runtime/gemm"
	"likc/runtime/neural/classify"
)

// line evaluates rows that differ in one input of the networks alone, besides onset and choice: those of a participant whose drift
// follows a column, say. What the networks say is then a smooth function of one number. It is computed at a few Chebyshev nodes, with its
// derivatives in all inputs, and interpolated for each row: the passes of a node take the place of the passes of a row.
//
// Interpolated are the curve's axis, knots and slopes and the classifier's logit, not the log density: as a knot passes a row's time the
// second derivative of that jumps. There are the more nodes the longer the line is, until the last two coefficients of every series are
// negligible. So results depend on the parameters alone.
type line struct {
	m            int         // nodes
	size         int         // numbers a node
	vary         int         // the parameter that differs
	middle, half float64     // of its values
	has          [2]bool     // whether any row has the upper choice, the lower
	theta        []float64   // of a node
	nodes        []float64   // a row a node: the numbers of both curves, then the logit and its gradient
	series       []float64   // of the numbers: a row a Chebyshev polynomial
	basis        []float64   // the Chebyshev polynomials at a row's place
	cosines      [][]float64 // by m: cos(πk/(2m)) for k < 4m
}

// Bounds of the number of nodes: with more than that, or fewer rows than rowsPerNode a node, rows are evaluated one by one.
const (
	fewestNodes = 7
	mostNodes   = 128
	rowsPerNode = 3
	negligible  = 1e-9 // of the last two coefficients, over one and the first
)

// The numbers of a node: for each boundary, the shape of the curve and then its derivative in each input of the network; the logit; the
// logit's derivative in each parameter. A shape is alpha, beta, and for the knots the places, the heights and the slopes.
func (s *Spline) shapeSize() int        { return 2 + 3*(s.bins+1) }
func (s *Spline) sideAt(choice int) int { return choice * s.shapeSize() * (1 + s.frame.Inputs()) }
func (s *Spline) logitAt() int          { return s.sideAt(2) }
func (s *Spline) nodeSize() int         { return s.logitAt() + 1 + s.frame.Model.Dim() }

func (s *Spline) newLine() *line {
	return &line{size: s.nodeSize(), theta: make([]float64, s.frame.Model.Dim()), basis: make([]float64, mostNodes), cosines: make([][]float64, mostNodes+1)}
}

// line evaluates the rows if they lie on a line; else it returns false.
func (r *splineRows) line(w *rowSpace, theta [][]float64, logp []float64, grad [][]float64) bool {
	l := w.line
	if !r.onLine(l, theta) {
		return false
	}
	for l.m = fewestNodes + int(30*l.half/r.frame.Half(l.vary)); ; l.m += l.m/5 + 1 {
		if l.m > mostNodes || l.m*rowsPerNode > len(r.rt) || !r.layNodes(w) {
			return false
		}
		if l.interpolate() {
			break
		}
	}
	for i := range r.rt {
		r.alongLine(w, i, theta, logp, grad)
	}
	return true
}

// onLine sets the ends of the line that the rows' parameters lie on.
func (r *splineRows) onLine(l *line, theta [][]float64) bool {
	l.vary = -1
	for j, param := range theta {
		switch {
		case j == r.frame.OnsetIndex():
			l.theta[j] = 0 // each row has its own
		case len(param) == 1:
			l.theta[j] = param[0]
		case l.vary >= 0:
			return false
		default:
			l.vary = j
		}
	}
	if l.vary < 0 {
		return false
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, x := range theta[l.vary] {
		low, high = min(low, x), max(high, x) // NaN if one is
	}
	l.middle, l.half = (low+high)/2, (high-low)/2
	for _, end := range []float64{low, high} {
		if l.theta[l.vary] = end; r.frame.Outside(l.theta, math.Inf(1)) != 0 {
			return false
		}
	}
	l.has = [2]bool{}
	for _, c := range r.choice {
		l.has[sideOf(c)] = true
	}
	return l.half > 0 && l.half <= math.MaxFloat64
}

// sideOf is 0 for the upper choice and 1 for the lower.
func sideOf(choice float64) int {
	if choice > 0 {
		return 0
	}
	return 1
}

// layNodes computes the numbers of all nodes; it returns false where a curve does not hold.
func (r *splineRows) layNodes(w *rowSpace) bool {
	l := w.line
	size, cosines := l.size, l.cosinesOf(l.m)
	if len(l.nodes) < l.m*size {
		l.nodes, l.series = make([]float64, l.m*size), make([]float64, l.m*size)
	}
	for k := range l.m {
		l.theta[l.vary] = l.middle + l.half*cosines[2*k+1]
		node := l.nodes[k*size : (k+1)*size]
		clear(node)
		for side, has := range l.has {
			if has && !r.layShape(w, side, node[r.sideAt(side):]) {
				return false
			}
		}
		at, one := r.logitAt(), [1]float64{1}
		node[at] = r.class.Logits(w.class, l.theta)[0]
		r.class.AddLogits(w.class, one[:], node[at+1:])
	}
	return true
}

// layShape writes the shape of a curve at the node's parameters and its derivatives in the inputs of the network.
func (r *splineRows) layShape(w *rowSpace, side int, to []float64) bool {
	r.shapeAt(w.space, w.line.theta, side == 0)
	c, size := w.curve, r.shapeSize()
	if !c.holds(1, 1) {
		return false
	}
	putShape(to, c.alpha, c.beta, c.x, c.y, c.slope)
	for q, t := range w.turns {
		clear(w.change)
		w.change[q] = 1
		c.turn(t, r.shape.Forwards(w.trace, w.tangent, w.change))
		putShape(to[(1+q)*size:], t.alpha, t.beta, t.x, t.y, t.slope)
	}
	return true
}

func putShape(to []float64, alpha, beta float64, x, y, slope []float64) {
	n := len(x)
	to[0], to[1] = alpha, beta
	copy(to[2:], x)
	copy(to[2+n:], y)
	copy(to[2+2*n:], slope)
}

// cosinesOf returns cos(πk/(2m)) for k < 4m.
func (l *line) cosinesOf(m int) []float64 {
	if l.cosines[m] == nil {
		l.cosines[m] = make([]float64, 4*m)
		for k := range l.cosines[m] {
			l.cosines[m][k] = math.Cos(math.Pi * float64(k) / float64(2*m))
		}
	}
	return l.cosines[m]
}

// interpolate turns the numbers of m nodes into series, and reports whether m nodes are enough.
func (l *line) interpolate() bool {
	m, size := l.m, l.size
	cosines, weights := l.cosinesOf(m), l.basis[:m]
	clear(l.series[:m*size])
	for j := range m {
		for k := range weights {
			weights[k] = 2 / float64(m) * cosines[j*(2*k+1)%(4*m)]
			if j == 0 {
				weights[k] /= 2
			}
		}
		gemm.AddRow(l.series[j*size:(j+1)*size], weights, l.nodes[:m*size])
	}
	for n, first := range l.series[:size] {
		scale := max(1, math.Abs(first))
		if end := math.Abs(l.series[(m-1)*size+n]) + math.Abs(l.series[(m-2)*size+n]); !(end <= negligible*scale) {
			return false
		}
	}
	return true
}

// goTo computes the polynomials at a value of the parameter that differs.
func (l *line) goTo(x float64) {
	at := (x - l.middle) / l.half
	l.basis[0], l.basis[1] = 1, at
	for j := 2; j < l.m; j++ {
		l.basis[j] = 2*at*l.basis[j-1] - l.basis[j-2]
	}
}

// number is the n-th number where goTo went.
func (l *line) number(n int) float64 {
	sum := 0.0
	for _, b := range l.basis[:l.m] {
		sum += b * l.series[n]
		n += l.size
	}
	return sum
}

// alongLine evaluates a row.
func (r *splineRows) alongLine(w *rowSpace, i int, theta [][]float64, logp []float64, grad [][]float64) {
	tau := r.rt[i] - r.frame.OnsetOf(theta, i)
	if !(tau >= 1/mostTime && tau <= mostTime) {
		r.outside(i, math.Inf(-1), theta, logp, grad)
		return
	}
	l := w.line
	l.goTo(theta[l.vary][i])
	upper, lower, clipped := classify.LogProbabilities(l.number(r.logitAt()))
	log, share := upper, math.Exp(lower)
	if r.choice[i] < 0 {
		log, share = lower, -math.Exp(upper)
	}
	if clipped {
		share = 0
	}
	from := r.sideAt(sideOf(r.choice[i]))
	var p pointSlopes
	value := below(log + r.curveAlong(w, &p, from, tau))
	if logp[i] = value; value-value != 0 {
		r.outside(i, value, theta, logp, grad)
		return
	}
	if grad == nil {
		return
	}
	for q := range w.change {
		w.change[q] = r.along(l, &p, from+(1+q)*r.shapeSize())
	}
	for j := range w.slopes {
		w.slopes[j] = share * l.number(r.logitAt()+1+j)
	}
	r.frame.AddGradient(w.slopes, w.change, r.choice[i] < 0)
	r.frame.AddOnset(w.slopes, -p.tau)
	for j, g := range grad {
		if g != nil {
			g[i] = w.slopes[j]
		}
	}
}

// curveAlong is the curve's log density at a decision time, with its derivatives; the curve's numbers begin at from.
func (r *splineRows) curveAlong(w *rowSpace, p *pointSlopes, from int, tau float64) float64 {
	l, c, n := w.line, w.curve, r.bins+1
	c.alpha, c.beta = l.number(from), l.number(from+1)
	root := math.Sqrt(tau)
	u := c.alpha*root - c.beta/root
	k := r.bins / 2
	for k >= 0 && !(u >= l.number(from+2+k)) {
		k--
	}
	for k < r.bins && u >= l.number(from+2+k+1) {
		k++
	}
	first, last := max(k, 0), min(k+1, r.bins)
	for at := first; at <= last; at++ {
		c.x[at], c.y[at], c.slope[at] = l.number(from+2+at), l.number(from+2+n+at), l.number(from+2+2*n+at)
	}
	return c.slopesIn(p, k, root, u)
}

// along is the derivative of the log density as the shape turns; the numbers of the turn begin at from.
func (r *splineRows) along(l *line, p *pointSlopes, from int) float64 {
	d, n := p.alpha*l.number(from)+p.beta*l.number(from+1), r.bins+1
	for j := range p.knots {
		at := from + 2 + p.k + j
		d += p.knotX[j]*l.number(at) + p.knotY[j]*l.number(at+n) + p.own[j]*l.number(at+2*n)
	}
	return d
}
