package flow

import "math"

// narrowest is the smallest accepted derivative ∂x_next/∂x of a step. If the derivative is smaller, the step is too long for the
// network's curvature, and narrowest is used instead.
const narrowest = 1e-3

// halfLog2Pi is log(2π)/2.
const halfLog2Pi = 0.91893853320467274178

// workspace is the working memory of one evaluation.
type workspace struct {
	bias        [][]float32   // bias of the first layer, a row for each stage
	sums, row   []float64     // memory of field.firstBias
	x           []float32     // x of the trials of one block
	ones, out   []float32     // a row of ones, and outputs of the last layer
	seed        [2][]float32  // derivatives with respect to u and ∂u/∂x
	delta       [4][]float32  // derivatives with respect to two neighbouring layers, of their values and of their tangents
	activations []activations // values and tangents of the layers: one entry, or, if the gradient is computed, one for each stage

	at, u, slope, middle, logs [lanes]float64   // x at the beginning of a step, u, ∂u/∂x, x in the middle of the step, and log densities
	slopes, middles, widths    [][lanes]float64 // for each step: ∂u/∂x, the midpoint's derivative, and the step's own derivative
	ends                       [lanes]float64   // x at s = 0
	dx, du, dslope, dmiddle    [lanes]float64   // derivatives with respect to x, u, ∂u/∂x and the midpoint's derivative
	biasGrad                   []float64        // derivatives with respect to the first layer's bias
	theta                      []float64        // reflected parameters
	inputs, inputGrad          []float64        // inputs of the network except x and time, and their derivatives
}

func newWorkspace(f *Flow) *workspace {
	v := f.field
	w := &workspace{sums: make([]float64, v.width), row: make([]float64, v.width), biasGrad: make([]float64, v.width)}
	for range v.times {
		w.bias = append(w.bias, make([]float32, v.input.Rows()))
	}
	w.x, w.ones, w.out = make([]float32, lanes), make([]float32, lanes), make([]float32, v.rows*lanes)
	for i := range w.ones {
		w.ones[i] = 1
	}
	for i := range w.seed {
		w.seed[i] = make([]float32, lanes)
	}
	for i := range w.delta {
		w.delta[i] = make([]float32, v.rows*lanes)
	}
	w.activations = []activations{v.newActivations()}
	w.slopes, w.middles, w.widths = make([][lanes]float64, f.Steps), make([][lanes]float64, f.Steps), make([][lanes]float64, f.Steps)
	w.theta = make([]float64, f.Frame.Model.Dim())
	w.inputs, w.inputGrad = make([]float64, f.Frame.Inputs()), make([]float64, f.Frame.Inputs())
	return w
}

// keepActivations allocates memory for the activations of every stage.
func (w *workspace) keepActivations(v *field) {
	for len(w.activations) < len(v.times) {
		w.activations = append(w.activations, v.newActivations())
	}
}

// activationsOf returns the memory for a stage's activations.
func (w *workspace) activationsOf(stage int, keep bool) activations {
	if keep {
		return w.activations[stage]
	}
	return w.activations[0]
}

// forward integrates the block w.at from s = 1 to 0 and writes the log densities of x at s = 1 to w.logs. w.bias must hold the first
// layer's bias at θ. With keep, it stores what backward needs.
func (f *Flow) forward(w *workspace, keep bool) {
	h := 1 / float64(f.Steps)
	clear(w.logs[:])
	for step := range f.Steps {
		f.stage(w, 2*step, &w.at, keep)
		for l := range lanes {
			w.middle[l] = w.at[l] - h/2*w.u[l]
			w.middles[step][l] = 1 - h/2*w.slope[l]
		}
		f.stage(w, 2*step+1, &w.middle, keep)
		for l := range lanes {
			w.at[l] -= h * w.u[l]
			w.slopes[step][l] = w.slope[l]
			w.widths[step][l] = 1 - h*w.slope[l]*w.middles[step][l]
			w.logs[l] += math.Log(max(w.widths[step][l], narrowest))
		}
	}
	w.ends = w.at
	for l, z := range w.ends {
		w.logs[l] -= z*z/2 + halfLog2Pi
	}
}

// stage computes u and ∂u/∂x of a block at one stage of the integration.
func (f *Flow) stage(w *workspace, stage int, x *[lanes]float64, keep bool) {
	for l, v := range x {
		w.x[l] = float32(v)
	}
	f.field.evaluate(&w.u, &w.slope, w.x, w.bias[stage], w.activationsOf(stage, keep), w.ones, w.out)
}

// backward differentiates Σ weight·log density of the block that forward kept. It writes derivatives with respect to the starting x
// to w.dx, and adds those with respect to the first layer's bias to w.biasGrad.
func (f *Flow) backward(w *workspace, weight *[lanes]float64) {
	h := 1 / float64(f.Steps)
	for l := range lanes {
		w.dx[l] = -w.ends[l] * weight[l]
	}
	for step := f.Steps - 1; step >= 0; step-- {
		for l := range lanes {
			share := 0.0
			if w.widths[step][l] > narrowest {
				share = weight[l] / w.widths[step][l]
			}
			w.du[l] = -h * w.dx[l]
			w.dslope[l] = -h * w.middles[step][l] * share
			w.dmiddle[l] = -h * w.slopes[step][l] * share
		}
		var through [lanes]float64 // derivatives with respect to the midpoint's x
		f.field.reverse(&through, w.biasGrad, &w.du, &w.dslope, w.activations[2*step+1], w)
		for l := range lanes {
			w.dx[l] += through[l]
			w.du[l] = -h / 2 * through[l]
			w.dslope[l] = -h / 2 * w.dmiddle[l]
		}
		f.field.reverse(&w.dx, w.biasGrad, &w.du, &w.dslope, w.activations[2*step], w)
	}
}
