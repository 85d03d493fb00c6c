package spline

import (
	"math"

	"likc/runtime/model/neural/classify"
)

// LogSurvival returns the log probability that the response comes late: for some k it is choice number k and comes after the time
// after[k], in seconds. Unless grad is nil, it is overwritten with the gradient. The result is exact, because the curve gives the
// distribution function of decision times. Outside the model's domain it is -Inf, and NaN if theta contains a NaN; the gradient is then 0.
func (s *Spline) LogSurvival(theta, after, grad []float64) float64 {
	clear(grad)
	if out := s.frame.Outside(theta, math.Inf(1)); out != 0 {
		return out
	}
	w := s.acquireSpace()
	defer s.releaseSpace(w)
	dim, inputs, outputs := s.frame.Model.Dim(), s.frame.Inputs(), Outputs(s.bins)
	onset, choices := s.frame.Onset(theta), len(s.frame.Model.Choices)
	logits := s.class.At(w.class, theta)
	logs, slopes, weights := w.logs[:choices], w.logits[:len(logits)], w.weights
	classify.LogChoices(logs, logits)
	for k := range choices {
		s.fill(w, w.x[k*inputs:(k+1)*inputs], theta, k)
	}
	shapes := s.shape.Forward(w.trace, w.x[:choices*inputs])
	total := 0.0
	for k, log := range logs {
		w.curve.Set(shapes[k*outputs : (k+1)*outputs])
		w.sums.Clear()
		share := math.Exp(log)
		left, dTau := w.curve.beyond(w.sums, after[k]-onset, share)
		weights[k] = share * left
		total += weights[k]
		if grad != nil {
			s.frame.AddOnset(grad, -dTau)
			w.curve.Back(w.sums, w.dy[k*outputs:(k+1)*outputs])
		}
	}
	if grad == nil {
		return math.Log(min(total, 1))
	}
	s.shape.Backward(w.trace, w.dy[:choices*outputs], w.dx)
	for k := range choices {
		s.frame.AddGradient(grad[:dim], w.dx[k*inputs:(k+1)*inputs], k)
	}
	classify.Slopes(slopes, logits, weights)
	s.class.AddLogits(w.class, slopes, grad)
	for j := range grad {
		if grad[j] /= total; !(total > 0) {
			grad[j] = 0
		}
	}
	return math.Log(min(total, 1))
}

// beyond returns the probability of a decision time after τ. It adds the derivatives with respect to the curve's shape, times factor, to
// g. dTau is the derivative with respect to τ, times factor. If the curve cannot be computed (see holds), densities count as 0.
func (c *Curve) beyond(g *Sums, tau, factor float64) (left, dTau float64) {
	switch {
	case !c.holds(1, 1) || tau > mostTime:
		return 0, 0
	case !(tau >= 1/mostTime):
		return 1, 0
	}
	root := math.Sqrt(tau)
	u := c.alpha*root - c.beta/root
	rise := (c.alpha + c.beta/tau) / (2 * root)
	k := c.bin(u)
	if at := c.tail(k); at >= 0 {
		slope, away := c.slope[at], u-c.x[at]
		y := c.y[at] + slope*away
		d := -factor * math.Exp(-y*y/2-halfLog2Pi) // the derivative with respect to y
		g.y[at] += d
		g.slope[at] += d * away
		g.x[at] -= d * slope
		return math.Erfc(y/math.Sqrt2) / 2, c.alongAxis(g, d*slope, root, rise)
	}
	p := c.piece(k)
	var m moments
	y, slope := p.moveValue(&m, u)
	d := -factor * math.Exp(-y*y/2-halfLog2Pi)
	m.scale(d)
	p.addTo(g, k, &m)
	return math.Erfc(y/math.Sqrt2) / 2, c.alongAxis(g, d*slope, root, rise)
}

// alongAxis applies the chain rule to a function of u; du is its derivative with respect to u. It adds the derivatives with respect to
// alpha and beta to g, and returns the derivative with respect to τ.
func (c *Curve) alongAxis(g *Sums, du, root, rise float64) (dTau float64) {
	g.alpha += du * root
	g.beta -= du / root
	return du * rise
}

// moveValue returns S(u) and S'(u), and sets m to the derivatives of S(u) with respect to the quantities of moments.
func (p *piece) moveValue(m *moments, u float64) (y, slope float64) {
	y, slope = p.value(u)
	xi := min(max((u-p.x)*p.over, 0), 1)
	q := xi * (1 - xi)
	over := 1 / (p.s + p.bend*q)
	part := (p.s*xi*xi + p.d0*q) * over
	sideways := p.h * over
	*m = moments{
		xi: slope * p.w, xiXi: slope * p.w * xi, s: sideways * (xi*xi - part*(1-2*q)),
		d0: sideways * q * (1 - part), d1: -sideways * q * part, y: 1, h: part,
	}
	return y, slope
}

// scale multiplies all sums by a factor.
func (m *moments) scale(factor float64) {
	for _, x := range []*float64{&m.xi, &m.xiXi, &m.s, &m.d0, &m.d1, &m.y, &m.h} {
		*x *= factor
	}
}
