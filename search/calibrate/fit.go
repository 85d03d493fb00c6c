package calibrate

import (
	"context"
	"math"
	"math/rand/v2"

	"likc/compiler/expr"
)

// Learning.
const (
	batch     = 128
	firstRate = 3e-3 // falls to 0 as a cosine
)

// example is what the network learns at one point.
type example struct {
	in, shift []float64
	precision []float64 // of estimates, row by row: the error of a shift is measured by it
}

// learner fits a network to the shifts of the binding function.
type learner struct {
	inputs []coordinate
	net    *network
	pulls  []float64 // of an example: derivatives with respect to outputs
}

// coordinate is an input of the network: a parameter or its log, scaled to [-1, 1] over its range.
type coordinate struct {
	expr.BindingInput
	param        int
	middle, half float64
}

// coordinatesOf are the inputs: the parameters that the shifts depend on. A positive parameter whose range spans a factor of 4 or more
// counts by its log, unless it is a share.
func coordinatesOf(m *expr.Model, depends []bool) (all []coordinate) {
	for j, p := range m.Params {
		if !depends[j] {
			continue
		}
		low, high := p.Lower, p.Upper
		isLog := low > 0 && high >= 4*low && high > 1
		if isLog {
			low, high = math.Log(low), math.Log(high)
		}
		all = append(all, coordinate{expr.BindingInput{Param: p.Name, Log: isLog}, j, (low + high) / 2, (high - low) / 2})
	}
	return all
}

func (c *coordinate) of(theta []float64) float64 {
	x := theta[c.param]
	if c.Log {
		x = math.Log(x)
	}
	return (x - c.middle) / c.half
}

// examples leaves out points without a maximum.
func (l *learner) examples(points []*point, trials float64) (all []example) {
	for _, p := range points {
		precision, ok := p.precision(trials)
		if !ok || !p.found {
			continue
		}
		e := example{precision: precision, shift: shiftOf(p)}
		for i := range l.inputs {
			e.in = append(e.in, l.inputs[i].of(p.theta))
		}
		all = append(all, e)
	}
	return all
}

// learn fits a network of the given hidden layers by epochs over the examples.
func (l *learner) learn(ctx context.Context, examples []example, hidden []int, epochs int, rng *rand.Rand, report func(done, of int)) error {
	outputs := len(examples[0].shift)
	l.net = newNetwork(append(append([]int{len(l.inputs)}, hidden...), outputs), rng)
	l.pulls = make([]float64, outputs)
	order := rng.Perm(len(examples))
	var a adam
	batches := max(1, len(order)/batch)
	for epoch := range epochs {
		report(epoch, epochs)
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for b := range batches {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			clear(l.net.grad)
			for _, i := range order[b*batch : min((b+1)*batch, len(order))] {
				l.take(&examples[i])
			}
			done := float64(epoch*batches+b) / float64(epochs*batches)
			a.update(l.net, firstRate*(1+math.Cos(math.Pi*done))/2)
		}
	}
	return nil
}

// take adds the derivatives of an example's loss. The loss is √(1 + d²) for an error of d standard deviations of an estimate, so that
// the few points where estimates are very precise do not outweigh all others.
func (l *learner) take(e *example) {
	d := distance(e, l.net.forward(e.in), l.pulls)
	for j := range l.pulls {
		l.pulls[j] /= math.Sqrt(1 + d*d)
	}
	l.net.backward(l.pulls)
}

// distance is the error of shifts in standard deviations of an estimate, as Mahalanobis measured it; pulls is set to the derivatives
// of half its square.
func distance(e *example, shift, pulls []float64) float64 {
	square, n := 0.0, len(shift)
	for a := range n {
		pulls[a] = 0
		for b := range n {
			pulls[a] += e.precision[a*n+b] * (shift[b] - e.shift[b])
		}
		square += pulls[a] * (shift[a] - e.shift[a])
	}
	return math.Sqrt(max(square, 0))
}

// errors are the distances of all examples, over the root of the number of parameters: 1 is an error as large as that of an estimate.
func (l *learner) errors(examples []example) (all []float64) {
	for i := range examples {
		e := &examples[i]
		all = append(all, distance(e, l.net.forward(e.in), l.pulls)/math.Sqrt(float64(len(e.shift))))
	}
	return all
}

// binding writes the network as a model has it, to digits significant digits. The scaling of the inputs goes into the first layer.
func (l *learner) binding(m *expr.Model) *expr.Binding {
	b, at, last := &expr.Binding{}, 0, len(l.net.sizes)-1
	for _, c := range l.inputs {
		b.Inputs = append(b.Inputs, c.BindingInput)
	}
	for layer := 1; layer <= last; layer++ {
		var rows expr.BindingLayer
		for range l.net.sizes[layer] {
			row := append([]float64(nil), l.net.weights[at:at+1+l.net.sizes[layer-1]]...)
			if at += len(row); layer == 1 {
				for i, c := range l.inputs {
					row[1+i] /= c.half
					row[0] -= row[1+i] * c.middle
				}
			}
			for k := range row {
				row[k] = rounded(row[k])
			}
			rows = append(rows, row)
		}
		if layer < last {
			b.Hidden = append(b.Hidden, rows)
			continue
		}
		for j, row := range rows {
			b.Shifts = append(b.Shifts, expr.BindingShift{Param: m.Params[j].Name, Weights: row})
		}
	}
	return b
}

// rounded is x to seven digits.
func rounded(x float64) float64 {
	if x == 0 {
		return 0
	}
	scale := math.Pow(10, 6-math.Floor(math.Log10(math.Abs(x))))
	return math.Round(x*scale) / scale
}
