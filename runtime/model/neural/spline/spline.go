// Package spline evaluates a neural likelihood that needs one network pass per parameter vector θ and choice. log p(rt, c | θ) is
// the sum of log P(c | θ), by a classifier, and the log density of the decision time rt - t. The latter is a monotone
// rational-quadratic spline whose shape a network computes from θ. So 1,000 trials at one θ cost two network passes and 1,000
// evaluations of a spline, with an analytic gradient. Training uses simulated trials only.
//
// A race of accumulators has a pass for each of its choices, as two boundaries have for theirs: see package frame.
//
// By construction, the density of each choice integrates to its probability, and the probabilities sum to 1.
// The density is smooth, except that its second derivatives jump at the knots.
package spline

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"likc/runtime/model/neural/classify"
	"likc/runtime/model/neural/frame"
	"likc/runtime/model/neural/network"
	"likc/runtime/model/ssm"
)

// Spline is a trained neural likelihood. It never changes and is safe for concurrent use.
type Spline struct {
	frame  *frame.Frame         // maps parameters to inputs of the networks
	shape  *network.Double      // network that computes the shape of the first choice's curve
	class  *classify.Classifier // computes the probabilities of the choices
	bins   int                  // number of bins of the spline
	nets   [2]*network.Network  // the networks of shape and class, as they were trained
	spaces chan *space          // working memory that no evaluation uses; unlike a sync.Pool, the channel keeps it during garbage collections
}

// New makes the likelihood of a model from two networks: shape computes the first choice's curve, and choice the classifier's
// output.
func New(m *ssm.Model, shape, choice *network.Network) (*Spline, error) {
	if err := m.CheckTeachable(); err != nil {
		return nil, fmt.Errorf("spline: %w", err)
	}
	f := frame.New(m)
	bins := (shape.Outputs() - Outputs(0)) / 3
	switch {
	case shape.Inputs() != f.Inputs() || choice.Inputs() != f.Inputs():
		return nil, fmt.Errorf("spline: networks of %d and %d inputs, want the %d of %s", shape.Inputs(), choice.Inputs(), f.Inputs(), m.Name)
	case bins < 1 || bins > MaxBins || shape.Outputs() != Outputs(bins):
		return nil, fmt.Errorf("spline: a network of %d outputs shapes no curve", shape.Outputs())
	case choice.Outputs() != 1:
		return nil, fmt.Errorf("spline: a choice network of %d outputs, want 1", choice.Outputs())
	}
	s := &Spline{spaces: make(chan *space, keptSpaces), frame: f, shape: shape.Double(), class: classify.New(f, choice), bins: bins,
		nets: [2]*network.Network{shape, choice}}
	return s, nil
}

// Networks returns the network that shapes the curve of the first choice, and the classifier's.
func (s *Spline) Networks() (shape, choice *network.Network) { return s.nets[0], s.nets[1] }

// Frame returns what maps parameters to inputs of the networks.
func (s *Spline) Frame() *frame.Frame { return s.frame }

// Bins returns the number of bins of the curve.
func (s *Spline) Bins() int { return s.bins }

// MaxBins is the largest number of bins in a file. The sum of MaxBins least shares is less than 1.
const MaxBins = 200

// Read decodes the bytes that Write made, for the model m.
func Read(m *ssm.Model, data []byte) (*Spline, error) {
	if len(data) < 8 {
		return nil, errors.New("spline: cut short")
	}
	size := binary.LittleEndian.Uint64(data)
	data = data[8:]
	if size > uint64(len(data)) {
		return nil, errors.New("spline: cut short")
	}
	var shape, choice network.Network
	if err := shape.UnmarshalBinary(data[:size]); err != nil {
		return nil, fmt.Errorf("spline: shape: %w", err)
	}
	if err := choice.UnmarshalBinary(data[size:]); err != nil {
		return nil, fmt.Errorf("spline: choice: %w", err)
	}
	return New(m, &shape, &choice)
}

// Write encodes the two networks of a likelihood as bytes.
func Write(shape, choice *network.Network) ([]byte, error) {
	first, err := shape.MarshalBinary()
	if err != nil {
		return nil, err
	}
	second, err := choice.MarshalBinary()
	if err != nil {
		return nil, err
	}
	data := binary.LittleEndian.AppendUint64(nil, uint64(len(first)))
	return append(append(data, first...), second...), nil
}

// space is the working memory of one evaluation.
type space struct {
	trace     *network.Trace  // memory of the network for mostSides passes
	class     *classify.Trace // memory of the classifier
	curve     *Curve          // the density of decision times for one choice
	sums      *Sums           // derivatives with respect to the curve's shape
	view      []float64       // parameters, transformed for one choice
	x, dx, dy []float64       // inputs of the shape network, and derivatives with respect to its inputs and outputs: a row for each pass
	logits    []float64       // derivatives with respect to the logits
	logs      []float64       // log probabilities of the choices, for each run
	weights   []float64       // for each choice, the probability that it is made after the deadline
	theta     []float64       // parameters of runs
	runs      []run           // sequences of neighbouring trials with the same parameters
}

// mostSides is the number of passes through the shape network that are made at once: few enough for all intermediate results to stay
// in cache. Half as many parameter vectors share passes through the classifier.
const mostSides = 20

// keptSpaces is the largest number of spaces kept for reuse. If more evaluations run at a time, some allocate.
const keptSpaces = 64

func (s *Spline) acquireSpace() *space {
	select {
	case w := <-s.spaces:
		return w
	default:
		return s.newSpace()
	}
}

func (s *Spline) releaseSpace(w *space) {
	select {
	case s.spaces <- w:
	default:
	}
}

func (s *Spline) newSpace() *space {
	n, choices, logits := mostSides*s.frame.Inputs(), len(s.frame.Model.Choices), mostSides/2*s.class.Logits()
	return &space{
		trace: s.shape.NewTrace(mostSides), class: s.class.NewTrace(mostSides / 2), curve: NewCurve(s.bins), sums: NewSums(s.bins),
		view: make([]float64, s.frame.Model.Dim()), logits: make([]float64, logits), logs: make([]float64, mostSides/2*choices),
		weights: make([]float64, choices), theta: make([]float64, mostSides/2*s.frame.Model.Dim()), runs: make([]run, 0, mostSides/2),
		x: make([]float64, n), dx: make([]float64, n), dy: make([]float64, mostSides*Outputs(s.bins)),
	}
}

// shapeAt computes w's curve for choice number k at theta.
func (s *Spline) shapeAt(w *space, theta []float64, k int) {
	x := w.x[:s.frame.Inputs()]
	s.fill(w, x, theta, k)
	w.curve.Set(s.shape.Forward(w.trace, x))
}

// fill sets x to the inputs of the shape network for choice number k at theta.
func (s *Spline) fill(w *space, x, theta []float64, k int) {
	s.frame.View(w.view, theta, k)
	s.frame.Fill(x, w.view, k)
}

// Distribution returns P(RT ≤ rt | theta, choice), for a choice of the model.
func (s *Spline) Distribution(rt, choice float64, theta []float64) float64 {
	tau := rt - s.frame.Onset(theta)
	if !(tau > 0) {
		return 0
	}
	w := s.acquireSpace()
	defer s.releaseSpace(w)
	s.shapeAt(w, theta, slices.Index(s.frame.Model.Choices, choice))
	return w.curve.distribution(tau)
}
