// Package applied uses expressions on a study of real participants. It fits one hierarchical regression under the exact density, which
// is the reference, under further models, and under each expression that recovers all parameters. Then it compares the estimates of
// participants with those under the reference.
//
//	verdicts ─Passing─▶ Candidates ─Job.Run─▶ a Fit each ─Compare─▶ Summary
//
// A fit is a unit of work: a line of a file, from which an interrupted run goes on.
package applied

import (
	"errors"
	"fmt"
	"slices"

	"likc/runtime/fit"
	"likc/runtime/fit/nuts"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/search/study/judge"
	"likc/search/study/sweep"
)

// Settings say which regression is fitted, and how. A study is a preset, or formulas with links and priors.
type Settings struct {
	Preset   string   `json:"preset,omitempty"`
	Formulas []string `json:"formulas,omitempty"`
	Links    []string `json:"links,omitempty"`
	Priors   []string `json:"priors,omitempty"`
	Group    string   `json:"group"` // column of the participants, for a preset

	Chains int          `json:"chains"`
	Warmup int          `json:"warmup"`
	Draws  int          `json:"draws"`
	Seed   uint64       `json:"seed"`
	Limit  int          `json:"max_gradients,omitempty"` // most gradients of a fit's chains together; 0: no limit. A fit that needs more fails
	Engine bound.Engine `json:"engine,omitempty"`        // engine of expressions
	// Sampler are settings of the sampler without flags of their own here; Chains and the others replace theirs.
	Sampler nuts.Settings `json:"-"`
}

// DefaultLimit is some six times what the exact density needs on the paper's study. An expression with cusps, on which chains hardly
// move, needs ten times as many again.
const DefaultLimit = 800_000

// Spec is what is fitted with a model.
func (s *Settings) Spec(m *catalog.Model) (*fit.Spec, error) {
	spec, err := fit.NewSpec(m, fit.Wishes{Preset: s.Preset, Formulas: s.Formulas, Links: s.Links, Priors: s.Priors, Group: s.Group})
	if err != nil {
		return nil, err
	}
	if !spec.Grouped() {
		return nil, errors.New("formula: none has a term such as (1 | subj_idx): there are no participants to compare")
	}
	return spec, nil
}

// Study names the study: its preset, or "formulas".
func (s *Settings) Study() string {
	if s.Preset != "" {
		return s.Preset
	}
	return "formulas"
}

// Kind says why a likelihood is among those that are fitted.
type Kind string

// The kinds. Estimates of all others are compared with those of the reference.
const (
	Reference  Kind = "reference"
	Model      Kind = "model"
	Expression Kind = "expression"
)

// Candidate is a likelihood that the study is fitted under.
type Candidate struct {
	judge.Entry
	Kind    Kind
	Verdict *judge.Verdict // verdict on an expression: it passed
}

// Named returns the candidates of models' names, the first of which is the reference.
func Named(names []string, open judge.Opener) (all []Candidate, err error) {
	for i, name := range names {
		e, err := judge.OfModel(name, open)
		if err != nil {
			return nil, err
		}
		kind := Model
		if i == 0 {
			kind = Reference
		}
		all = append(all, Candidate{Entry: e, Kind: kind})
	}
	return all, nil
}

// Passing returns the expressions that recover all parameters, of files of verdicts, the best by their weakest correlation first, each
// canonical form once; at most top, or all if top is 0. Files without a verdict add nothing.
func Passing(files []string, top int, open judge.Opener) (all []Candidate, err error) {
	var passed []*judge.Verdict
	for _, path := range files {
		verdicts, err := sweep.Verdicts(path)
		if err != nil && !errors.Is(err, sweep.ErrNone) {
			return nil, err
		}
		passed = append(passed, slices.DeleteFunc(verdicts, func(v *judge.Verdict) bool { return !v.Pass || v.Expr == "" })...)
	}
	judge.Rank(passed)
	var entries []judge.Entry
	for _, v := range passed {
		e, err := v.Again(open)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.Model, err)
		}
		entries = append(entries, e)
	}
	for i, first := range judge.Duplicates(entries) {
		if i == first && (top == 0 || len(all) < top) {
			all = append(all, Candidate{Entry: entries[i], Kind: Expression, Verdict: passed[i]})
		}
	}
	return all, nil
}

// Check reports a candidate that the study or the trials of the reference do not suit.
func Check(all []Candidate, s *Settings) error {
	of := all[0].Model
	for _, c := range all {
		if _, err := s.Spec(c.Model); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		if !slices.Equal(c.Model.Trials, of.Trials) || (c.Model.Choice == "") != (of.Choice == "") {
			return fmt.Errorf("%s reads other columns of trials than %s", c.Name, all[0].Name)
		}
	}
	return nil
}
