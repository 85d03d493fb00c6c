// Package flow trains the neural likelihood of package runtime/model/neural/flow: the velocity network of the flow, and a classifier of choices.
package flow

import (
	"fmt"
	"math/rand/v2"

	"likc/runtime/model/neural/flow"
	"likc/runtime/model/neural/network"
	"likc/search/teach/classify"
	"likc/search/teach/corpus"
	"likc/search/teach/train"
)

// Settings holds the sizes of a flow teacher's networks and how they are trained.
type Settings struct {
	Hidden       []int          `json:"hidden"` // widths of the velocity network's hidden layers, tanh
	Steps        int            `json:"steps"`  // steps of the flow's numerical integration
	Density      train.Settings `json:"density"`
	ChoiceHidden []int          `json:"choice_hidden"` // widths of the classifier's hidden layers, tanh
	Choice       train.Settings `json:"choice"`
}

// Defaults returns the paper's settings ("The neural likelihood: architecture, gate, and checks"). The paper's classifier batches
// have 1,024 trials; here they have 51 subjects of 20 trials.
func Defaults() Settings {
	return Settings{
		Hidden: Hidden(), Steps: flow.DefaultSteps,
		Density:      train.Settings{Epochs: 50, Batch: 512, Rate: 5e-4},
		ChoiceHidden: []int{32, 32},
		Choice:       train.Settings{Epochs: 30, Batch: 51, Rate: 1e-3},
	}
}

// Trainer trains a flow teacher: its velocity network and its classifier of choices.
type Trainer struct {
	settings Settings
	density  *Learner
	choice   *network.Network
	stages   []train.Stage
}

// initStream is the number of the random stream that initial weights are drawn from.
const initStream = 1 << 63

// NewTrainer draws the networks' initial weights from the seed and prepares the corpus for training.
func NewTrainer(c *corpus.Corpus, s Settings, seed uint64, threads int) (*Trainer, error) {
	if err := c.Frame.Model.CheckBoundaries(); err != nil {
		return nil, err
	}
	if s.Steps < 1 || s.Steps > flow.MaxSteps {
		return nil, fmt.Errorf("steps %d: want 1 to %d", s.Steps, flow.MaxSteps)
	}
	net, err := network.New(Sizes(c.Frame, s.Hidden), network.Tanh, network.Linear)
	if err != nil {
		return nil, err
	}
	choice, err := network.New(append(append([]int{c.Frame.Inputs()}, s.ChoiceHidden...), 1), network.Tanh, network.Linear)
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(seed, initStream))
	choice.Init(r, 1)
	net.Init(r, 0.1)
	t := &Trainer{settings: s, density: NewLearner(c, net, seed, threads), choice: choice}
	t.stages = []train.Stage{
		{Name: "choice", Settings: s.Choice, Learner: classify.NewLearner(c, choice, threads)},
		{Name: "density", Settings: s.Density, Learner: t.density},
	}
	return t, nil
}

// Stages returns the networks to train, in order.
func (t *Trainer) Stages() []train.Stage { return t.stages }

// MarshalBinary encodes the teacher's weights; runtime/model/neural/flow reads them.
func (t *Trainer) MarshalBinary() ([]byte, error) {
	return flow.Write(t.density.Centre, t.density.Scale, t.settings.Steps, t.density.Net, t.choice)
}
