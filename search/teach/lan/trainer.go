package lan

import (
	"bytes"
	"fmt"
	"math/rand/v2"

	"likc/runtime/model/neural/network"
	"likc/search/teach/corpus"
	"likc/search/teach/train"
)

// Settings holds the sizes of a lan teacher's network and how it is trained.
type Settings struct {
	Hidden []int          `json:"hidden"`                  // widths of the hidden layers, tanh
	Labels string         `json:"labels"`                  // name of the teacher whose densities the network learns; "": it learns kernel density estimates
	Sum    string         `json:"labels_sha256,omitempty"` // the hash of that teacher's weights
	Fit    train.Settings `json:"fit"`
}

// Defaults returns settings for several thousand subjects with several hundred trials each.
func Defaults() Settings {
	return Settings{Hidden: Hidden(), Fit: train.Settings{Epochs: 40, Batch: 512, Rate: 1e-3}}
}

// Trainer trains a lan teacher.
type Trainer struct {
	learner *Learner
	stages  []train.Stage
}

// NewTrainer draws the network's initial weights from the seed and computes the target log densities: from labels, or from kernel
// density estimates if labels is nil.
func NewTrainer(c *corpus.Corpus, labels Density, s Settings, seed uint64, threads int) (*Trainer, error) {
	n, err := network.New(Sizes(c.Frame, s.Hidden), network.Tanh, network.Linear)
	if err != nil {
		return nil, err
	}
	if len(s.Hidden) == 0 {
		return nil, fmt.Errorf("hidden: no layer, want one at least")
	}
	n.Init(rand.New(rand.NewPCG(seed, 1<<63)), 1)
	n.OutputBias()[0] = -2 // a typical log density
	t := &Trainer{learner: NewLearner(c, labels, n, seed, threads)}
	t.stages = []train.Stage{{Name: "lan", Settings: s.Fit, Learner: t.learner}}
	return t, nil
}

// Stages returns the network to train, as the only stage.
func (t *Trainer) Stages() []train.Stage { return t.stages }

// MarshalBinary encodes the network in the format lan-mlp-json/1.
func (t *Trainer) MarshalBinary() ([]byte, error) {
	n, err := t.learner.Network()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = n.Write(&b)
	return b.Bytes(), err
}
