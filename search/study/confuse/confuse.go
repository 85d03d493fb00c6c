// Package confuse asks whether data can tell models apart. It simulates subjects from each model, fits every subject with all
// models, and counts how often PSIS-LOO prefers each model.
//
//	Plan: subjects of each model, a fit by every model ─Run─▶ a Subject for each ─▶ Summary: a row of counts for each model
//
// The matrix of shares is the confusion matrix of [wilson2019], Wilson and Collins: Ten simple rules for the computational modeling of
// behavioral data. eLife 8 (2019), e49547.
package confuse

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"likc/runtime/fit/loo"
	"likc/runtime/model/catalog"
	"likc/runtime/num/finite"
	"likc/search/study"
)

// These are the smallest and the largest number of models that can be compared.
const (
	FewestModels = 2
	MostModels   = 20
)

// Plan holds the models and their settings. It is a source of subjects, and a fitter that fits a subject with all models.
type Plan struct {
	study.Settings // Subjects is the number of subjects of each model
	models         []*catalog.Model
	subjects       []*study.Subjects // subjects of each model
}

// New prepares the models. It returns an error if their data differ in form, if one is no density or cannot be simulated, or for
// priors, ranges and fixed values of parameters that no model has. Each model gets the settings of its own parameters. Close
// releases the plan.
func New(models []*catalog.Model, s study.Settings) (*Plan, error) {
	if err := comparable(models); err != nil {
		return nil, err
	}
	if err := s.CheckNames(models); err != nil {
		return nil, err
	}
	p := &Plan{Settings: s, models: models}
	for _, m := range models {
		subjects, err := study.NewSubjects(m, s.For(m))
		if err != nil {
			return nil, errors.Join(err, p.Close())
		}
		subjects.LOO = true
		p.subjects = append(p.subjects, subjects)
		if why := subjects.NotDensity(); why != "" {
			return nil, errors.Join(errors.New(why), p.Close())
		}
	}
	return p, nil
}

// Close releases the models' code.
func (p *Plan) Close() error {
	var err error
	for _, s := range p.subjects {
		err = errors.Join(err, s.Close())
	}
	return err
}

// comparable returns an error if the trials of one model cannot be fitted with another model.
func comparable(models []*catalog.Model) error {
	if len(models) < FewestModels || len(models) > MostModels {
		return fmt.Errorf("%d models: want %d to %d", len(models), FewestModels, MostModels)
	}
	first := models[0]
	for i, m := range models {
		if len(m.Trials) != 1 {
			return fmt.Errorf("%s: has %d trial columns; want models of response times alone, with or without a choice", m.Name, len(m.Trials))
		}
		if slices.ContainsFunc(models[:i], func(other *catalog.Model) bool { return other.Name == m.Name }) {
			return fmt.Errorf("%s: two models have this name", m.Name)
		}
		if !slices.Equal(m.Codes(), first.Codes()) {
			return fmt.Errorf("%s: has %s, but %s has %s: only models of the same choices can be compared", m.Name, choices(m), first.Name, choices(first))
		}
	}
	return nil
}

func choices(m *catalog.Model) string {
	if len(m.Codes()) == 0 {
		return "no choice"
	}
	return "the choices " + strings.Trim(fmt.Sprint(m.Codes()), "[]")
}

// Subject is the result of one simulated subject.
type Subject struct {
	ELPD        []finite.Number `json:"elpd"`    // PSIS-LOO estimate of each model
	Best        int             `json:"best"`    // the model with the highest elpd, counted from 0; -1 if a fit failed
	Diff        finite.Number   `json:"diff"`    // elpd of the best model minus that of the next one
	DiffSE      finite.Number   `json:"diff_se"` // standard error of Diff, from the differences trial by trial
	KBad        int             `json:"k_bad"`   // number of trials whose Pareto k̂ is too high in any fit; their contributions to elpd may be far off
	Rhat        finite.Number   `json:"rhat"`    // largest R-hat of all fits and parameters
	Divergences int             `json:"divergences"`
	Error       string          `json:"error,omitempty"` // why there is no best model
}

// Clear reports whether the best model is clearly better than the next one: elpd differs by more than 4 and by more than two
// standard errors.
func (s *Subject) Clear() bool { return s.Diff > 4 && s.Diff > 2*s.DiffSE }

// N returns the number of subjects of all models.
func (p *Plan) N() int { return len(p.models) * p.Subjects }

// Case simulates subject i%Subjects of model i/Subjects.
func (p *Plan) Case(ctx context.Context, i int) (study.Case, error) {
	return p.subjects[i/p.Subjects].Case(ctx, i%p.Subjects)
}

// Fit fits a subject with all models. It stops at the first model that cannot be fitted or compared.
func (p *Plan) Fit(ctx context.Context, c *study.Case) (*study.Fitted, error) {
	all := &study.Fitted{}
	for k, s := range p.subjects {
		f, err := s.Fit(ctx, c)
		if err == nil && f.Result.LOO == nil {
			err = errors.New(f.Result.Summary.Prediction.Missing)
		}
		if err != nil {
			return all, fmt.Errorf("%s: %w", p.models[k].Name, err)
		}
		all.Several = append(all.Several, f)
	}
	return all, nil
}

// compare finds the best model of a subject, and the difference to the next one.
func (p *Plan) compare(_ *study.Case, f *study.Fitted) Subject {
	nan := finite.Number(math.NaN())
	out := Subject{Best: -1, Diff: nan, DiffSE: nan, Rhat: nan}
	var names []string
	var predictions []*loo.Result
	for k, m := range p.models {
		if k >= len(f.Several) {
			out.ELPD = append(out.ELPD, nan)
			continue
		}
		r := f.Several[k].Result
		out.ELPD = append(out.ELPD, r.Summary.LOO.ELPD)
		out.KBad += r.Summary.LOO.KBad
		out.Divergences += r.Summary.Divergences
		for _, param := range r.Summary.Params {
			out.Rhat = worse(out.Rhat, finite.Number(param.Rhat))
		}
		names, predictions = append(names, m.Name), append(predictions, r.LOO)
	}
	err := f.Err
	if err == nil {
		err = out.prefer(names, predictions)
	}
	if err != nil {
		out.Error = err.Error()
	}
	return out
}

// prefer sets the best model.
func (s *Subject) prefer(names []string, predictions []*loo.Result) error {
	rows, err := loo.Compare(names, predictions)
	if err != nil {
		return err
	}
	if best := rows[0].ELPD; math.IsNaN(best) || math.IsInf(best, 0) {
		return fmt.Errorf("elpd of the best model is %v", best)
	}
	s.Best, s.Diff, s.DiffSE = slices.Index(names, rows[0].Name), finite.Number(rows[1].Diff), finite.Number(rows[1].DiffSE)
	return nil
}

// worse returns the larger of two figures, ignoring NaN.
func worse(a, b finite.Number) finite.Number {
	if !(a >= b) {
		return b
	}
	return a
}
