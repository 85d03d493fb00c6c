// Package applied uses expressions on a study of real participants. It fits one hierarchical regression with several likelihoods:
// the exact density, which is the reference; further models; and each expression that recovers all parameters. Then it compares the
// estimates of participants with the reference's estimates.
//
//	verdicts ─Passing─▶ Candidates ─Job.Run─▶ a Fit each ─Compare─▶ Summary
//
// Each fit is a line of a file, from which an interrupted run continues.
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

// Settings determine the regression and how it is fitted. A study is a preset, or formulas with links and priors.
type Settings struct {
	Preset   string   `json:"preset,omitempty"`
	Formulas []string `json:"formulas,omitempty"`
	Links    []string `json:"links,omitempty"`
	Priors   []string `json:"priors,omitempty"`
	Group    string   `json:"group"` // for a preset: the column of the participants

	Chains int          `json:"chains"`
	Warmup int          `json:"warmup"`
	Draws  int          `json:"draws"`
	Seed   uint64       `json:"seed"`
	Limit  int          `json:"max_gradients,omitempty"` // largest number of gradients of all chains of a fit; 0: no limit. A fit that needs more fails
	Engine bound.Engine `json:"engine,omitempty"`        // the engine that evaluates expressions
	// Sampler holds the sampler's settings that have no flags of their own. Chains and the other fields above replace those in
	// Sampler.
	Sampler nuts.Settings `json:"-"`
}

// DefaultLimit is about six times the number of gradients that the exact density needs on the paper's study. An expression with
// cusps, on which chains hardly move, needs another ten times as many.
const DefaultLimit = 800_000

// Spec returns the fit's specification for a model.
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

// Study returns the name of the study: its preset, or "formulas".
func (s *Settings) Study() string {
	if s.Preset != "" {
		return s.Preset
	}
	return "formulas"
}

// Kind is the reason why a likelihood is one of the candidates.
type Kind string

// These are the kinds. Estimates of models and expressions are compared with those of the reference.
const (
	Reference  Kind = "reference"
	Model      Kind = "model"
	Expression Kind = "expression"
)

// Candidate is a likelihood with which the study is fitted.
type Candidate struct {
	judge.Entry
	Kind    Kind
	Verdict *judge.Verdict // verdict on an expression; nil for a model
}

// Named returns the candidates with the given model names. The first is the reference.
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

// Passing returns the expressions that recover all parameters, from files of verdicts. Those with the highest weakest correlation
// come first, and each canonical form comes once. It returns at most top expressions, or all if top is 0. Files without a verdict
// add nothing.
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
		e, err := v.Entry(open)
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

// Check returns an error if a candidate does not fit the study, or its trials differ in form from the reference's.
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
