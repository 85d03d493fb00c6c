package evidence

import "math"

// settings limit the width of panels, the intervals of time on which functions are polynomials. [usual] is the default;
// accuracy is measured against finer settings.
type settings struct {
	ratio  float64 // largest ratio of the ends of a panel
	clock  float64 // longest panel on the clock, the time in which the noise is 1, in units of the squared half-distance of the boundaries
	smooth float64 // largest difference of a function of time from its polynomial, relative to the scale that matters
	late   float64 // largest factor by which panels may grow towards the end of the process
	rough  float64 // largest difference of a log density from a polynomial on a panel
	joined float64 // least distance of a node from earlier panels that are joined, as a share of their length, in time and in the clock
	early  float64 // growth of a log density on a panel at small times, as a share of its distance below the peak
}

// usual holds the settings with which densities are computed.
var usual = settings{ratio: 1.35, clock: 0.42, smooth: 1e-9, late: 2, early: 0.1, rough: 1e-6, joined: 8}

const (
	quietExponent = 60                  // a density below exp(-60) of the largest possible one is taken to be 0
	outermost     = 2.2 * quietExponent // squared distance, in units of σ²t, that next to no evidence has gone by t
	mostClock     = 36                  // the process is taken to have ended at this time of its clock, when a share of exp(-44) is left
	steepest      = 4.0                 // the least allowed growth of a log density on a panel at small times
	fading        = 0.12                // growth of the log of a panel's length per unit of the clock: a tenth of the rate at which densities decay
	mostSteep     = 60.0                // a density below exp(-60) of its peak is taken to be 0
	mostPanels    = 600                 // largest number of panels
	mostExtended  = 40                  // number of further panels, each longer than the one before by a third
	touching      = 1e-7                // boundaries at this distance count as having met
	preRatio      = 1.08                // ratio of successive times in a first pass that computes the clock
	mostSplits    = 14                  // how many times panels may be halved
)

// beginning describes the process just after its start.
type beginning struct {
	low, high    float64         // the ends of the range of starting points
	upper, lower float64         // the boundaries at time 0
	noise        float64         // σ² at time 0
	touch        float64         // the least distance of the start from a boundary that is used, as a share of the boundaries' distance
	f            [functions]dual // the functions of time, at time 0
}

// grid chooses the ends of panels from 0 to most. meet is the time at which the boundaries meet, or +Inf if they do not meet
// before most.
func (s *stream) grid(w *work, b beginning, most float64) (edges []float64, meet float64) {
	d := b.upper - b.high
	if s.twoSided {
		d = min(d, b.low-b.lower)
	}
	width := b.upper - b.low
	if s.twoSided {
		width = b.upper - b.lower
	}
	first := max(d, b.touch*width)
	if drift := b.f[fnAlpha].v[0]; s.mirrored && drift > 0 {
		b.noise = hastened(first, drift, b.noise)
	}
	first = first * first / (outermost * max(b.noise, 1e-12))
	if !(first < most) {
		return s.refine(w, append(w.first[:0], 0, most), width), math.Inf(1)
	}
	times, rate, clock, meet := s.pace(w, first, most, b)
	edges = append(w.first[:0], 0, first)
	elapsed, at := 0.0, 0 // integral of clock up to the last edge, which lies between times at and at+1
	for to := first; to < most && elapsed < mostClock && at+1 < len(times) && len(edges) < mostPanels; {
		from, steps := to, 0.0
		for at+1 < len(times) {
			begin, end := max(times[at], from), min(times[at+1], from*w.ratio(from, b.noise, d, width), b.gentle(from, w.set.early))
			// Roots of rates are inverse distances, which are taken to be linear in time.
			tempo, pulse := newLine(times[at], rate[at], times[at+1], rate[at+1]), newLine(times[at], clock[at], times[at+1], clock[at+1])
			end = min(end, tempo.after(begin, w.longest()*min(w.set.late, math.Exp(fading*elapsed))-steps))
			steps += tempo.between(begin, end)
			elapsed += pulse.between(begin, end)
			if to = end; end < times[at+1] {
				break
			}
			at++
		}
		if most-to < 0.05*(to-from) {
			to = most
		}
		if !(to > from) {
			break
		}
		edges = append(edges, to)
	}
	w.first = s.splitAtJumps(w, edges)
	return s.refine(w, w.first, width), meet
}

// hastened returns the noise with which evidence without drift has gone a distance d when evidence with a drift towards the boundary may have
// done so: d = drift·t + √(outermost σ² t).
func hastened(d, drift, noise float64) float64 {
	root := 2 * d / (math.Sqrt(outermost*noise+4*drift*d) + math.Sqrt(outermost*noise))
	return d * d / (outermost * root * root)
}

// ratio returns the largest ratio of the ends of a panel that begins at from. Where the start is spread up to a boundary, densities go
// as powers of the time at first, and where a normal onset blurs them, only their integrals count.
func (w *work) ratio(from, noise, d, width float64) float64 {
	if d < 1e-3*width && (from*noise < 2e-3*width*width || from < w.blur/2) {
		return 2
	}
	return w.set.ratio
}

// longest returns the longest panel on the clock: see settings. What a normal onset blurs needs fewer panels.
func (w *work) longest() float64 {
	if w.blur > 0 {
		return 1.5 * w.set.clock
	}
	return w.set.clock
}

// line is a rate as a function of time between two times. 1/√rate is taken to be linear in time.
type line struct{ from, first, slope float64 }

func newLine(from, rate, to, last float64) line {
	first := 1 / math.Sqrt(rate)
	return line{from, first, (1/math.Sqrt(last) - first) / (to - from)}
}

func (l line) at(t float64) float64 { return l.first + l.slope*(t-l.from) }

// between returns the integral of the rate from one time to another; 0 for a rate of 0.
func (l line) between(from, to float64) float64 {
	if math.IsInf(l.first, 1) {
		return 0
	}
	return (to - from) / (l.at(from) * l.at(to))
}

// after returns the time at which the integral of the rate, from a time on, reaches steps; +Inf if it never does.
func (l line) after(from, steps float64) float64 {
	d := l.at(from)
	if rest := 1 - steps*d*l.slope; rest > 0 {
		return from + steps*d*d/rest
	}
	return math.Inf(1)
}

// gentle returns the latest end of a panel that begins at `from` on which densities do not grow too much. At first they grow as
// exp(-c/τ).
func (b *beginning) gentle(from, early float64) float64 {
	end := math.Inf(1)
	for _, d := range [2]float64{b.upper - b.high, b.low - b.lower} {
		switch c := d * d / (2 * b.noise); {
		case c >= mostSteep*from: // nothing counts before c/mostSteep; an edge there could leave a sliver, next to which kernels are steep
			end = min(end, c/(mostSteep-steepest))
		case c > steepest*from:
			if growth := max(steepest, early*c/from); c > growth*from {
				end = min(end, 1/(1/from-growth/c))
			}
		}
	}
	return end
}

// pace returns times from first to most, or to the time at which the boundaries meet. At each time, rate is the number of panels
// needed per second. clock is the rate of the clock that counts time in squared half-distances of the boundaries.
func (s *stream) pace(w *work, first, most float64, b beginning) (times, rate, clock []float64, meet float64) {
	n := 2 + int(math.Log(most/first)/math.Log(preRatio))
	times, rate, clock = w.mem.take(n), w.mem.take(n), w.mem.take(n)
	for i := range times {
		times[i] = first * math.Pow(most/first, float64(i)/float64(n-1))
	}
	open := s.rates(w, times, rate, clock, b)
	if open == n || open == 0 {
		return times[:max(open, 1)], rate, clock, math.Inf(1)
	}
	low, high := times[open-1], times[open]
	one := w.mem.take(1)
	for range 50 {
		if one[0] = (low + high) / 2; s.rates(w, one, rate[open:open+1], clock[open:open+1], b) == 1 {
			low = one[0]
		} else {
			high = one[0]
		}
	}
	const closer = 24
	all := w.mem.take(open + closer)
	copy(all, times[:open])
	times = all
	for k := range closer {
		times[open+k] = times[open-1] + (low-times[open-1])*(1-math.Pow(0.5, float64(k+1)))
	}
	rate, clock = w.mem.take(len(times)), w.mem.take(len(times))
	open = s.rates(w, times, rate, clock, b)
	return times[:open], rate, clock, low
}

// rates sets rate and clock at the times. It returns the number of times before the boundaries meet.
func (s *stream) rates(w *work, times, rate, clock []float64, b beginning) int {
	s.values.run(&w.tape, w.mem, times, w.symbols)
	var f [functions][]float64
	for k := range f {
		f[k] = w.mem.take(len(times))
		s.values.root(&w.tape, k, f[k])
	}
	for i := range times {
		noise := max(f[fnNoise][i], 1e-300)
		faster := math.Abs(f[fnAlpha][i] - f[fnUpperSlope][i])
		if s.twoSided {
			faster = max(faster, math.Abs(f[fnAlpha][i]-f[fnLowerSlope][i]))
		}
		half := (f[fnUpper][i] - f[fnLower][i]) / 2
		if s.twoSided && !(half > touching) {
			return i
		}
		if !s.twoSided { // evidence that has had time to spread knows no distance but that over which it has spread
			half = max(f[fnUpper][i]-b.low, math.Sqrt(noise*times[i]))
		}
		clock[i] = noise / (half * half)
		rate[i] = clock[i] + 0.4*faster*faster/noise + 0.7*math.Abs(f[fnBeta][i])
		switch {
		case !s.twoSided:
			clock[i] = 0
		case s.mirrored:
			clock[i] *= lingering(-f[fnAlpha][i] * half / noise)
		}
		if rate[i]-rate[i] != 0 {
			rate[i], clock[i] = 1, 0
		}
	}
	return len(times)
}

// lingering returns a lower bound of the rate at which the density of reflected evidence falls off, as a share of that without drift. The drift
// away from the boundary is given in units of σ² over the height. Evidence that drifts away leaves exponentially late.
func lingering(away float64) float64 {
	switch {
	case away <= 0:
		return 1
	case away < 1:
		return 1 - 0.78*away
	}
	return 1.62 * away * away * math.Exp(-2*away)
}

// refine halves panels on which a function of time is not close enough to a polynomial.
func (s *stream) refine(w *work, edges []float64, width float64) []float64 {
	spare := w.second
	for range mostSplits {
		out, split := spare[:0], false
		bad := s.rough(w, edges, width)
		out = append(out, edges[0])
		for e := 0; e+1 < len(edges); e++ {
			if bad[e] && len(out) < mostPanels {
				split = true
				out = append(out, middle(edges[e], edges[e+1]))
			}
			out = append(out, edges[e+1])
		}
		edges, spare = out, edges
		if !split {
			break
		}
	}
	w.first, w.second = edges, spare
	return edges
}

// middle returns where a panel is split: at ratios that suit powers of the time, or in the middle.
func middle(from, to float64) float64 {
	switch {
	case from == 0:
		return to / 4
	case to > 2.5*from:
		return math.Sqrt(from * to)
	}
	return (from + to) / 2
}

// rough reports for each panel whether some function of time is not close enough to a polynomial.
func (s *stream) rough(w *work, edges []float64, width float64) []bool {
	const each = order + tests
	panels := len(edges) - 1
	times := w.mem.take(panels * each)
	for e := range panels {
		h := edges[e+1] - edges[e]
		for j, x := range rule.x {
			times[e*each+j] = edges[e] + h*x
		}
		for j, x := range rule.test {
			times[e*each+order+j] = edges[e] + h*x
		}
	}
	s.values.run(&w.tape, w.mem, times, w.symbols)
	if cap(w.bad) < panels {
		w.bad = make([]bool, max(panels, mostPanels))
	}
	bad := w.bad[:panels]
	clear(bad)
	f := w.mem.take(len(times))
	noise := w.mem.take(len(times))
	s.values.root(&w.tape, fnNoise, noise)
	for k := range functions {
		if k == fnUpper || k == fnLower || s.zero[k] || !s.values.moves(k) {
			continue
		}
		s.values.root(&w.tape, k, f)
		for e := range panels {
			h := edges[e+1] - edges[e]
			allowed := w.set.smooth * width / h
			switch k {
			case fnNoise:
				allowed = w.set.smooth * 30 * noise[e*each+order-1]
			case fnBeta:
				allowed = w.set.smooth * 30 / h
			}
			for q := range rule.test {
				sum := 0.0
				for j, l := range rule.atTest[q] {
					sum += l * f[e*each+j]
				}
				if math.Abs(sum-f[e*each+order+q]) > allowed {
					bad[e] = true
				}
			}
		}
	}
	return bad
}
