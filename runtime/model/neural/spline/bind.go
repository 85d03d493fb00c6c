package spline

import (
	"fmt"
	"math"

	"likc/runtime/model/kernel"
	"likc/runtime/model/neural/classify"
	"likc/runtime/model/neural/frame"
)

// bound is the log-likelihood of several blocks of trials. A block is a set of trials with the same parameters, such as those of one
// participant. All blocks pass through the networks together, because a single pass spends its time on loading the network's weights.
type bound struct {
	*Spline
	first []float64 // fastest response time of each block; +Inf for a block without trials
	count []float64 // [block][choice]: number of trials
	sides []side    // the trials of each block and choice
}

// side holds the trials of a block that have the same choice, given by its number.
type side struct {
	block, choice int
	rt            []float64 // ascending
}

// Dim returns the number of parameters.
func (s *Spline) Dim() int { return s.frame.Model.Dim() }

// Sum binds trials: rt in seconds, choice one of the model's. It returns an error for columns of different lengths, an rt that is
// not positive and finite, and other choices, and names the first such trial (counted from 1). Evaluations allocate only when more
// goroutines evaluate at the same time than ever before.
func (s *Spline) Sum(t kernel.Trials) (kernel.Sum, error) {
	b := &bound{Spline: s}
	if err := b.add(t.Columns[0], t.Choice); err != nil {
		return nil, err
	}
	return b, nil
}

// SumBlocks binds blocks of trials as Sum does. The parameters of the likelihood are those of all blocks, one block after the other.
func (s *Spline) SumBlocks(blocks []kernel.Trials) (kernel.Sum, error) {
	b := &bound{Spline: s}
	for i, block := range blocks {
		if err := b.add(block.Columns[0], block.Choice); err != nil {
			return nil, fmt.Errorf("block %d: %w", i+1, err)
		}
	}
	return b, nil
}

// add adds a block of trials.
func (b *bound) add(rt, choice []float64) error {
	sides, err := frame.Sides(b.frame.Model.Choices, rt, choice, math.MaxFloat64)
	if err != nil {
		return err
	}
	block, first := len(b.first), math.Inf(1)
	for k, rt := range sides {
		b.count = append(b.count, float64(len(rt)))
		if len(rt) > 0 {
			first = min(first, rt[0])
			b.sides = append(b.sides, side{block, k, rt})
		}
	}
	b.first = append(b.first, first)
	return nil
}

// Dim returns the number of parameters.
func (b *bound) Dim() int { return len(b.first) * b.frame.Model.Dim() }

// LogLik returns the log density summed over trials. It is -Inf outside the support, and where numbers leave their range, as for
// decision times below 1e-30 s and parameters far outside the training ranges. It is NaN if theta contains a NaN.
func (b *bound) LogLik(theta []float64) float64 { return b.evaluate(theta, nil) }

// LogLikGrad returns the same as LogLik, and overwrites grad with the gradient, which is zero outside the support.
func (b *bound) LogLikGrad(theta, grad []float64) float64 {
	clear(grad)
	value := b.evaluate(theta, grad)
	if math.IsInf(value, 0) || math.IsNaN(value) {
		clear(grad)
	}
	return value
}

// evaluate sums over all blocks. A nil grad is not computed.
func (b *bound) evaluate(theta, grad []float64) float64 {
	dim := b.frame.Model.Dim()
	for k, first := range b.first {
		if out := b.frame.Outside(theta[k*dim:(k+1)*dim], first); out != 0 {
			return out
		}
	}
	w := b.acquireSpace()
	defer b.releaseSpace(w)
	total := b.choices(w, theta, grad)
	for first := 0; first < len(b.sides); first += mostSides {
		total += b.times(w, b.sides[first:min(first+mostSides, len(b.sides))], theta, grad)
	}
	if !(total < math.Inf(1)) {
		return math.Inf(-1) // the networks overflow
	}
	return total
}

// choices returns the sum of the log probabilities of choices.
func (b *bound) choices(w *space, theta, grad []float64) (total float64) {
	dim, choices, each := b.frame.Model.Dim(), len(b.frame.Model.Choices), b.class.Logits()
	for first := 0; first < len(b.first); first += mostSides / 2 {
		last := min(first+mostSides/2, len(b.first))
		logits := b.class.At(w.class, theta[first*dim:last*dim])
		for k := range last - first {
			at, counts, sum := logits[k*each:(k+1)*each], b.count[(first+k)*choices:(first+k+1)*choices], 0.0
			classify.LogChoices(w.logs[:choices], at)
			for j, n := range counts {
				sum += n * w.logs[j]
			}
			total += sum
			classify.Slopes(w.logits[k*each:(k+1)*each], at, counts)
		}
		if grad != nil {
			b.class.AddLogits(w.class, w.logits[:(last-first)*each], grad[first*dim:last*dim])
		}
	}
	return total
}

// times returns the sum of the log densities of decision times, of at most mostSides sides.
func (b *bound) times(w *space, sides []side, theta, grad []float64) (total float64) {
	dim, inputs, outputs := b.frame.Model.Dim(), b.frame.Inputs(), Outputs(b.bins)
	for k, s := range sides {
		b.fill(w, w.x[k*inputs:(k+1)*inputs], theta[s.block*dim:(s.block+1)*dim], s.choice)
	}
	shapes := b.shape.Forward(w.trace, w.x[:len(sides)*inputs])
	for k, s := range sides {
		w.curve.Set(shapes[k*outputs : (k+1)*outputs])
		t := b.frame.Onset(theta[s.block*dim : (s.block+1)*dim])
		if !w.curve.holds(s.rt[0]-t, s.rt[len(s.rt)-1]-t) {
			return math.Inf(-1)
		}
		w.sums.Clear()
		value, dTau := w.curve.Add(w.sums, s.rt, t)
		total += value
		if grad != nil {
			b.frame.AddOnset(grad[s.block*dim:], -dTau)
			w.curve.Back(w.sums, w.dy[k*outputs:(k+1)*outputs])
		}
	}
	if grad == nil {
		return total
	}
	b.shape.Backward(w.trace, w.dy[:len(sides)*outputs], w.dx)
	for k, s := range sides {
		b.frame.AddGradient(grad[s.block*dim:(s.block+1)*dim], w.dx[k*inputs:(k+1)*inputs], s.choice)
	}
	return total
}
