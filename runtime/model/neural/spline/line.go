package spline

import (
	"math"
	"slices"

	"likc/runtime/model/neural/classify"
)

// line evaluates rows, which are trials, that differ only in one input of the networks, besides onset and choice. An example are the
// trials of a participant whose drift depends on a column. Then the networks' outputs are smooth functions of one number. They are
// computed at a few Chebyshev nodes, with their derivatives with respect to all inputs, and interpolated for each row. So there is a pass
// for each node instead of one for each row. The interpolation is a product of matrices: the Chebyshev polynomials at the rows times the
// series.
//
// It interpolates the curve's axis, knots and slopes and the classifier's logit, but not the log density, whose second derivative
// jumps where a knot passes a row's time. The longer the line, the more nodes are used, until the last two coefficients of every
// series are negligible. So results depend only on the parameters.
type line struct {
	m            int         // number of nodes
	vary         int         // index of the parameter that differs
	middle, half float64     // middle and half width of that parameter's values
	theta        []float64   // parameters of a node
	at           []float64   // parameters of several nodes
	weights      []float64   // weights of the nodes in one Chebyshev coefficient
	cosines      [][]float64 // for each m: cos(πk/(2m)) for k < 4m
	sides        []fan       // for each choice: the numbers of its curve
	choice       fan         // the logits, each followed by its derivatives
	rows         [][]int     // for each choice, its rows
	basis        []float64   // [row]: the Chebyshev polynomials at the row's value of the parameter
	curve        Curve       // curve of a row
	curves       []*Curve    // curves of nodes
	logits       []float64   // the logits of each row
	logs, shares []float64   // for each row, the log probability of the choice, and its derivatives with respect to the logits
}

// These constants determine the number of nodes. The first number that is tried grows with the share of the parameter's range that
// the rows span. It is enough for most lines of the teachers that likc trains. Rows are evaluated one by one if a line would need
// too many nodes.
const (
	fewestNodes = 9    // the first number for rows that span none of the range
	nodesMore   = 54   // the number of further nodes for rows that span the whole range
	mostNodes   = 128  // the largest number
	rowsPerNode = 3    // the smallest number of rows per node
	negligible  = 1e-9 // largest sum of the last two coefficients, relative to the first, or to 1 if that is larger
)

// rowsTogether is the number of rows that are interpolated at once.
const rowsTogether = 20

// newLine returns the memory for evaluations along a line.
func (r *splineRows) newLine() *line {
	dim, size := r.frame.Model.Dim(), shapeSize(r.bins)*(1+r.frame.Inputs()) // the numbers of a shape, then their derivatives in each input
	l := &line{theta: make([]float64, dim), at: make([]float64, mostSides*dim), weights: make([]float64, mostNodes), cosines: make([][]float64, mostNodes+1),
		choice: newFan(r.class.Logits() * (1 + dim)), rows: make([][]int, len(r.frame.Model.Choices)), basis: make([]float64, rowsTogether*mostNodes)}
	l.curve.width = make([]float64, r.bins)
	logits := rowsTogether * r.class.Logits()
	l.logits, l.logs, l.shares = make([]float64, logits), make([]float64, rowsTogether), make([]float64, logits)
	for range l.rows {
		l.sides = append(l.sides, newFan(size))
	}
	for range mostSides / 2 {
		l.curves = append(l.curves, NewCurve(r.bins))
	}
	for i, c := range r.choice {
		side := slices.Index(r.frame.Model.Choices, c)
		l.rows[side] = append(l.rows[side], i)
	}
	return l
}

// line evaluates the rows if they lie on a line; otherwise it returns false.
func (r *splineRows) line(w *rowSpace, theta [][]float64, logp []float64, grad [][]float64) bool {
	l := w.line
	if !r.onLine(l, theta) {
		return false
	}
	for l.m = fewestNodes + int(nodesMore*l.half/r.frame.Half(l.vary)); ; l.m += l.m/5 + 1 {
		if l.m > mostNodes || l.m*rowsPerNode > len(r.rt) || !r.computeNodes(w) {
			return false
		}
		if l.interpolate() {
			break
		}
	}
	for side, rows := range l.rows {
		for ; len(rows) > 0; rows = rows[min(rowsTogether, len(rows)):] {
			r.alongLine(w, side, rows[:min(rowsTogether, len(rows))], theta, logp, grad)
		}
	}
	return true
}

// onLine sets the ends of the line on which the rows' parameters lie. It returns false if there is none.
func (r *splineRows) onLine(l *line, theta [][]float64) bool {
	l.vary = -1
	for j, param := range theta {
		switch {
		case j == r.frame.OnsetIndex():
			l.theta[j] = 0 // each row has its own onset
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
		low, high = min(low, x), max(high, x) // NaN if a value is NaN
	}
	l.middle, l.half = (low+high)/2, (high-low)/2
	for _, end := range []float64{low, high} {
		if l.theta[l.vary] = end; r.frame.Outside(l.theta, math.Inf(1)) != 0 {
			return false
		}
	}
	return l.half > 0 && l.half <= math.MaxFloat64
}

// computeNodes computes the numbers of all nodes. It returns false if a curve cannot be computed; see Curve.holds.
func (r *splineRows) computeNodes(w *rowSpace) bool {
	l, dim := w.line, r.frame.Model.Dim()
	l.choice.grow(l.m)
	for side := range l.sides {
		l.sides[side].grow(l.m)
	}
	cosines := l.cosinesOf(l.m)
	for first := 0; first < l.m; first += mostSides / 2 {
		n := min(mostSides/2, l.m-first)
		for k := range n {
			l.theta[l.vary] = l.middle + l.half*cosines[2*(first+k)+1]
			copy(l.at[k*dim:], l.theta)
		}
		r.computeLogits(w, first, l.at[:n*dim])
		for side := range l.sides {
			if len(l.rows[side]) > 0 && !r.computeShapes(w, side, first, l.at[:n*dim]) {
				return false
			}
		}
	}
	return true
}

// computeLogits computes the logits of nodes, from the first on, and their derivatives with respect to the parameters.
func (r *splineRows) computeLogits(w *rowSpace, first int, at []float64) {
	f, dim, each := &w.line.choice, r.frame.Model.Dim(), r.class.Logits()
	logits := r.class.At(w.class, at)
	for j := range each {
		clear(w.logitSlopes)
		r.oneLogit(w, w.logitSlopes, j, len(at)/dim)
		for k := range len(at) / dim {
			node := f.nodes[(first+k)*f.size+j*(1+dim):]
			node[0] = logits[k*each+j]
			copy(node[1:1+dim], w.logitSlopes[k*dim:(k+1)*dim])
		}
	}
}

// computeShapes computes the shapes of a choice's curve at nodes, from the first on, and their derivatives with respect to the inputs of
// the network.
func (r *splineRows) computeShapes(w *rowSpace, side, first int, at []float64) bool {
	dim, inputs, outputs, size := r.frame.Model.Dim(), r.frame.Inputs(), Outputs(r.bins), shapeSize(r.bins)
	n, f := len(at)/dim, &w.line.sides[side]
	for k := range n {
		r.fill(w.space, w.x[k*inputs:(k+1)*inputs], at[k*dim:(k+1)*dim], side)
	}
	shapes := r.shape.Forward(w.trace, w.x[:n*inputs])
	for k := range n {
		c := w.line.curves[k]
		c.Set(shapes[k*outputs : (k+1)*outputs])
		if !c.holds(1, 1) {
			return false
		}
		c.copyTo(f.nodes[(first+k)*f.size:][:size])
	}
	for q := range inputs {
		clear(w.dx[:n*inputs])
		for k := range n {
			w.dx[k*inputs+q] = 1
		}
		turns := r.shape.Forwards(w.trace, w.tangent, w.dx[:n*inputs])
		for k := range n {
			w.line.curves[k].turn(f.nodes[(first+k)*f.size+(1+q)*size:][:size], turns[k*outputs:(k+1)*outputs])
		}
	}
	return true
}

// copyTo copies the numbers that define the curve's shape to shape.
func (c *Curve) copyTo(shape []float64) {
	x, y, slope := knotsOf(shape)
	shape[0], shape[1] = c.alpha, c.beta
	copy(x, c.x)
	copy(y, c.y)
	copy(slope, c.slope)
}

// alongLine evaluates at most rowsTogether rows with choice number side.
func (r *splineRows) alongLine(w *rowSpace, side int, rows []int, theta [][]float64, logp []float64, grad [][]float64) {
	l := w.line
	for k, i := range rows {
		l.setBasis(k, theta[l.vary][i])
	}
	l.evaluate(&l.choice, len(rows))
	l.evaluate(&l.sides[side], len(rows))
	n, each := len(rows), r.class.Logits()
	for k := range rows {
		for j := range each {
			l.logits[k*each+j] = l.choice.row(k)[j*l.choice.size/each]
		}
	}
	classify.EachLogProbability(l.logs[:n], l.shares[:n*each], l.logits[:n*each], side)
	for k, i := range rows {
		r.rowOnLine(w, side, k, i, theta, logp, grad)
	}
}

// rowOnLine evaluates row i, whose interpolated numbers have index k.
func (r *splineRows) rowOnLine(w *rowSpace, side, k, i int, theta [][]float64, logp []float64, grad [][]float64) {
	tau := r.rt[i] - r.frame.OnsetOf(theta, i)
	if !(tau >= 1/mostTime && tau <= mostTime) {
		r.outside(i, math.Inf(-1), theta, logp, grad)
		return
	}
	l, size := w.line, shapeSize(r.bins)
	choice, curve := l.choice.row(k), l.sides[side].row(k)
	l.curve.setShape(curve[:size])
	var p pointSlopes
	value := finite(l.logs[k] + l.curve.slopes(&p, tau))
	if logp[i] = value; value-value != 0 {
		r.outside(i, value, theta, logp, grad)
		return
	}
	if grad == nil {
		return
	}
	for q := range w.change {
		w.change[q] = p.along(curve[(1+q)*size : (2+q)*size])
	}
	each, dim := r.class.Logits(), len(w.slopes)
	clear(w.slopes)
	for c := range each {
		for j := range w.slopes {
			w.slopes[j] += l.shares[k*each+c] * choice[c*(1+dim)+1+j]
		}
	}
	r.write(w, &p, i, side, grad)
}

// setShape makes the curve use the numbers of a shape.
func (c *Curve) setShape(shape []float64) {
	c.alpha, c.beta = shape[0], shape[1]
	c.x, c.y, c.slope = knotsOf(shape)
}
