package lan

import (
	"math"
	"sync"

	"likc/runtime/model/neural/frame"
)

// Bound is a network's log-likelihood on a bound dataset. It is safe for concurrent use, and allocates only when more goroutines
// evaluate at the same time than ever before.
type Bound struct {
	plan      *plan     // the network, arranged for evaluation
	n         int       // number of trials
	groups    []group   // the trials of each choice
	tolerance float64   // tolerance of Tabulate
	spaces    sync.Pool // holds *evaluation
}

// group holds the trials of one choice, in whole blocks of `lanes` trials. Trials with equal rt are stored once, with their
// number as the weight. The last block is filled up with trials of weight zero.
type group struct {
	choice float64
	rt     []float32 // distinct response times, ascending
	weight []float64 // number of trials with each response time
	root   *panel    // the interval of all response times, for interpolation; nil if every trial is evaluated separately
}

// Bind binds trials: rt in seconds, choice one of the network's. It returns an error for columns of different lengths, an rt that
// is not positive and finite, or another choice. The error names the first such trial, counted from 1.
func (n *Network) Bind(rt, choice []float64) (*Bound, error) {
	return n.bind(rt, choice, available()[0])
}

// bind binds trials for evaluation by the kernels k.
func (n *Network) bind(rt, choice []float64, k kernels) (*Bound, error) {
	sides, err := frame.Sides(n.choices, rt, choice, math.MaxFloat32)
	if err != nil {
		return nil, err
	}
	b := &Bound{plan: newPlan(n, k), n: len(rt)}
	for i, side := range sides {
		b.groups = append(b.groups, newGroup(n.choices[i], side))
	}
	b.spaces.New = func() any {
		return &evaluation{workspace: newWorkspace(b.plan), plan: b.plan, tolerance: b.tolerance}
	}
	return b, nil
}

// newGroup returns a group of ascending response times.
func newGroup(choice float64, rt []float64) group {
	g := group{choice: choice}
	for _, wide := range rt {
		x := float32(wide)
		if n := len(g.rt); n > 0 && x == g.rt[n-1] {
			g.weight[n-1]++
			continue
		}
		g.rt, g.weight = append(g.rt, x), append(g.weight, 1)
	}
	for len(g.rt)%lanes != 0 {
		g.rt, g.weight = append(g.rt, g.rt[len(g.rt)-1]), append(g.weight, 0)
	}
	return g
}

// Dim returns the number of parameters.
func (b *Bound) Dim() int { return b.plan.dim }

// N returns the number of trials.
func (b *Bound) N() int { return b.n }

// LogLik returns the network's output summed over trials at theta, in the order of Network.Params. It applies no floor, and theta
// may be outside the trained ranges. It is NaN if theta is not finite.
func (b *Bound) LogLik(theta []float64) float64 { return b.evaluate(theta, nil) }

// LogLikGrad returns LogLik and writes its gradient to grad, of length Dim;
// zeros if theta is not finite.
func (b *Bound) LogLikGrad(theta, grad []float64) float64 {
	clear(grad[:b.Dim()])
	return b.evaluate(theta, grad)
}

// evaluate sums over the choices. A nil grad is not computed.
func (b *Bound) evaluate(theta, grad []float64) float64 {
	if !isFinite(theta[:b.Dim()]) {
		return math.NaN()
	}
	e := b.spaces.Get().(*evaluation)
	defer b.spaces.Put(e)
	clear(e.gradients)
	e.total, e.gradient = 0, grad != nil
	for i := range b.groups {
		g := &b.groups[i]
		b.plan.firstBias(e.bias, theta, g.choice)
		if g.root != nil {
			e.addPanel(g, g.root)
		} else {
			e.addTrials(g, 0, len(g.rt)/lanes)
		}
	}
	copy(grad, e.gradients)
	return e.total
}

// evaluation holds the state of one evaluation.
type evaluation struct {
	*workspace
	plan      *plan
	tolerance float64 // tolerance of Tabulate
	gradient  bool    // whether the gradient is wanted
	total     float64 // sum of the outputs so far
}

// addTrials adds the blocks first to last-1 of g, trial by trial.
func (e *evaluation) addTrials(g *group, first, last int) {
	for at := first * lanes; at < last*lanes; at += lanes {
		e.plan.value(e.workspace, g.rt[at:at+lanes])
		e.addBlock(g.weight[at : at+lanes])
	}
}

// addPanel adds the trials of p, an interval of response times, by interpolation if the network is smooth on p. Otherwise it adds the two
// halves of p.
func (e *evaluation) addPanel(g *group, p *panel) {
	if p.rt == nil {
		e.addTrials(g, p.first, p.last)
		return
	}
	e.plan.value(e.workspace, p.rt)
	if smooth(e.out[:lanes], e.tolerance) {
		e.addBlock(p.weight)
		return
	}
	e.addPanel(g, p.left)
	e.addPanel(g, p.right)
}

// addBlock adds the outputs of the block that was evaluated last, and their gradient, each trial times its weight.
func (e *evaluation) addBlock(weight []float64) {
	for lane, x := range e.out[:lanes] {
		e.total += weight[lane] * float64(x)
	}
	if e.gradient {
		e.plan.gradient(e.workspace, weight)
	}
}
