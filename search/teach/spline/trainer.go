// Package spline trains the two networks of the neural likelihood in package runtime/model/neural/spline: the one that shapes the
// spline, and the classifier of choices.
package spline

import (
	"fmt"
	"math/rand/v2"

	"likc/runtime/model/neural/network"
	"likc/runtime/model/neural/spline"
	"likc/search/teach/classify"
	"likc/search/teach/corpus"
	"likc/search/teach/train"
)

// Settings holds the sizes of a spline teacher's networks and how they are trained.
type Settings struct {
	Hidden       []int          `json:"hidden"` // widths of the shape network's hidden layers, SiLU
	Bins         int            `json:"bins"`   // number of the spline's pieces
	Density      train.Settings `json:"density"`
	ChoiceHidden []int          `json:"choice_hidden"` // widths of the classifier's hidden layers, tanh
	Choice       train.Settings `json:"choice"`
}

// Defaults returns the settings of the default teacher.
func Defaults() Settings {
	return Settings{
		Hidden: []int{64, 64, 64}, Bins: 10,
		Density:      train.Settings{Epochs: 40, Batch: 128, Rate: 2e-3, Patience: 15},
		ChoiceHidden: []int{32, 32},
		Choice:       train.Settings{Epochs: 60, Batch: 256, Rate: 3e-3, Patience: 20},
	}
}

// Trainer trains a spline teacher.
type Trainer struct {
	settings      Settings
	shape, choice *network.Network
	stages        []train.Stage
}

// NewTrainer draws the networks' initial weights from the seed and prepares the corpus for training.
func NewTrainer(c *corpus.Corpus, s Settings, seed uint64, threads int) (*Trainer, error) {
	if s.Bins < 1 || s.Bins > spline.MaxBins {
		return nil, fmt.Errorf("bins %d: want 1 to %d", s.Bins, spline.MaxBins)
	}
	t := &Trainer{settings: s}
	var err error
	if t.shape, err = network.New(sizes(c.Frame.Inputs(), s.Hidden, spline.Outputs(s.Bins)), network.SiLU, network.Linear); err != nil {
		return nil, err
	}
	if t.choice, err = network.New(sizes(c.Frame.Inputs(), s.ChoiceHidden, 1), network.Tanh, network.Linear); err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(seed, initStream))
	t.choice.Init(r, 1)
	t.shape.Init(r, 0.1)
	density := newLearner(c, t.shape, s.Bins, threads)
	density.setBiases()
	t.stages = []train.Stage{
		{Name: "choice", Settings: s.Choice, Learner: classify.NewLearner(c, t.choice, threads)},
		{Name: "density", Settings: s.Density, Learner: density},
	}
	return t, nil
}

// initStream is the number of the random stream that initial weights are drawn from.
const initStream = 1 << 63

func sizes(inputs int, hidden []int, outputs int) []int {
	return append(append([]int{inputs}, hidden...), outputs)
}

// Stages returns the networks to train, in order.
func (t *Trainer) Stages() []train.Stage { return t.stages }

// MarshalBinary encodes the teacher's weights; runtime/model/neural/spline reads them.
func (t *Trainer) MarshalBinary() ([]byte, error) { return spline.Write(t.shape, t.choice) }
