package teacher

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"likc/runtime/model/neural"
	"likc/runtime/model/ssm"
	"likc/search/teach/corpus"
	"likc/search/teach/flow"
	"likc/search/teach/lan"
)

var flowKind = Kind{
	Name: "flow", Boundaries: true, About: "the paper's: a continuous flow by flow matching, integrated in 20 steps", Subjects: 15000, Trials: 20,
	Defaults: func() any { return flow.Defaults() },
	Scale: func(settings json.RawMessage, epochs int) (json.RawMessage, error) {
		return change(settings, func(s *flow.Settings) { s.Density.Epochs = epochs })
	},
	Train: func(c *corpus.Corpus, p *Plan, threads int) (Trainer, error) {
		return trainWith(p.Settings, func(s flow.Settings) (*flow.Trainer, error) { return flow.NewTrainer(c, s, p.Seed, threads) })
	},
}

var lanKind = Kind{
	Name: "lan", About: "a network of parameters, rt and choice, regressed on kernel densities or another teacher's", Subjects: 8000, Trials: 500,
	Defaults: func() any { return lan.Defaults() },
	Scale: func(settings json.RawMessage, epochs int) (json.RawMessage, error) {
		return change(settings, func(s *lan.Settings) { s.Fit.Epochs = epochs })
	},
	Train: func(c *corpus.Corpus, p *Plan, threads int) (Trainer, error) {
		return trainWith(p.Settings, func(s lan.Settings) (*lan.Trainer, error) {
			labels, err := labelsOf(p.Labels, s.Sum, c.Frame.Model)
			if err != nil {
				return nil, err
			}
			return lan.NewTrainer(c, labels, s, p.Seed, threads)
		})
	},
}

// labelsOf opens the teacher whose densities a lan learns; it returns nil if dir is empty. sum is the hash of that teacher's weights
// when the training was planned.
func labelsOf(dir, sum string, m *ssm.Model) (lan.Density, error) {
	switch {
	case dir == "" && sum != "":
		return nil, errors.New("the settings name a teacher to learn from, but not its folder: train again from the start")
	case dir == "":
		return nil, nil
	}
	o, err := neural.Open(dir)
	switch {
	case err != nil:
		return nil, err
	case o.Model != m.Name:
		return nil, fmt.Errorf("%s: a teacher of %s, want %s", dir, o.Model, m.Name)
	case o.Sum != sum:
		return nil, fmt.Errorf("%s: its weights have changed since the training was planned: train again from the start", dir)
	}
	return o, nil
}

// ErrUnlabelled says that a kind of teacher cannot learn from another teacher's densities.
var ErrUnlabelled = errors.New("learns from simulated trials")

// LearnFrom sets the teacher in the folder dir as the one whose densities a lan learns. Kinds other than lan give ErrUnlabelled.
func (p *Plan) LearnFrom(dir string) error {
	if p.Kind != lanKind.Name {
		return fmt.Errorf("kind %s: %w; lan alone learns from a teacher", p.Kind, ErrUnlabelled)
	}
	o, err := neural.Open(dir)
	if err != nil {
		return err
	}
	p.Labels = dir
	at, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	p.Settings, err = change(p.Settings, func(s *lan.Settings) { s.Labels, s.Sum = filepath.Base(at), o.Sum })
	return err
}
