package spline

import (
	"math"
	"sync"

	"likc/runtime/model/kernel"
	"likc/runtime/model/neural/classify"
	"likc/runtime/model/neural/frame"
	"likc/runtime/model/neural/network"
)

// splineRows is the log density row by row; a row is one trial. Rows that differ only in onset and choice form a group, and share the
// passes through the networks. Their gradients come from the derivatives of the curve's shape with respect to each input of the network,
// computed forward through it.
type splineRows struct {
	*Spline
	rt, choice []float64
	spaces     sync.Pool // holds *rowSpace
}

// Rows binds trials for evaluations row by row. It refuses the same trials as Sum.
func (s *Spline) Rows(t kernel.Trials) (kernel.Rows, error) {
	if _, err := s.Sum(t); err != nil {
		return nil, err
	}
	r := &splineRows{Spline: s, rt: t.Columns[0], choice: t.Choice}
	r.spaces.New = func() any { return r.newRowSpace() }
	return r, nil
}

// rowSpace is the memory of one evaluation.
type rowSpace struct {
	*space
	groups  *frame.Groups    // rows that differ only in onset and choice
	at      []float64        // logits of a group
	logit   []float64        // the gradients of the logits with respect to the parameters, one after the other
	tangent *network.Tangent // memory of derivatives forward through the network
	turns   []turn           // derivatives of the curve's shape, one for each input of the network
	slopes  []float64        // the gradient of a row with respect to the parameters
	change  []float64        // derivatives with respect to the inputs of the network

	logitSlopes []float64 // slopes of the logits at some nodes of a line
	line        *line     // memory for rows that differ in only one input of the networks
}

func (r *splineRows) newRowSpace() *rowSpace {
	dim := r.frame.Model.Dim()
	w := &rowSpace{space: r.newSpace(), groups: r.frame.NewGroups(len(r.rt)), at: make([]float64, r.class.Logits()), logit: make([]float64, r.class.Logits()*dim), tangent: r.shape.NewTangent(mostSides), slopes: make([]float64, dim), change: make([]float64, r.frame.Inputs()),
		logitSlopes: make([]float64, mostSides/2*dim), line: r.newLine()}
	for range r.frame.Inputs() {
		w.turns = append(w.turns, make(turn, shapeSize(r.bins)))
	}
	return w
}

// N returns the number of rows.
func (r *splineRows) N() int { return len(r.rt) }

// Dim returns the number of parameters.
func (r *splineRows) Dim() int { return r.frame.Model.Dim() }

// Each evaluates the rows along a line if they differ in only one input of the networks, besides onset and choice. Otherwise it evaluates
// one group of rows with the same inputs at a time.
func (r *splineRows) Each(theta [][]float64, logp []float64, grad [][]float64) {
	w := r.spaces.Get().(*rowSpace)
	defer r.spaces.Put(w)
	if r.line(w, theta, logp, grad) {
		return
	}
	for k := range w.groups.Find(theta) {
		first := w.groups.Rows(theta, k)
		if onset := r.frame.OnsetIndex(); onset >= 0 {
			w.groups.Theta[onset] = 0 // each row has its own onset
		}
		r.group(w, first, theta, logp, grad)
	}
}

// group evaluates the rows of a group; first is its first row.
func (r *splineRows) group(w *rowSpace, first int, theta [][]float64, logp []float64, grad [][]float64) {
	at := w.groups.Theta
	if out := r.frame.Outside(at, math.Inf(1)); out != 0 {
		for i := first; i >= 0; i = w.groups.Next(i) {
			r.outside(i, out, theta, logp, grad)
		}
		return
	}
	copy(w.at, r.class.At(w.class, at))
	if grad != nil {
		clear(w.logit)
		for j := range w.at {
			r.oneLogit(w, w.logit[j*len(at):(j+1)*len(at)], j, 1)
		}
	}
	for k := range r.frame.Model.Choices {
		r.side(w, first, k, theta, logp, grad)
	}
}

// oneLogit adds to grad the gradients of logit j, for the first n parameter vectors of the classifier's last evaluation.
func (r *splineRows) oneLogit(w *rowSpace, grad []float64, j, n int) {
	slopes := w.logits[:n*r.class.Logits()]
	clear(slopes)
	for k := range n {
		slopes[k*r.class.Logits()+j] = 1
	}
	r.class.AddLogits(w.class, slopes, grad)
}

// outside writes the result of a row whose density is 0 or undefined: NaN if its onset is NaN, otherwise out, with zero derivatives.
func (r *splineRows) outside(i int, out float64, theta [][]float64, logp []float64, grad [][]float64) {
	logp[i] = out
	if math.IsNaN(r.frame.OnsetOf(theta, i)) {
		logp[i] = math.NaN()
	}
	for _, g := range grad {
		if g != nil {
			g[i] = 0
		}
	}
}

// side evaluates the rows of a group that have choice number k.
func (r *splineRows) side(w *rowSpace, first, k int, theta [][]float64, logp []float64, grad [][]float64) {
	shaped, holds := false, false
	shares := w.logits[:len(w.at)]
	log := classify.LogChoice(shares, w.at, k)
	for i := first; i >= 0; i = w.groups.Next(i) {
		if r.choice[i] != r.frame.Model.Choices[k] {
			continue
		}
		if !shaped {
			r.shapeRows(w, k, grad != nil)
			shaped, holds = true, w.curve.holds(1, 1)
		}
		onset := r.frame.OnsetOf(theta, i)
		tau := r.rt[i] - onset
		if !holds || !(tau >= 1/mostTime && tau <= mostTime) {
			r.outside(i, math.Inf(-1), theta, logp, grad)
			continue
		}
		if grad == nil {
			logp[i] = finite(log + w.curve.logDensity(tau))
			continue
		}
		var p pointSlopes
		value := finite(log + w.curve.slopes(&p, tau))
		if logp[i] = value; value-value != 0 {
			r.outside(i, value, theta, logp, grad)
			continue
		}
		for j, t := range w.turns {
			w.change[j] = p.along(t)
		}
		clear(w.slopes)
		for at, l := range w.logit {
			w.slopes[at%len(w.slopes)] += shares[at/len(w.slopes)] * l
		}
		r.write(w, &p, i, k, grad)
	}
}

// finite returns a log density; -Inf if the networks overflow.
func finite(x float64) float64 {
	if x < math.Inf(1) {
		return x
	}
	return math.Inf(-1)
}

// shapeRows sets the curve for choice number k at the group's parameters. If slopes is set, it also computes the derivatives of the curve's
// shape.
func (r *splineRows) shapeRows(w *rowSpace, k int, slopes bool) {
	r.shapeAt(w.space, w.groups.Theta, k)
	if !slopes {
		return
	}
	for j, t := range w.turns {
		clear(w.change)
		w.change[j] = 1
		w.curve.turn(t, r.shape.Forwards(w.trace, w.tangent, w.change))
	}
}

// write writes the gradient of row i, which has choice number k. On entry, w.slopes holds the gradient of the choice's log probability, and
// w.change the derivatives of the decision time's log density with respect to the inputs of the network.
func (r *splineRows) write(w *rowSpace, p *pointSlopes, i, k int, grad [][]float64) {
	r.frame.AddGradient(w.slopes, w.change, k)
	r.frame.AddOnset(w.slopes, -p.tau)
	for j, g := range grad {
		if g != nil {
			g[i] = w.slopes[j]
		}
	}
}

// turn is the derivative of a curve's shape in one direction: one derivative for each of the numbers that shapeSize counts, in the same
// order.
type turn []float64

// shapeSize returns how many numbers define a curve with the given number of bins: alpha, beta, and the positions, heights and
// slopes of the knots.
func shapeSize(bins int) int { return 2 + 3*(bins+1) }

// knotsOf returns the parts of a shape that hold the positions, heights and slopes of its knots.
func knotsOf(shape []float64) (x, y, slope []float64) {
	n := (len(shape) - 2) / 3
	return shape[2 : 2+n], shape[2+n : 2+2*n], shape[2+2*n:]
}

// turn sets t to the derivative of the shape in the direction in which the network's outputs change by out.
func (c *Curve) turn(t turn, out []float64) {
	bins := len(c.width)
	x, y, slope := knotsOf(t)
	t[0] = c.alpha * (-out[1] - out[0]/2)
	t[1] = c.beta * (-out[1] + out[0]/2)
	turnKnots(x, c.width, out[2:2+bins])
	turnKnots(y, c.height, out[2+bins:2+2*bins])
	for k, d := range out[2+2*bins:] {
		slope[k] = d * c.softened[k]
	}
}

// turnKnots sets dx to the derivative of the knots in the direction in which the raw outputs change by raw.
func turnKnots(dx, share, raw []float64) {
	bins := float64(len(raw))
	mean := 0.0
	for k, p := range share {
		mean += p * raw[k]
	}
	dx[0] = 0
	for k, p := range share {
		dx[k+1] = dx[k] + 2*edge*(1-bins*leastShare)*p*(raw[k]-mean)
	}
}

// pointSlopes are the derivatives of one log density: with respect to τ, to the axis (alpha and beta), and to one knot in a tail, or two
// knots in a bin, from knot k on.
type pointSlopes struct {
	tau, alpha, beta  float64
	k, knots          int
	knotX, knotY, own [2]float64 // with respect to a knot's position, its height, and the slope at the knot
}

// along returns the derivative of the log density in the direction in which the shape changes by t.
func (p *pointSlopes) along(t turn) float64 {
	n := (len(t) - 2) / 3
	d := p.alpha*t[0] + p.beta*t[1]
	for j := range p.knots {
		at := 2 + p.k + j
		d += p.knotX[j]*t[at] + p.knotY[j]*t[at+n] + p.own[j]*t[at+2*n]
	}
	return d
}

// slopes returns log p(τ) and sets p to its derivatives.
func (c *Curve) slopes(p *pointSlopes, tau float64) float64 {
	root := math.Sqrt(tau)
	u := c.alpha*root - c.beta/root
	k := c.bin(u)
	var y, slope, du float64
	if at := c.tail(k); at >= 0 {
		slope = c.slope[at]
		away := u - c.x[at]
		y = c.y[at] + slope*away
		du = -y * slope
		p.k, p.knots = at, 1
		p.knotX[0], p.knotY[0], p.own[0] = y*slope, -y, 1/slope-y*away
	} else {
		var m moments
		bin := c.piece(k)
		y, slope, du = bin.add(&m, u)
		h := m.h + m.s*bin.over
		w := -(m.s*bin.s + m.xiXi) * bin.over
		p.k, p.knots = k, 2
		p.knotX = [2]float64{-(w + m.xi*bin.over), w}
		p.knotY = [2]float64{m.y - h, h}
		p.own = [2]float64{m.d0, m.d1}
	}
	var rise float64
	rise, p.tau, p.alpha, p.beta = c.axis(root, 1/root, du)
	return math.Log(slope*rise) - y*y/2 - halfLog2Pi
}
