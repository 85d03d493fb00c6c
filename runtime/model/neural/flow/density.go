package flow

import (
	"math"
	"slices"
	"sync"

	"likc/runtime/model/neural/frame"
)

// LogDensity sets dst to log p(rt | θ, choice), conditional on the choice. theta[i] belongs to trial i, rt is in seconds, choice is
// +1 or -1. Neighbours with equal theta are integrated together. The result is -Inf if rt is not after the non-decision time or
// theta is outside the model's domain (see frame.Frame.Outside), and NaN if theta contains a NaN.
func (f *Flow) LogDensity(dst []float64, theta [][]float64, rt, choice []float64) {
	w := newWorkspace(f)
	for from := 0; from < len(dst); {
		to := from + 1
		for to < len(dst) && slices.Equal(theta[to], theta[from]) {
			to++
		}
		f.together(w, dst[from:to], theta[from], rt[from:to], choice[from:to])
		from = to
	}
}

// together computes dst for trials with one parameter vector.
func (f *Flow) together(w *workspace, dst, theta, rt, choice []float64) {
	if out := f.Frame.Outside(theta, math.Inf(1)); out != 0 {
		for i := range dst {
			dst[i] = out
		}
		return
	}
	for _, side := range []float64{-1, 1} {
		f.run(w, dst, theta, rt, choice, side)
	}
}

// run computes dst for those trials of one parameter vector that have the choice side.
func (f *Flow) run(w *workspace, dst, theta, rt, choice []float64, side float64) {
	var times [lanes]float64
	var at [lanes]int
	n, prepared := 0, false
	t := f.onset(theta)
	for i := range dst {
		if choice[i] == side {
			times[n], at[n] = rt[i], i
			n++
		}
		if n == lanes || n > 0 && i == len(dst)-1 {
			if !prepared {
				f.prepare(w, theta, side)
				prepared = true
			}
			f.block(w, theta, times[:n], false)
			for l, k := range at[:n] {
				dst[k] = finite(w.logs[l] + f.jacobian(rt[k], t))
			}
			n = 0
		}
	}
}

// finite returns the log density, or -Inf if the networks overflow.
func finite(x float64) float64 {
	if x < math.Inf(1) {
		return x
	}
	return math.Inf(-1)
}

// jacobian returns log dx/drt; -Inf before the onset.
func (f *Flow) jacobian(rt, onset float64) float64 {
	if !(rt > onset) {
		return math.Inf(-1)
	}
	return -math.Log((rt - onset) * f.Scale)
}

// prepare computes the networks' biases for a parameter vector, which is reflected for the lower boundary.
func (f *Flow) prepare(w *workspace, theta []float64, choice float64) {
	f.Frame.View(w.theta, theta, sideOf(choice))
	f.Frame.Fill(w.inputs, w.theta, 0)
	f.field.firstBias(w.bias, w.inputs, w.sums, w.row)
}

// block computes the log densities of up to `lanes` trials, except for the factor dx/drt. Unused lanes get a copy of the last trial.
// Trials before the onset are evaluated at a decision time of 1 s, and the result is not used.
func (f *Flow) block(w *workspace, theta, rt []float64, keep bool) {
	t := f.onset(theta)
	for l := range lanes {
		tau := rt[min(l, len(rt)-1)] - t
		if !(tau > 0) {
			tau = 1
		}
		w.at[l] = (math.Log(tau) - f.Centre) / f.Scale
	}
	f.forward(w, keep)
}

// Bound is the log-likelihood of a set of trials, for a sampler. It is the flow's log density of response times given their choices. With
// a teacher, it is that of both. It allocates only when more goroutines evaluate at the same time than ever before.
type Bound struct {
	flow     *Flow
	teacher  *Teacher     // teacher whose choice probabilities are included; nil for times only
	sides    [2][]float64 // response times at the lower boundary and at the upper one
	earliest float64      // the smallest response time
	spaces   sync.Pool    // holds *workspace
}

// Bind binds trials: rt in seconds, choice +1 or -1.
func (f *Flow) Bind(rt, choice []float64) (*Bound, error) {
	sides, err := frame.Sides(f.Frame.Model.Choices, rt, choice, math.MaxFloat64)
	if err != nil {
		return nil, err
	}
	b := &Bound{flow: f, sides: [2][]float64{sides[1], sides[0]}, earliest: math.MaxFloat64}
	for _, side := range sides {
		if len(side) > 0 {
			b.earliest = min(b.earliest, side[0])
		}
	}
	b.spaces.New = func() any { return newWorkspace(f) }
	return b, nil
}

// Dim returns the number of parameters.
func (b *Bound) Dim() int { return b.flow.Frame.Model.Dim() }

// LogLik returns the log density summed over trials: of response times given choices, or, with a teacher, of response times and choices. It
// is -Inf if a trial is not after the non-decision time or theta is outside the model's domain, and NaN if theta contains a NaN.
func (b *Bound) LogLik(theta []float64) float64 { return b.sum(theta, nil) }

// LogLikGrad returns LogLik and overwrites grad with its gradient, zero outside the support.
func (b *Bound) LogLikGrad(theta, grad []float64) float64 {
	clear(grad[:b.Dim()])
	value := b.sum(theta, grad)
	if math.IsInf(value, 0) || math.IsNaN(value) {
		clear(grad[:b.Dim()])
	}
	return value
}

// sum returns the summed log density, and adds its gradient to grad unless that is nil.
func (b *Bound) sum(theta, grad []float64) float64 {
	if out := b.flow.Frame.Outside(theta[:b.Dim()], b.earliest); out != 0 {
		return out
	}
	w := b.spaces.Get().(*workspace)
	defer b.spaces.Put(w)
	total := 0.0
	for side, rt := range b.sides {
		if len(rt) > 0 {
			total += b.flow.side(w, theta, rt, float64(2*side-1), grad)
		}
	}
	if b.teacher == nil {
		return finite(total)
	}
	return b.addChoices(theta, grad, finite(total))
}

// side returns the log density summed over the trials of one choice. It adds the gradient to grad, if that is not nil.
func (f *Flow) side(w *workspace, theta, rt []float64, choice float64, grad []float64) float64 {
	f.prepare(w, theta, choice)
	if grad != nil {
		w.keepActivations(f.field)
		clear(w.biasGrad)
	}
	t, total, onsetGrad := f.onset(theta), 0.0, 0.0
	for from := 0; from < len(rt); from += lanes {
		block := rt[from:min(from+lanes, len(rt))]
		f.block(w, theta, block, grad != nil)
		for l, x := range block {
			total += w.logs[l] + f.jacobian(x, t)
		}
		if grad == nil {
			continue
		}
		var weight [lanes]float64
		for l := range block {
			weight[l] = 1
		}
		f.backward(w, &weight)
		for l, x := range block {
			onsetGrad += (1 - w.dx[l]/f.Scale) / (x - t)
		}
	}
	if grad != nil {
		f.addGrad(w, choice, onsetGrad, grad)
	}
	return total
}

// addGrad converts derivatives with respect to the first layer's bias into derivatives with respect to the parameters, and adds them to grad.
func (f *Flow) addGrad(w *workspace, choice, onsetGrad float64, grad []float64) {
	v := f.field
	for i := range w.inputGrad {
		sum := 0.0
		for r, weight := range v.weights[(1+Features+i)*v.width:][:v.width] {
			sum += weight * w.biasGrad[r]
		}
		w.inputGrad[i] = sum
	}
	f.Frame.AddGradient(grad, w.inputGrad, sideOf(choice))
	f.Frame.AddOnset(grad, onsetGrad)
}

// sideOf returns the index of a choice: 0 for the upper boundary, 1 for the lower.
func sideOf(choice float64) int {
	if choice < 0 {
		return 1
	}
	return 0
}

// onset returns the non-decision time.
func (f *Flow) onset(theta []float64) float64 { return f.Frame.Onset(theta) }
