package ssm

import "math"

// window holds the decision times that are possible in a trial: its response time minus any non-decision time.
type window struct {
	latest, earliest float64 // the largest and the smallest of these decision times
	low, high        float64 // the decision times between which F, the density averaged over starts, is not negligible
}

// windowOf returns the window of a trial. Except for the drift's effect, F falls at least as fast as exp(-steep/τ) as the decision time τ
// tends to 0. For τ > width² it falls at least as fast as exp(-π²τ/2width²). F counts as negligible where its exponent is negligibleDrop,
// which includes the drift's effect, below its maximum.
func (r *fullRun) windowOf(rt float64) window {
	latest := rt - r.t + r.st/2
	earliest := max(0, latest-r.st)
	square := r.width * r.width
	low := 1 / (1/latest + r.negligibleDrop/r.steep)
	if r.negligibleDrop > farOut {
		if tight := r.lowest(latest); tight > low {
			low = tight
		}
	}
	high := max(earliest, square) + (negligible+math.Abs(r.drift)*r.width)*square*2/(math.Pi*math.Pi)
	w := window{latest, earliest, max(earliest, low), min(latest, high)}
	w.low = min(w.low, w.high)
	return w
}

// farOut is the value of deep from which the bound of windowOf is so loose that the window would need very many panels.
const farOut = 2560

// lowest returns a decision time below which F is negligible, compared with its maximum between that time and latest. Let d be the
// distance of a start to the crossed boundary, and v the drift away from that boundary. The exponent of the start is
// -(d + vτ)²/(2τ(1 + sv²τ)): see starts. With w = 1/τ + sv² and k = v - d·sv², it is -(d²w + 2dk + k²/w)/2. It rises with w up to |k|/d and
// falls from there. The start nearest to the boundary has the peak at the largest w. It also has the slowest fall after the peak, because
// the slope's factors d ± |k|/w grow with d.
func (r *fullRun) lowest(latest float64) float64 {
	square := r.sv * r.sv
	d2 := 2 * r.steep
	d := math.Sqrt(d2)
	k := r.drift - d*square
	peak := max(1/latest, math.Abs(k)/d-square)
	w := peak + square
	// The fall is negligible where, with x = w' - w, d²x - k²x/(w(w+x)) = 2·negligible.
	b := d2*w*w - k*k - 2*negligible*w
	x := (math.Sqrt(b*b+8*negligible*d2*w*w*w) - b) / (2 * d2 * w)
	return 1 / (peak + x)
}

// trial returns the log density of a trial and its gradient in v, a, z, t, sv, sz and st. Calls come in ascending order of rt, so that
// r.from only grows.
func (r *fullRun) trial(rt float64) (value float64, grad [7]float64) {
	w := r.windowOf(rt)
	for r.from+1 < len(r.panels) && r.panels[r.from].to <= w.low && r.panels[r.from+1].from <= w.low {
		r.from++
	}
	m := windowMean{largest: math.Inf(-1)}
	for i := r.from; i < len(r.panels) && (i == r.from || r.panels[i].from < w.high); i++ {
		m.add(&r.panels[i], &w, r.st)
	}
	if !(m.sums[0] > 0) {
		return math.Inf(-1), grad
	}
	if w.wide() {
		m.sums[4], m.byWidth = (m.ends[1]-m.ends[0])/r.st, ((m.ends[0]+m.ends[1])/2-m.sums[0])/r.st
	}
	over := 1 / m.sums[0]
	sign := -r.choice * over
	return m.largest + math.Log(m.sums[0]), [7]float64{sign * m.sums[1], 2 * over * m.sums[2], sign * m.sums[3], -over * m.sums[4],
		over * m.sums[5], over * m.sums[6], over * m.byWidth}
}

// wide reports whether the window is so wide, from less than half its latest time, that F may have a peak in it. If so, the mean of its derivative in time loses digits to cancellation, and
// is computed as the difference between the ends, divided by the width; in a narrow window that difference would lose digits.
func (w *window) wide() bool { return w.earliest < w.latest/2 }

// windowMean accumulates the means of F and of its derivatives over a window. A panel holds F divided by exp(scale). All numbers here are
// divided by exp(largest).
type windowMean struct {
	largest float64    // largest scale of the window's panels
	sums    [7]float64 // the means of F and of its derivatives in drift, width, near, decision time, sv and sz
	byWidth float64    // derivative of the mean of F with respect to the width of the window
	ends    [2]float64 // F at the window's earliest and latest decision time; used if the window is wide
}

// pieceRules are quadrature rules for the part of a panel that a window covers, by the largest share of the panel that the part may have.
var pieceRules = []struct {
	share float64 // length of the part, relative to the panel
	nodes []node  // nodes of the rule on (0, 1)
}{{0.1, gauss(4)}, {0.4, gauss(6)}, {math.Inf(1), gauss(pieceNodes)}}

const pieceNodes = 8 // the largest number of nodes of a rule for a part

// add adds the part of the window that lies in a panel. A place in the window is a number: 0 at the latest decision time, and 1 at the
// time that is earlier by st. The decision time at a place is rt - t + st·(1/2 - place), so its derivative in st is 1/2 - place.
func (m *windowMean) add(p *panel, w *window, st float64) {
	first, last := 0.0, 1.0
	if p.to < w.latest {
		first = (w.latest - p.to) / st
	}
	switch {
	case p.from > w.earliest:
		last = (w.latest - p.from) / st
	case w.latest < st:
		last = w.latest / st
	}
	if !(last > first) {
		return
	}
	if p.scale > m.largest {
		m.rescale(p.scale)
	}
	if w.wide() {
		m.setEnds(p, w)
	}
	scale := math.Exp(p.scale-m.largest) * (last - first)
	if p.to <= w.latest && p.from >= w.earliest && p.to > p.from {
		for j := range m.sums {
			m.sums[j] += scale * p.coefs[j][0]
		}
		m.byWidth += scale * ((0.5-(first+last)/2)*p.coefs[4][0] + (last-first)/6*p.coefs[4][1])
		return
	}
	m.addPiece(p, w, st, first, last, scale)
}

// setEnds sets F at those ends of the window that lie in the panel.
func (m *windowMean) setEnds(p *panel, w *window) {
	for i, end := range [2]float64{w.earliest, w.latest} {
		if p.from <= end && end <= p.to && p.from < p.to {
			var at [order]float64
			legendre(&at, 2*(end-p.from)/(p.to-p.from)-1)
			m.ends[i] = math.Exp(p.scale-m.largest) * dot(&p.coefs[0], &at)
		}
	}
}

// addPiece adds the part of the window between the places first and last, which lies in one panel.
func (m *windowMean) addPiece(p *panel, w *window, st, first, last, scale float64) {
	length := p.to - p.from
	rule := 0
	for (last-first)*st > pieceRules[rule].share*length {
		rule++
	}
	nodes := pieceRules[rule].nodes
	var at, offset [pieceNodes]float64
	for i, n := range nodes {
		place := first + (last-first)*n.at
		offset[i] = 0.5 - place
		if length > 0 {
			at[i] = 2*(w.latest-st*place-p.from)/length - 1
		}
	}
	var weights, byWidth [order]float64
	weighPolynomials(nodes, &at, &offset, &weights, &byWidth)
	for j := range m.sums {
		m.sums[j] += scale * dot(&p.coefs[j], &weights)
	}
	m.byWidth += scale * dot(&p.coefs[4], &byWidth)
}

// weighPolynomials sets weights to the weighted sums of each of Legendre's polynomials over nodes, whose arguments are at, and timed to
// the same sums times offset.
func weighPolynomials(nodes []node, at, offset *[pieceNodes]float64, weights, byWidth *[order]float64) {
	var last, this [pieceNodes]float64
	for i := range this {
		this[i] = 1
	}
	for k := range weights {
		twice, less := recurrence[k].twice, recurrence[k].less
		var sum, sumByWidth float64
		for i, n := range nodes {
			x := this[i]
			y := n.weight * x
			sum += y
			sumByWidth += offset[i] * y
			this[i], last[i] = at[i]*x*twice-last[i]*less, x
		}
		weights[k], byWidth[k] = sum, sumByWidth
	}
}

// dot returns the sum of products of two lists of coefficients.
func dot(x, y *[order]float64) float64 {
	var even, odd float64
	for k := 0; k < order; k += 2 {
		even += x[k] * y[k]
		odd += x[k+1] * y[k+1]
	}
	return even + odd
}

// rescale changes the scale to which the sums are relative.
func (m *windowMean) rescale(scale float64) {
	factor := math.Exp(m.largest - scale)
	for j := range m.sums {
		m.sums[j] *= factor
	}
	m.byWidth *= factor
	m.ends[0], m.ends[1] = factor*m.ends[0], factor*m.ends[1]
	m.largest = scale
}
