// Package confuse asks whether data tell models apart. It simulates subjects from each model, fits every subject with all models, and
// counts for how many subjects PSIS-LOO prefers which model.
//
//	Plan ─Subject(i)─▶ one model's parameters and trials, a fit by each model ─Summarise─▶ a row of counts a model
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
	"likc/search/study/recovery"
)

// The smallest and largest number of models that are compared.
const (
	FewestModels = 2
	MostModels   = 20
)

// Plan is models with settings, ready for their subjects. It is safe for concurrent use.
type Plan struct {
	recovery.Settings // Subjects: of each model
	models            []*catalog.Model
	plans             []*recovery.Plan
}

// New prepares the models. It fails where their data differ in form, where one is no density or cannot be simulated, and for priors,
// ranges and fixed values of parameters that no model has. A model is given those of its own parameters. Close releases the plan.
func New(models []*catalog.Model, s recovery.Settings) (*Plan, error) {
	if err := comparable(models); err != nil {
		return nil, err
	}
	if err := s.CheckNames(models); err != nil {
		return nil, err
	}
	p := &Plan{Settings: s, models: models}
	for _, m := range models {
		plan, err := recovery.New(m, s.Of(m))
		if err != nil {
			return nil, errors.Join(err, p.Close())
		}
		p.plans = append(p.plans, plan)
		if why := plan.NotDensity(); why != "" {
			return nil, errors.Join(errors.New(why), p.Close())
		}
	}
	return p, nil
}

// Close releases what was loaded for the models.
func (p *Plan) Close() error {
	var err error
	for _, plan := range p.plans {
		err = errors.Join(err, plan.Close())
	}
	return err
}

// Units is the number of subjects of all models.
func (p *Plan) Units() int { return len(p.models) * p.Subjects }

// comparable says why trials of one model cannot be fitted with another.
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

// Subject is what came of one simulated subject.
type Subject struct {
	ELPD        []finite.Number `json:"elpd"`    // PSIS-LOO by model
	Best        int             `json:"best"`    // the model with the highest elpd, counted from 0; -1 if a fit failed
	Diff        finite.Number   `json:"diff"`    // between its elpd and the next
	DiffSE      finite.Number   `json:"diff_se"` // from the differences trial by trial
	KBad        int             `json:"k_bad"`   // trials whose Pareto k̂ is too high in any fit: their part of elpd may be far off
	Rhat        finite.Number   `json:"rhat"`    // the worst of all fits and parameters
	Divergences int             `json:"divergences"`
	Error       string          `json:"error,omitempty"` // why there is no best model
}

// Clear reports whether the best model is clearly better than the next: elpd differs by more than 4 and by more than two standard errors.
func (s *Subject) Clear() bool { return s.Diff > 4 && s.Diff > 2*s.DiffSE }

// Subject simulates subject i%Subjects of model i/Subjects and fits all models to it. Its numbers depend on the settings and on i alone.
// The error is the context's; what else goes wrong is the subject's own Error.
func (p *Plan) Subject(ctx context.Context, i int) (Subject, error) {
	nan := finite.Number(math.NaN())
	out := Subject{Best: -1, Diff: nan, DiffSE: nan, Rhat: nan}
	for range p.models {
		out.ELPD = append(out.ELPD, nan)
	}
	err := p.fit(ctx, &out, i/p.Subjects, i%p.Subjects)
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	if err != nil {
		out.Error = err.Error()
	}
	return out, nil
}

func (p *Plan) fit(ctx context.Context, out *Subject, model, subject int) error {
	_, data, err := p.plans[model].Simulate(ctx, fmt.Sprintf("subject %d of %s", subject, p.models[model].Name))
	if err != nil {
		return err
	}
	var names []string
	var predictions []*loo.Result
	for k, plan := range p.plans {
		r, err := plan.Fit(ctx, data, recovery.WithLOO)
		if err == nil && r.LOO == nil {
			err = errors.New(r.Summary.Prediction.Missing)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.models[k].Name, err)
		}
		out.ELPD[k] = r.Summary.LOO.ELPD
		out.KBad += r.Summary.LOO.KBad
		out.Divergences += r.Summary.Divergences
		for _, param := range r.Summary.Params {
			out.Rhat = worse(out.Rhat, finite.Number(param.Rhat))
		}
		names, predictions = append(names, p.models[k].Name), append(predictions, r.LOO)
	}
	return out.compare(names, predictions)
}

// compare finds the best model, and how far the next is behind.
func (s *Subject) compare(names []string, predictions []*loo.Result) error {
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

// worse is the larger of two figures; NaN says nothing.
func worse(a, b finite.Number) finite.Number {
	if !(a >= b) {
		return b
	}
	return a
}
