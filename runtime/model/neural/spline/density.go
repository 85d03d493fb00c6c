package spline

import (
	"math"

	"likc/runtime/model/neural/classify"
)

// run is a sequence of neighbouring trials with the same parameters.
type run struct {
	theta       []float64 // the parameters
	first, last int       // index of the first trial, and index after the last one
	logs        []float64 // log probabilities of the choices
}

// LogDensity sets dst[i] to log p(rt[i], choice[i] | theta[i]), where choices are the model's. Neighbours with equal parameters
// share the passes through the networks. It is -Inf outside the support, and where the curve cannot be computed; see Curve.holds.
func (s *Spline) LogDensity(dst []float64, theta [][]float64, rt, choice []float64) {
	w := s.acquireSpace()
	defer s.releaseSpace(w)
	w.runs = w.runs[:0]
	for i := 0; i < len(dst); {
		j := i + 1
		for j < len(dst) && equal(theta[i], theta[j]) {
			j++
		}
		if out := s.frame.Outside(theta[i], math.Inf(1)); out == 0 {
			w.runs = append(w.runs, run{theta: theta[i], first: i, last: j})
		} else {
			for k := range dst[i:j] {
				dst[i+k] = out
			}
		}
		if i = j; len(w.runs) == cap(w.runs) || i == len(dst) {
			s.runs(w, dst, rt, choice)
			w.runs = w.runs[:0]
		}
	}
}

// equal reports whether two parameter vectors are equal. It does not compare numbers if both are the same slice.
func equal(a, b []float64) bool {
	if &a[0] == &b[0] {
		return true
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// runs evaluates w.runs; all their passes through the networks are made together.
func (s *Spline) runs(w *space, dst, rt, choice []float64) {
	dim, inputs, outputs := s.frame.Model.Dim(), s.frame.Inputs(), Outputs(s.bins)
	for k, r := range w.runs {
		copy(w.theta[k*dim:(k+1)*dim], r.theta)
	}
	choices, each := s.frame.Model.Choices, s.class.Logits()
	logits := s.class.At(w.class, w.theta[:len(w.runs)*dim])
	for k := range w.runs {
		w.runs[k].logs = w.logs[k*len(choices) : (k+1)*len(choices)]
		classify.LogChoices(w.runs[k].logs, logits[k*each:(k+1)*each])
	}
	for at, side := range choices {
		n := 0
		for _, r := range w.runs {
			if r.has(choice, side) {
				s.fill(w, w.x[n*inputs:(n+1)*inputs], r.theta, at)
				n++
			}
		}
		shapes := s.shape.Forward(w.trace, w.x[:n*inputs])
		for _, r := range w.runs {
			if r.has(choice, side) {
				w.curve.Set(shapes[:outputs])
				shapes = shapes[outputs:]
				s.logDensities(w.curve, &r, at, dst, rt, choice)
			}
		}
	}
}

// has reports whether a trial of the run has the choice.
func (r *run) has(choice []float64, side float64) bool {
	for _, c := range choice[r.first:r.last] {
		if c == side {
			return true
		}
	}
	return false
}

// logDensities computes dst for those trials of a run that have choice number k, whose curve is c.
func (s *Spline) logDensities(c *Curve, r *run, k int, dst, rt, choice []float64) {
	log, side, onset := r.logs[k], s.frame.Model.Choices[k], s.frame.Onset(r.theta)
	for i := r.first; i < r.last; i++ {
		if choice[i] != side {
			continue
		}
		dst[i] = math.Inf(-1)
		if tau := rt[i] - onset; c.holds(tau, tau) {
			if d := log + c.logDensity(tau); d < math.Inf(1) { // NaN is not
				dst[i] = d
			}
		}
	}
}
