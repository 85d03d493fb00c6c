package main

import (
	"context"
	"errors"
	"fmt"

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
	src      source
	bank     *bank.Bank
	sim      ppc.Simulator
	settings auditSettings
	model    audit.Model
	open     func(columns [][]float64, choice []float64) (bound, error)
}

func newAuditor(src source, b *bank.Bank, sim ppc.Simulator, settings auditSettings) (a *auditor, done func() error, err error) {
	a = &auditor{src: src, bank: b, sim: sim, settings: settings}
	a.model = audit.Model{Name: src.Name, Onset: -1}
	for j, p := range b.Settings.Params {
		a.model.Params = append(a.model.Params, posterior.Parameter{Name: p.Name, Lower: p.Lower, Upper: p.Upper})
		if p.Name == "t" {
			a.model.Onset = j
		}
	}
	var doneOpen func() error
	if a.open, doneOpen, err = binder("", src); err != nil {
		return nil, nil, err
	}
	if src.Exact {
		a.model.Bind = func(p audit.Population) (lik.Likelihood, func() error, error) {
			return audit.ExactLikelihood{Population: p}, nil, nil
		}
		return a, doneOpen, nil
	}
	openMean, doneMean, err := binder("", weighted(src.Model))
	if err != nil {
		return nil, nil, errors.Join(err, doneOpen())
	}
	a.model.Bind = func(p audit.Population) (lik.Likelihood, func() error, error) {
		mean, err := openMean([][]float64{p.RT, p.Weight}, p.Choice)
		if err != nil {
			return nil, nil, err
		}
		return mean, mean.Close, nil
	}
	return a, func() error { return errors.Join(doneMean(), doneOpen()) }, nil
}

// weighted is the model whose sum over trials is a weighted one: the compiler makes the mean over a population.
func weighted(m *expr.Model) source {
	w := *m
	w.Name, w.Lets = m.Name+"_weighted", nil
	w.Trials = append(append([]string(nil), m.Trials...), weightSymbol)
	w.LogLik = expr.New(expr.Mul, expr.Var(weightSymbol), m.LogLik)
	return source{Model: &w, File: w.Name + ".lik"}
}

// hasDensity reports whether populations are quadratures.
func (a *auditor) hasDensity() bool {
	return a.sim.Model.Name == exactName && a.sim.Scheme == ssm.ExactScheme()
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
		return audit.FindLimit(ctx, a.model, audit.Exact(s.Theta, maxBankTime), s.ID, s.Theta)
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
		params, err := parameters(a.src, nil, columns, choice)
		if err != nil {
			return judge.Problem{}, err
		}
		lik, err := a.open(columns, choice)
		if err != nil {
			return judge.Problem{}, err
		}
		return judge.Problem{Likelihood: lik, Params: params, Close: lik.Close}, nil
	}}
	v, err := judge.Judge(ctx, candidate, audit.Contaminate(a.bank, share, a.settings.Guesses, a.settings.Seed), a.settings.judge())
	if err != nil {
		return audit.Recovery{}, err
	}
	return audit.NewRecovery(share, v), nil
}
