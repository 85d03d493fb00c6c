// Package teacher trains neural likelihoods of several kinds. It writes the folders that package runtime/model/neural reads.
package teacher

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"likc/runtime/model/ssm"
	"likc/search/study/bank"
	"likc/search/teach/corpus"
	"likc/search/teach/spline"
	"likc/search/teach/train"
)

// Trainer trains one teacher.
type Trainer interface {
	Stages() []train.Stage
	MarshalBinary() ([]byte, error) // the content of weights.bin
}

// Kind is a kind of teacher: its default sizes and how it is trained.
type Kind struct {
	Name     string
	About    string // one line of help
	Subjects int    // default number of subjects in the training bank
	Trials   int    // default number of trials of each subject
	// Boundaries says that this kind learns only processes with two boundaries.
	Boundaries bool
	Defaults   func() any // returns the kind's default settings
	// Scale sets the number of epochs of the longest stage.
	Scale func(settings json.RawMessage, epochs int) (json.RawMessage, error)
	Train func(c *corpus.Corpus, p *Plan, threads int) (Trainer, error)
}

// kinds lists the kinds of teachers, the default one first.
var kinds = []Kind{splineKind, flowKind, lanKind}

// Kinds returns the kinds of teachers in a fixed order, the default one first.
func Kinds() []Kind { return kinds }

// KindNamed returns the kind with the given name.
func KindNamed(name string) (Kind, error) {
	var names []string
	for _, k := range kinds {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Kind{}, fmt.Errorf("kind %q: unknown; there are %s", name, strings.Join(names, ", "))
}

var splineKind = Kind{
	Name: "spline", About: "one network pass per parameter set and choice shapes a monotone spline", Subjects: 40000, Trials: 200,
	Defaults: func() any { return spline.Defaults() },
	Scale: func(settings json.RawMessage, epochs int) (json.RawMessage, error) {
		return change(settings, func(s *spline.Settings) { s.Density.Epochs = epochs })
	},
	Train: func(c *corpus.Corpus, p *Plan, threads int) (Trainer, error) {
		return trainWith(p.Settings, func(s spline.Settings) (*spline.Trainer, error) { return spline.NewTrainer(c, s, p.Seed, threads) })
	},
}

// change decodes settings, lets edit change them, and encodes them again.
func change[S any](settings json.RawMessage, edit func(*S)) (json.RawMessage, error) {
	var s S
	if err := json.Unmarshal(settings, &s); err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	edit(&s)
	return json.Marshal(s)
}

// trainWith decodes a kind's settings and passes them to start, which constructs its trainer.
func trainWith[S any, T Trainer](settings json.RawMessage, start func(S) (T, error)) (Trainer, error) {
	var s S
	if err := json.Unmarshal(settings, &s); err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	return start(s)
}

// Plan holds everything that determines a training run.
type Plan struct {
	Kind     string          `json:"kind"`
	Model    string          `json:"model"`
	Seed     uint64          `json:"seed"`
	Settings json.RawMessage `json:"settings"`
	Bank     bank.Settings   `json:"bank"`
	Sum      string          `json:"sha256"`           // the hash of the bank's numbers, set when the bank is simulated or read
	Dir      string          `json:"dir,omitempty"`    // the folder that the bank is read from; "" if the bank is simulated
	Labels   string          `json:"labels,omitempty"` // the folder of the teacher that a lan learns from
}

// absolute makes the paths of the plan's folders absolute, so that a checkpoint can be resumed from any working folder. The finished
// teacher does not record these paths.
func (p *Plan) absolute() error {
	for _, dir := range []*string{&p.Dir, &p.Labels} {
		if *dir == "" {
			continue
		}
		at, err := filepath.Abs(*dir)
		if err != nil {
			return err
		}
		*dir = at
	}
	return nil
}

// NewPlan returns the plan of a kind's default teacher of a process that comes with likc.
func NewPlan(kind, model string, seed uint64) (Plan, error) {
	m, err := ssm.Lookup(model)
	if err != nil {
		return Plan{}, err
	}
	return PlanOf(kind, m, seed)
}

// PlanOf returns the plan of a kind's default teacher of a process.
func PlanOf(kind string, m *ssm.Model, seed uint64) (Plan, error) {
	k, err := KindNamed(kind)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Kind: kind, Model: m.Name, Seed: seed}
	if p.Bank, err = bank.SettingsOf("teacher-train", m, "", seed); err != nil {
		return p, err
	}
	err = m.CheckTeachable()
	if err == nil && k.Boundaries {
		if err = m.CheckBoundaries(); err != nil {
			err = fmt.Errorf("kind %s: %w", kind, err)
		}
	}
	if err != nil {
		return p, err
	}
	p.Bank.Subjects = k.Subjects
	p.Bank.SetTrials(k.Trials)
	p.Settings, err = json.Marshal(k.Defaults())
	return p, err
}
