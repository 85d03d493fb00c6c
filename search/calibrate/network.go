package calibrate

import (
	"math"
	"math/rand/v2"
)

// network is a network with hidden layers of hyperbolic tangents, for learning. It is used by one goroutine.
type network struct {
	sizes   []int
	weights []float64 // by layer and unit: a constant, then a weight for each unit before
	grad    []float64
	units   [][]float64
	bars    [][]float64
}

func newNetwork(sizes []int, rng *rand.Rand) *network {
	n := &network{sizes: sizes}
	for l := range sizes {
		n.units, n.bars = append(n.units, make([]float64, sizes[l])), append(n.bars, make([]float64, sizes[l]))
		if l == 0 {
			continue
		}
		scale := 1.5 / math.Sqrt(float64(sizes[l-1]))
		if l == len(sizes)-1 {
			scale = 0.1
		}
		for range sizes[l] * (sizes[l-1] + 1) {
			n.weights = append(n.weights, scale*rng.NormFloat64())
		}
	}
	n.grad = make([]float64, len(n.weights))
	return n
}

// forward returns the outputs, which the next call overwrites.
func (n *network) forward(x []float64) []float64 {
	copy(n.units[0], x)
	at, last := 0, len(n.sizes)-1
	for l := 1; l <= last; l++ {
		from := n.units[l-1]
		for i := range n.units[l] {
			sum, row := n.weights[at], n.weights[at+1:][:len(from)]
			for k, y := range from {
				sum += row[k] * y
			}
			if at += 1 + len(from); l < last {
				sum = math.Tanh(sum)
			}
			n.units[l][i] = sum
		}
	}
	return n.units[last]
}

// backward adds to grad the derivatives of something whose derivatives with respect to the outputs are given.
func (n *network) backward(outputs []float64) {
	last, end := len(n.sizes)-1, len(n.weights)
	copy(n.bars[last], outputs)
	for l := last; l > 0; l-- {
		from := n.units[l-1]
		end -= len(n.units[l]) * (len(from) + 1)
		at := end
		clear(n.bars[l-1])
		for i, y := range n.units[l] {
			bar := n.bars[l][i]
			if l < last {
				bar *= 1 - y*y
			}
			n.grad[at] += bar
			grad, row := n.grad[at+1:][:len(from)], n.weights[at+1:][:len(from)]
			for k, x := range from {
				grad[k] += bar * x
				n.bars[l-1][k] += bar * row[k]
			}
			at += 1 + len(from)
		}
	}
}

// adam is the optimiser of [kingma2015]: D. Kingma, J. Ba, Adam: a method for stochastic optimization, ICLR 2015.
type adam struct {
	mean, square []float64
	step         int
}

func (a *adam) update(n *network, rate float64) {
	const decay, decaySquare = 0.9, 0.999
	if a.mean == nil {
		a.mean, a.square = make([]float64, len(n.weights)), make([]float64, len(n.weights))
	}
	a.step++
	one, two := 1-math.Pow(decay, float64(a.step)), 1-math.Pow(decaySquare, float64(a.step))
	for k, g := range n.grad {
		a.mean[k] = decay*a.mean[k] + (1-decay)*g
		a.square[k] = decaySquare*a.square[k] + (1-decaySquare)*g*g
		n.weights[k] -= rate * (a.mean[k] / one) / (math.Sqrt(a.square[k]/two) + 1e-8)
	}
}
