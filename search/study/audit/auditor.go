package audit

import (
	"context"
	"errors"
	"fmt"

	"likc/compiler/expr"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/posterior"
	"likc/runtime/model/ssm"
	"likc/search/study"
	"likc/search/study/bank"
	"likc/search/study/judge"
	"likc/search/study/ppc"
)

// Auditor audits one model: the population argmax of each subject, and the recovery with each share of guesses.
type Auditor struct {
	src      *catalog.Model
	bank     *bank.Bank
	sim      ppc.Simulator
	settings Settings
	model    Model
	binder   *bound.Prepared
	bind     study.Bind // the likelihood to fit: the model, or its mixture with lapses
}

// Open prepares a model for its audit on a bank, whose simulator is sim. The function done releases it.
func Open(ctx context.Context, src *catalog.Model, b *bank.Bank, sim ppc.Simulator, settings Settings) (a *Auditor, done func() error, err error) {
	sim.Model = sim.Model.From(ctx)
	a = &Auditor{src: src, bank: b, sim: sim, settings: settings}
	a.model = Model{Name: src.Name, Onset: sim.Model.OnsetIndex()}
	for _, p := range b.Settings.Params {
		a.model.Params = append(a.model.Params, posterior.Parameter{Name: p.Name, Lower: p.Lower, Upper: p.Upper})
	}
	if a.binder, err = bound.Prepare(ctx, src, bound.Auto); err != nil {
		return nil, nil, err
	}
	a.bind = study.Binding(src, a.binder)
	if settings.Lapse != "" {
		if a.bind, err = withLapses(settings.Lapse, a.binder); err != nil {
			return nil, nil, errors.Join(err, a.binder.Close())
		}
	}
	if m, plain := src.Expression(); plain && !src.Normalise {
		mean, err := bound.Prepare(ctx, weighted(m), bound.Auto)
		if err != nil {
			return nil, nil, errors.Join(err, a.binder.Close())
		}
		a.model.Bind = func(p Population) (kernel.Sum, error) {
			return mean.Bind(kernel.Trials{Columns: [][]float64{p.RT, p.Weight}, Choice: p.Choice}, bound.Design{})
		}
		return a, func() error { return errors.Join(mean.Close(), a.binder.Close()) }, nil
	}
	a.model.Bind = func(p Population) (kernel.Sum, error) {
		return a.binder.Bind(kernel.Trials{Columns: [][]float64{p.RT}, Choice: p.Choice, Weight: p.Weight}, bound.Design{})
	}
	return a, a.binder.Close, nil
}

// weightSymbol is the name of a trial column for weights. No model in the language can have a column with this name.
const weightSymbol = "w_"

// weighted returns the model whose sum over trials is weighted. Compiled, it is faster than a weighted sum of rows.
func weighted(m *expr.Model) *catalog.Model {
	w := *m
	w.Name, w.Lets = m.Name+"_weighted", nil
	w.Trials = append(append([]string(nil), m.Trials...), weightSymbol)
	w.LogLik = expr.New(expr.Mul, expr.Var(weightSymbol), m.LogLik)
	return catalog.OfExpression(&w)
}

// Model returns the likelihood to audit.
func (a *Auditor) Model() Model { return a.model }

// hasDensity reports whether populations are computed by quadrature of an exact density.
func (a *Auditor) hasDensity() bool {
	return a.sim.Model.Density != nil && a.sim.Scheme == ssm.ExactScheme()
}

// Population describes how populations are computed.
func (a *Auditor) Population() string {
	if a.hasDensity() {
		return "exact density"
	}
	return fmt.Sprintf("%d simulated trials", a.settings.Sample)
}

// populations is the source of the bank's subjects, each with the population of its trials.
type populations struct {
	study.Source
	*Auditor
}

// Case returns a subject's population.
func (p populations) Case(ctx context.Context, i int) (study.Case, error) {
	c, err := p.Source.Case(ctx, i)
	if err != nil {
		return c, err
	}
	var of Population
	if p.hasDensity() {
		of = Exact(p.sim.Model, c.Truth, bank.Latest)
	} else {
		rng := ssm.NewRand(p.settings.Seed, uint64(c.ID))
		of, err = Simulated(p.sim.Model, p.sim.Scheme, rng, c.Truth, p.settings.Sample, bank.Latest)
	}
	c.Columns, c.Choice, c.Weight = [][]float64{of.RT}, of.Choice, of.Weight
	return c, err
}

// Recovery judges the model on the bank with a share of guesses.
func (a *Auditor) Recovery(ctx context.Context, share float64) (Recovery, error) {
	candidate := judge.Candidate{Name: a.src.Name, Params: a.src.ParamNames(), Bind: a.bind}
	v, err := judge.Judge(ctx, candidate, Contaminate(a.bank, a.model.Onset, share, a.settings.Guesses, a.settings.Seed), a.settings.Judge())
	if err != nil {
		return Recovery{}, err
	}
	return NewRecovery(share, v), nil
}
