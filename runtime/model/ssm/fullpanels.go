package ssm

import (
	"math"
	"slices"
)

// fullRun is one evaluation of full_ddm, for the trials of one choice.
//
// Let F(τ) be the density of the decision time τ, averaged over drifts and starts. A trial's density is the mean of F over the trial's
// window: the decision times that are possible for its response time, an interval of length st. F is the same function for all trials.
// So F and its derivatives are evaluated once, on panels: intervals of τ in each of which a polynomial equals F to rounding. The mean over
// each window is computed from these polynomials. It is a weighted sum over nodes in the window, not a difference divided by st, so it is
// accurate for st = 0 too.
type fullRun struct {
	starts
	choice, t, st  float64      // the choice, and the middle and the full width of the non-decision time
	steep          float64      // d²/2, where d is the smallest distance of a start to the crossed boundary: towards 0, F falls as exp(-steep/τ)
	negligibleDrop float64      // F is negligible at times at which its exponent is this far below its maximum; the drift's effect is included
	panels         []panel      // in ascending order
	from           int          // the first panel used by the last trial
	tau            []float64    // nodes of the panels
	out            [7][]float64 // results of starts.average at the nodes
	one            [1]float64   // memory for a single trial
}

// panel is an interval of decision times with Legendre's coefficients of F/exp(scale) and of its derivatives. Their order is that of the
// results of starts.average.
type panel struct {
	from, to, scale float64
	coefs           [7][order]float64
}

// On a panel, the exponent of F changes by at most panelChange, and time by at most the factor panelRatio. Then the polynomial errs by
// some 1e-12 of the largest F on the panel. A window has at most about mostPanels panels, so that the evaluation ends for absurd
// parameters too; their densities are less accurate.
const (
	panelChange = 5
	panelRatio  = 2
	mostPanels  = 8192
)

// begin evaluates F on the windows of trials with the response times rt, in ascending order. All are inside the support.
func (r *fullRun) begin(choice float64, theta, rt []float64) {
	r.starts.passage = passageAt(choice, theta)
	r.choice, r.t, r.sv, r.sz, r.st = choice, theta[3], theta[4], theta[5], theta[6]
	distance := r.width * (r.near - r.sz/2)
	r.steep = distance * distance / 2
	r.negligibleDrop = negligible + r.st*(r.drift*r.drift/2+math.Abs(r.drift)*distance*r.sv*r.sv) + r.steep*r.sv*r.sv
	r.layPanels(rt)
	r.evaluate()
	for i := range r.panels {
		r.expand(i)
	}
	r.from = 0
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

// panelFrom returns the smallest decision time at which a panel may begin that ends at a given decision time, for a given window.
func (r *fullRun) panelFrom(to float64, w *window) float64 {
	rate := math.Pi*math.Pi/2/r.width/r.width + r.drift*r.drift/2/(1+r.sv*r.sv*w.low)
	wide := max(panelChange/rate, (w.high-w.low)/mostPanels)
	change := max(panelChange, r.steep*(1/w.low-1/w.high)/mostPanels)
	if from := max(to/panelRatio, 1/(1/to+change/r.steep), to-wide); from < to {
		return from
	}
	return w.low
}

// evaluate computes out at the nodes of all panels. Panels with the same rule for starts are evaluated together.
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

// fits reports whether a single rule for all starts is accurate on a panel.
func (r *fullRun) fits(rule int, p *panel) bool {
	if r.sz == 0 {
		return true
	}
	low, high := r.reach(p.from, p.to)
	return low == -0.5 && high == 0.5 && low+r.step(low, startRules[rule].change, p.from, p.to) >= high
}

// expand computes a panel's coefficients from out.
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
