package lan

import (
	"bytes"
	"fmt"
	"math/rand/v2"

	"likc/runtime/model/neural/network"
	"likc/search/teach/corpus"
	"likc/search/teach/train"
)

// Settings of the network and its training.
type Settings struct {
	Hidden []int          `json:"hidden"`                  // widths of the hidden layers, tanh
	Labels string         `json:"labels"`                  // the name of the teacher whose densities are learned; empty: kernels over the subject's trials
	Sum    string         `json:"labels_sha256,omitempty"` // the hash of that teacher's weights
	Fit    train.Settings `json:"fit"`
}

// Defaults are settings for some thousand subjects of some hundred trials.
func Defaults() Settings {
	return Settings{Hidden: Hidden(), Fit: train.Settings{Epochs: 40, Batch: 512, Rate: 1e-3}}
}

// Trainer is a network in training.
type Trainer struct {
	learner *Learner
	stages  []train.Stage
}

// NewTrainer draws the network from the seed and labels the points: by labels, or where that is nil by kernels.
func NewTrainer(c *corpus.Corpus, labels Density, s Settings, seed uint64, threads int) (*Trainer, error) {
	n, err := network.New(Sizes(c.Frame, s.Hidden), network.Tanh, network.Linear)
	if err != nil {
		return nil, err
	}
	if len(s.Hidden) == 0 {
		return nil, fmt.Errorf("hidden: no layer, want one at least")
	}
	n.Init(rand.New(rand.NewPCG(seed, 1<<63)), 1)
	n.OutputBias()[0] = -2 // a usual log density
	t := &Trainer{learner: NewLearner(c, labels, n, seed, threads)}
	t.stages = []train.Stage{{Name: "lan", Settings: s.Fit, Learner: t.learner}}
	return t, nil
}

// Stages are what is to be trained, in order.
func (t *Trainer) Stages() []train.Stage { return t.stages }

// MarshalBinary is the network in the format lan-mlp-json/1.
func (t *Trainer) MarshalBinary() ([]byte, error) {
	n, err := t.learner.Network()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = n.Write(&b)
	return b.Bytes(), err
}
