package flow

import (
	"math"

	"likc/runtime/model/neural/lan"
	"likc/runtime/model/neural/network"
)

// lanes is the number of trials that the kernels process at once.
const lanes = lan.Lanes

// field evaluates the velocity u(x, s, θ) by the flow's network, for blocks of `lanes` trials that share θ. So all inputs except x only add
// to the bias of the first layer. That bias differs between the stages of the integration, which are the times s at which u is computed.
type field struct {
	width   int            // number of outputs of the first layer
	input   *lan.Product   // first layer: its column for x
	hidden  []*lan.Product // matrices between hidden layers
	output  *lan.Product   // matrix of the last layer
	back    []*lan.Product // transposes of hidden, for the gradient
	outBack *lan.Product   // transpose of output
	inBack  *lan.Product   // transpose of input
	bias    [][]float32    // biases of the hidden layers after the first, as Tanh takes them
	last    float64        // bias of the output

	weights []float64   // first layer's weights, [inputs][width]
	times   [][]float64 // bias and time's contribution to the first layer's sums, a row for each stage
	rows    int         // number of rows of a block of activations
}

// forward returns a layer's matrix; transposed returns its transpose, for derivatives.
func forward(l network.Layer) *lan.Product {
	return lan.NewProduct(l.Outputs, l.Inputs, func(r, c int) float64 { return float64(l.Weights[c*l.Outputs+r]) })
}

func transposed(l network.Layer) *lan.Product {
	return lan.NewProduct(l.Inputs, l.Outputs, func(r, c int) float64 { return float64(l.Weights[r*l.Outputs+c]) })
}

// newField arranges the weights of a flow's network.
func newField(f *Flow) *field {
	layers := f.Net.Layers()
	first, last := layers[0], layers[len(layers)-1]
	column := network.Layer{Inputs: 1, Outputs: first.Outputs, Weights: first.Weights[:first.Outputs]}
	v := &field{width: first.Outputs, input: forward(column), inBack: transposed(column), output: forward(last), outBack: transposed(last)}
	v.last = float64(last.Bias[0])
	for _, l := range layers[1 : len(layers)-1] {
		p := forward(l)
		v.hidden, v.back = append(v.hidden, p), append(v.back, transposed(l))
		v.bias = append(v.bias, make([]float32, p.Rows()))
		p.Bias(v.bias[len(v.bias)-1], network.Widen(l.Bias))
		v.rows = max(v.rows, p.Rows(), v.back[len(v.back)-1].Rows())
	}
	v.rows = max(v.rows, v.input.Rows(), v.outBack.Rows(), v.inBack.Rows(), v.output.Rows())
	v.weights = network.Widen(first.Weights)
	v.addTimes(f.Steps, network.Widen(first.Bias))
	return v
}

// addTimes computes the contribution of each stage's time. Stages 2k and 2k+1 are the beginning and the middle of step k.
func (v *field) addTimes(steps int, bias []float64) {
	var at [Features]float32
	for stage := range 2 * steps {
		Cosines(at[:], 1-float64(stage)/float64(2*steps))
		row := append([]float64(nil), bias...)
		for k, c := range at {
			for r, w := range v.weights[(1+k)*v.width : (2+k)*v.width] {
				row[r] += w * float64(c)
			}
		}
		v.times = append(v.times, row)
	}
}

// activations holds the values of every hidden layer at one stage, and their derivatives with respect to x.
type activations struct {
	value, tangent [][]float32
}

func (v *field) newActivations() activations {
	var p activations
	for range len(v.hidden) + 1 {
		p.value = append(p.value, make([]float32, v.rows*lanes))
		p.tangent = append(p.tangent, make([]float32, v.rows*lanes))
	}
	return p
}

// firstBias computes the first layer's bias for every stage, in the form that Tanh needs. sums and row are working memory.
func (v *field) firstBias(dst [][]float32, inputs, sums, row []float64) {
	clear(sums)
	for i, x := range inputs {
		for r, w := range v.weights[(1+Features+i)*v.width:][:v.width] {
			sums[r] += w * x
		}
	}
	for stage, time := range v.times {
		for r := range row {
			row[r] = sums[r] + time[r]
		}
		v.input.Bias(dst[stage], row)
	}
}

// evaluate computes u and ∂u/∂x for a block x, and stores values and tangents in p. ones is a row of ones; out has two rows.
func (v *field) evaluate(u, slope *[lanes]float64, x, bias []float32, p activations, ones, out []float32) {
	v.input.Tanh(p.value[0], x, bias)
	v.input.Masked(p.tangent[0], ones, p.value[0])
	for i, h := range v.hidden {
		h.Tanh(p.value[i+1], p.value[i], v.bias[i])
		h.Masked(p.tangent[i+1], p.tangent[i], p.value[i+1])
	}
	depth := len(v.hidden)
	v.output.Linear(out, p.value[depth])
	for lane, y := range out[:lanes] {
		u[lane] = float64(y) + v.last
	}
	v.output.Linear(out, p.tangent[depth])
	for lane, y := range out[:lanes] {
		slope[lane] = float64(y)
	}
}

// reverse propagates derivatives with respect to u and ∂u/∂x back through the values that evaluate stored in p. It adds derivatives with
// respect to x to dx. It adds derivatives with respect to the first layer's bias, summed over lanes, to bias.
func (v *field) reverse(dx *[lanes]float64, bias []float64, du, dslope *[lanes]float64, p activations, w *workspace) {
	depth := len(v.hidden)
	s, t, nextS, nextT := w.delta[0], w.delta[1], w.delta[2], w.delta[3]
	for lane := range lanes {
		w.seed[0][lane], w.seed[1][lane] = float32(du[lane]), float32(dslope[lane])
	}
	v.outBack.Masked(s, w.seed[0], p.value[depth])
	v.outBack.Masked(t, w.seed[1], p.value[depth])
	bend(s, t, p.value[depth], p.tangent[depth], v.width)
	for i := depth - 1; i >= 0; i-- {
		v.back[i].Masked(nextS, s, p.value[i])
		v.back[i].Masked(nextT, t, p.value[i])
		s, nextS, t, nextT = nextS, s, nextT, t
		bend(s, t, p.value[i], p.tangent[i], v.width)
	}
	v.inBack.Linear(w.out, s)
	for lane, y := range w.out[:lanes] {
		dx[lane] += float64(y)
	}
	for r := range bias {
		sum := float32(0)
		for _, y := range s[r*lanes : (r+1)*lanes] {
			sum += y
		}
		bias[r] += float64(sum)
	}
}

// bend completes s, the derivatives with respect to the arguments of tanh whose values are y: it adds the part that comes through the
// tangents. A tangent is (1-y²)g, where g is the argument's derivative with respect to x. So the tangent's derivative with respect to the
// argument is -2y(1-y²)g. t holds derivatives with respect to tangents, already multiplied by 1-y²; tangent holds (1-y²)g.
func bend(s, t, value, tangent []float32, width int) {
	n := width * lanes
	s, t, value, tangent = s[:n], t[:n], value[:n], tangent[:n]
	for i, y := range value {
		// If y is so near ±1 that 1-y² is zero in single precision, the tangent is zero too.
		s[i] -= 2 * y * t[i] * tangent[i] / max(1-y*y, math.SmallestNonzeroFloat32)
	}
}
