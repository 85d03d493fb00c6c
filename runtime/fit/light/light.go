// Package light fits models that have an exact density to the trials of one participant. It needs few other packages, so that a program of
// some megabytes can hold it, such as one for browsers. It has no formulas, no lapses and no files: [likc/runtime/fit] has these.
package light

import (
	"context"
	"fmt"
	"math"
	"slices"

	"likc/runtime/fit/nuts"
	"likc/runtime/model/kernel"
	"likc/runtime/model/posterior"
	"likc/runtime/model/ssm"
	"likc/runtime/num/chains"
)

// Models returns the models that can be fitted.
func Models() []*ssm.Model {
	return slices.DeleteFunc(ssm.Models(), func(m *ssm.Model) bool { return m.Density == nil })
}

// Data are the trials of one participant, with their log-likelihood.
type Data struct {
	kernel.Sum
	model  *ssm.Model
	params []posterior.Parameter
}

// Bind binds trials to a model: response times in seconds and, unless the model has one response, choices. Its errors name the first
// invalid trial, counted from 1.
func Bind(model string, rt, choice []float64) (*Data, error) {
	m, err := ssm.Lookup(model)
	if err != nil {
		return nil, err
	}
	if m.Density == nil {
		return nil, fmt.Errorf("%s: it has no exact density", model)
	}
	if len(rt) == 0 {
		return nil, fmt.Errorf("%s: there are no trials", model)
	}
	d := &Data{model: m}
	if d.Sum, err = bind(m.Density, rt, choice); err != nil {
		return nil, err
	}
	for _, p := range m.Params {
		d.params = append(d.params, posterior.Parameter{Name: p.Name, Lower: p.Lower, Upper: p.Upper})
	}
	if m.Onset != "" {
		err = posterior.CapUpper(d.params, m.Onset, slices.Min(rt))
	}
	return d, err
}

// bind prefers the sum of a density that has one to its rows.
func bind(d *ssm.Density, rt, choice []float64) (kernel.Sum, error) {
	if d.Bind != nil {
		return d.Bind(rt, choice)
	}
	rows, err := d.Rows(rt, choice)
	if err != nil {
		return nil, err
	}
	return kernel.SumOf(rows), nil
}

// Fit is a sample from the posterior with uniform priors over the ranges of the parameters.
type Fit struct {
	Draws   *chains.Draws
	Summary []chains.Summary
	Found   chains.Diagnosis
}

// Fit draws from the posterior. After every s.Report transitions of a chain it calls watch, unless that is nil, with the parameters there,
// which watch must not keep. If the context ends, it returns the draws made so far with the context's error.
func (d *Data) Fit(ctx context.Context, s nuts.Settings, watch func(p nuts.Progress, theta []float64)) (*Fit, error) {
	post, err := posterior.New(d.Sum, d.params)
	if err != nil {
		return nil, err
	}
	if watch != nil {
		theta := make([]float64, post.Dim())
		s.Progress = func(p nuts.Progress) {
			post.Constrain(p.Position, theta)
			watch(p, theta)
		}
	}
	r, err := nuts.Sample(ctx, func(int) nuts.Target { return post.Target() }, s)
	if r == nil || r.Draws.Len() == 0 {
		return nil, err
	}
	post.ConstrainDraws(r.Draws)
	f := &Fit{Draws: r.Draws, Summary: r.Draws.Summarise()}
	f.Found = f.Draws.Diagnose(f.Summary)
	return f, err
}

// Predicted returns the posterior mean of the density of each choice, in the order of the model's choices, at the given times in seconds.
// It averages over at most n draws, taken evenly from all chains.
func (f *Fit) Predicted(d *Data, times []float64, n int) [][]float64 {
	thetas := f.some(n)
	out := make([][]float64, len(d.model.Choices))
	for i, choice := range d.model.Choices {
		out[i] = make([]float64, len(times))
		for k, rt := range times {
			for _, theta := range thetas {
				out[i][k] += math.Exp(d.model.Density.Log(rt, choice, theta, nil)) / float64(len(thetas))
			}
		}
	}
	return out
}

// some returns at most n draws, taken evenly.
func (f *Fit) some(n int) [][]float64 {
	var all [][]float64
	for c := range f.Draws.Chains {
		params := f.Draws.Chains[c].Params
		for k := range params[0] {
			theta := make([]float64, len(params))
			for i := range params {
				theta[i] = params[i][k]
			}
			all = append(all, theta)
		}
	}
	var some [][]float64
	for i := range min(n, len(all)) {
		some = append(some, all[i*len(all)/min(n, len(all))])
	}
	return some
}
