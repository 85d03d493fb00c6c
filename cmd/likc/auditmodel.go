package main

import (
	"context"
	"errors"
	"fmt"
	"likc/runtime/catalog"
	"likc/runtime/engine"

	"likc/compiler/expr"
	lik "likc/runtime/likelihood"
	"likc/runtime/posterior"
	"likc/runtime/ssm"
	"likc/search/audit"
	"likc/search/bank"
	"likc/search/judge"
	"likc/search/ppc"
)

// auditor does the units of one model's audit.
type auditor struct {
	src      *catalog.Model
	bank     *bank.Bank
	sim      ppc.Simulator
	settings auditSettings
	model    audit.Model
	binder   *engine.Binder
}

func newAuditor(src *catalog.Model, b *bank.Bank, sim ppc.Simulator, settings auditSettings) (a *auditor, done func() error, err error) {
	a = &auditor{src: src, bank: b, sim: sim, settings: settings}
	a.model = audit.Model{Name: src.Name, Onset: sim.Model.OnsetIndex()}
	for _, p := range b.Settings.Params {
		a.model.Params = append(a.model.Params, posterior.Parameter{Name: p.Name, Lower: p.Lower, Upper: p.Upper})
	}
	if a.binder, err = engine.Open(src, engine.Auto); err != nil {
		return nil, nil, err
	}
	if _, ok := src.Density(); ok {
		a.model.Bind = func(p audit.Population) (lik.Likelihood, func() error, error) {
			return audit.MeanDensity{Population: p, Process: a.sim.Model}, nil, nil
		}
		return a, a.binder.Close, nil
	}
	mean, err := engine.Open(weighted(src.Model), engine.Auto)
	if err != nil {
		return nil, nil, errors.Join(err, a.binder.Close())
	}
	a.model.Bind = func(p audit.Population) (lik.Likelihood, func() error, error) {
		lik, err := mean.Bind([][]float64{p.RT, p.Weight}, p.Choice)
		return lik, nil, err
	}
	return a, func() error { return errors.Join(mean.Close(), a.binder.Close()) }, nil
}

// weighted is the model whose sum over trials is a weighted one: the compiler makes the mean over a population.
func weighted(m *expr.Model) *catalog.Model {
	w := *m
	w.Name, w.Lets = m.Name+"_weighted", nil
	w.Trials = append(append([]string(nil), m.Trials...), weightSymbol)
	w.LogLik = expr.New(expr.Mul, expr.Var(weightSymbol), m.LogLik)
	return catalog.OfExpression(&w)
}

// hasDensity reports whether populations are quadratures.
func (a *auditor) hasDensity() bool {
	return a.sim.Model.Density != nil && a.sim.Scheme == ssm.ExactScheme()
}

// population says what the means are over.
func (a *auditor) population() string {
	if a.hasDensity() {
		return "exact density"
	}
	return fmt.Sprintf("%d simulated trials", a.settings.Sample)
}

func (a *auditor) limit(ctx context.Context, s bank.Subject) (audit.Limit, error) {
	if a.hasDensity() {
		return audit.FindLimit(ctx, a.model, audit.Exact(a.sim.Model, s.Theta, maxBankTime), s.ID, s.Theta)
	}
	rng := ssm.NewRand(a.settings.Seed, uint64(s.ID))
	p, err := audit.Simulated(a.sim.Model, a.sim.Scheme, rng, s.Theta, a.settings.Sample, maxBankTime)
	if err != nil {
		return audit.Limit{}, err
	}
	return audit.FindLimit(ctx, a.model, p, s.ID, s.Theta)
}

// recovery judges the model on the bank with a share of guesses.
func (a *auditor) recovery(ctx context.Context, share float64) (audit.Recovery, error) {
	candidate := judge.Candidate{Name: a.src.Name, Params: a.src.ParamNames(), Bind: func(s bank.Subject) (judge.Problem, error) {
		columns, choice := [][]float64{s.RT}, s.Choice
		params, err := a.src.Parameters(nil, columns, choice)
		if err != nil {
			return judge.Problem{}, err
		}
		lik, err := a.binder.Bind(columns, choice)
		if err != nil {
			return judge.Problem{}, err
		}
		return judge.Problem{Likelihood: lik, Params: params}, nil
	}}
	v, err := judge.Judge(ctx, candidate, audit.Contaminate(a.bank, a.model.Onset, share, a.settings.Guesses, a.settings.Seed), a.settings.judge())
	if err != nil {
		return audit.Recovery{}, err
	}
	return audit.NewRecovery(share, v), nil
}
