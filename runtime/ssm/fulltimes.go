package ssm

import (
	"math"
	"slices"
)

// fullRun is one evaluation of full_ddm, for the trials of one choice.
//
// A trial's density is the mean of F, the density averaged over starts, over the trial's window of decision times, which is st wide.
// All windows are of one F. So F and its derivatives are evaluated on panels in which F is a polynomial to rounding, and a trial
// takes from them the mean over its window. It is an average over the places in the window, not a difference divided by st, and
// right for st = 0 too.
type fullRun struct {
	starts
	choice, t, st float64
	steep, deep   float64 // see windowOf
	panels        []panel
	from          int // panel of the last trial
	tau           []float64
	out           [7][]float64
	one           [1]float64
}

// panel is an interval of decision times with Legendre's coefficients of F/exp(scale) and of its derivatives, in the order that
// starts.average has.
type panel struct {
	from, to, scale float64
	coefs           [7][order]float64
}

// What a panel may hold: the change of the exponent and the ratio of the ends.
const (
	panelChange = 5
	panelRatio  = 2
)

// begin evaluates F for trials rt, in ascending order. All are inside the support.
func (r *fullRun) begin(choice float64, theta, rt []float64) {
	r.starts.passage = passageAt(choice, theta)
	r.choice, r.t, r.sv, r.sz, r.st = choice, theta[3], theta[4], theta[5], theta[6]
	distance := r.width * (r.near - r.sz/2)
	r.steep = distance * distance / 2
	r.deep = negligible + r.st*(r.drift*r.drift/2+math.Abs(r.drift)*distance*r.sv*r.sv) + r.steep*r.sv*r.sv
	r.layPanels(rt)
	r.evaluate()
	for i := range r.panels {
		r.expand(i)
	}
	r.from = 0
}

// window is the decision times of a trial.
type window struct {
	latest, earliest float64
	low, high        float64 // where F matters
}

// windowOf returns the window of a trial. With d the least distance of a start to the crossed boundary, F falls at least as exp(-d²/2τ)
// towards 0, and long after the separation's square as exp(-π²τ/2width²), apart from what the drift does.
func (r *fullRun) windowOf(rt float64) window {
	latest := rt - r.t + r.st/2
	earliest := max(0, latest-r.st)
	square := r.width * r.width
	low := 1 / (1/latest + r.deep/r.steep)
	high := max(earliest, square) + (negligible+math.Abs(r.drift)*r.width)*square*2/(math.Pi*math.Pi)
	w := window{latest, earliest, max(earliest, low), min(latest, high)}
	w.low = min(w.low, w.high)
	return w
}

// layPanels covers all windows with panels, in ascending order.
func (r *fullRun) layPanels(rt []float64) {
	r.panels = r.panels[:0]
	lowest := r.windowOf(rt[0]).low
	done := math.Inf(1)
	for i := len(rt) - 1; i >= 0; {
		w := r.windowOf(rt[i])
		if w.low >= done {
			i--
			continue
		}
		to := min(done, w.high)
		done = max(lowest, r.panelFrom(to, &w))
		r.panels = append(r.panels, panel{from: done, to: to})
	}
	slices.Reverse(r.panels)
}

// panelFrom returns how far down a panel may reach.
func (r *fullRun) panelFrom(to float64, w *window) float64 {
	rate := math.Pi*math.Pi/2/r.width/r.width + r.drift*r.drift/2/(1+r.sv*r.sv*w.low)
	const most = 512 // panels of a window
	wide := max(panelChange/rate, (w.high-w.low)/most)
	change := max(panelChange, r.deep/most)
	if from := max(to/panelRatio, 1/(1/to+change/r.steep), to-wide); from < to {
		return from
	}
	return w.low
}

// evaluate fills out at the nodes of all panels. Panels with one rule for starts are evaluated together.
func (r *fullRun) evaluate() {
	n := len(r.panels) * order
	r.tau = slices.Grow(r.tau[:0], n)[:n]
	for j := range r.out {
		r.out[j] = slices.Grow(r.out[j][:0], n)[:n]
	}
	for i := range r.panels {
		p := &r.panels[i]
		for k, node := range panelRule {
			r.tau[i*order+k] = p.from + (p.to-p.from)*node.at
		}
	}
	for first := 0; first < len(r.panels); {
		rule := r.rule(r.panels[first].from, r.panels[first].to)
		end := first + 1
		for rule >= 0 && end < len(r.panels) && r.fits(rule, &r.panels[end]) {
			end++
		}
		var part [7][]float64
		for j := range part {
			part[j] = r.out[j][first*order : end*order]
		}
		r.average(r.tau[first*order:end*order], part)
		first = end
	}
}

// fits reports whether a single rule for starts is a panel's too.
func (r *fullRun) fits(rule int, p *panel) bool {
	if r.sz == 0 {
		return true
	}
	low, high := r.reach(p.from, p.to)
	return low == -0.5 && high == 0.5 && low+r.step(low, startRules[rule].change, p.from, p.to) >= high
}

// expand finds a panel's coefficients.
func (r *fullRun) expand(i int) {
	p := &r.panels[i]
	p.scale = slices.Max(r.out[0][i*order : (i+1)*order])
	if math.IsInf(p.scale, -1) {
		p.coefs = [7][order]float64{}
		return
	}
	var f [7][order]float64
	for n := range order {
		f[0][n] = math.Exp(r.out[0][i*order+n] - p.scale)
		for j := 1; j < len(f); j++ {
			f[j][n] = f[0][n] * r.out[j][i*order+n]
		}
	}
	for j := range f {
		for k := range order {
			sum := 0.0
			for n, x := range f[j] {
				sum += toLegendre[k][n] * x
			}
			p.coefs[j][k] = sum
		}
	}
}

// trial returns the log density of a trial and its gradient. Trials come in ascending order.
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
		m.sums[4], m.timed = (m.ends[1]-m.ends[0])/r.st, ((m.ends[0]+m.ends[1])/2-m.sums[0])/r.st
	}
	over := 1 / m.sums[0]
	sign := -r.choice * over
	return m.largest + math.Log(m.sums[0]), [7]float64{sign * m.sums[1], 2 * over * m.sums[2], sign * m.sums[3], -over * m.sums[4],
		over * m.sums[5], over * m.sums[6], over * m.timed}
}

// wide reports whether the window is so wide for its decision times that F may have a peak in it. Then the mean of the derivative in
// time would cancel, and is the difference between the ends, divided by the width. In a narrow window that would cancel.
func (w *window) wide() bool { return w.earliest < w.latest/2 }

// windowMean accumulates the mean of F over a window, relative to the largest scale of a panel, and those of the derivatives. Timed is
// the derivative in the width of the window, and ends are F at its earliest and latest decision time if the window is wide.
type windowMean struct {
	largest float64
	sums    [7]float64
	timed   float64
	ends    [2]float64
}

// pieceRules are rules for a piece of a panel no longer than a share of it.
var pieceRules = []struct {
	share float64
	nodes []node
}{{0.1, gauss(4)}, {0.4, gauss(6)}, {math.Inf(1), gauss(pieceNodes)}}

const pieceNodes = 8 // at most

// add adds what a panel has of a window. Places in the window go from 0 at its latest decision time to 1, st earlier.
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
		m.timed += scale * ((0.5-(first+last)/2)*p.coefs[4][0] + (last-first)/6*p.coefs[4][1])
		return
	}
	m.addPiece(p, w, st, first, last, scale)
}

// setEnds sets the ends that a panel has.
func (m *windowMean) setEnds(p *panel, w *window) {
	for i, end := range [2]float64{w.earliest, w.latest} {
		if p.from <= end && end <= p.to {
			var at [order]float64
			legendre(&at, 2*(end-p.from)/(p.to-p.from)-1)
			m.ends[i] = math.Exp(p.scale-m.largest) * dot(&p.coefs[0], &at)
		}
	}
}

// addPiece adds the part of a panel at the places from first to last.
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
	var weights, timed [order]float64
	weighPolynomials(nodes, &at, &offset, &weights, &timed)
	for j := range m.sums {
		m.sums[j] += scale * dot(&p.coefs[j], &weights)
	}
	m.timed += scale * dot(&p.coefs[4], &timed)
}

// weighPolynomials sets weights to the sums over nodes, which are at the arguments at, of each of Legendre's polynomials, and timed to
// the same with offset beside.
func weighPolynomials(nodes []node, at, offset *[pieceNodes]float64, weights, timed *[order]float64) {
	var last, this [pieceNodes]float64
	for i := range this {
		this[i] = 1
	}
	for k := range weights {
		twice, less := recurrence[k].twice, recurrence[k].less
		var sum, sumTimed float64
		for i, n := range nodes {
			x := this[i]
			y := n.weight * x
			sum += y
			sumTimed += offset[i] * y
			this[i], last[i] = at[i]*x*twice-last[i]*less, x
		}
		weights[k], timed[k] = sum, sumTimed
	}
}

func dot(x, y *[order]float64) float64 {
	var even, odd float64
	for k := 0; k < order; k += 2 {
		even += x[k] * y[k]
		odd += x[k+1] * y[k+1]
	}
	return even + odd
}

// rescale makes sums relative to another scale.
func (m *windowMean) rescale(scale float64) {
	factor := math.Exp(m.largest - scale)
	for j := range m.sums {
		m.sums[j] *= factor
	}
	m.timed *= factor
	m.ends[0], m.ends[1] = factor*m.ends[0], factor*m.ends[1]
	m.largest = scale
}
