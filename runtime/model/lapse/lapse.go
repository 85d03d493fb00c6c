// Package lapse mixes a model with lapses: trials on which the participant did something else. Their response times have a separate
// distribution, and their choices are equally frequent. If f is the model's density and u that of lapses, the density is
//
//	(1 - p) f + p u,
//
// which has mass 1 if f has. The new parameter p is the probability of a lapse. Responses before the model's onset have
// density p u instead of 0, so they do not force the onset below them.
package lapse

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"likc/compiler/expr"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/trials"
)

// Param is the name of the probability of a lapse, which is the last parameter.
const Param = "lapse"

// Lapses mixes a density with lapses: it is a [bound.Wrapper].
type Lapses struct {
	Times  Times // the distribution of the response times of lapses
	GoNoGo bool  // whether one of two choices means no response
}

// Of returns the lapses with which a model was mixed; it returns false for a model without lapses.
func Of(p *bound.Prepared) (Lapses, bool) {
	for p != nil {
		w, inside := p.Wrapped()
		if l, ok := w.(Lapses); ok {
			return l, true
		}
		p = inside
	}
	return Lapses{}, false
}

// Check returns an error for a model that has a parameter or column called [Param], that has trial columns besides a response time, or whose
// mass is not 1 everywhere in its ranges. If the log density is a call of another model, lapses go around that model, which is checked
// instead. Models with states must have such a call.
func (l Lapses) Check(p *bound.Prepared) error {
	m := p.Model
	if m.IsParam(Param) || m.IsTrial(Param) {
		return fmt.Errorf("%s has a parameter or a column called %s already", m.Name, Param)
	}
	p = p.Callee()
	if m = p.Model; m.Stateful() {
		return fmt.Errorf("%s has states, and its log density is not one call: write lapses in loglik, as logaddexp(log(1 - p) + …, log(p) - …)", m.Name)
	}
	if len(m.Trials) != 1 || m.Trials[0] != trials.ResponseTime(m.Trials) {
		return fmt.Errorf("%s reads the trial columns %s: lapses are for models of a response time and a choice alone", m.Name, strings.Join(m.Trials, ", "))
	}
	if masses, _ := p.Masses(); !masses.Normalised() {
		return fmt.Errorf("%s is no density that lapses can be mixed with: it %s", m.Name, masses.Fault())
	}
	return nil
}

// Params returns the probability of a lapse as a parameter.
func (l Lapses) Params() []expr.Param { return []expr.Param{{Name: Param, Lower: 0, Upper: 1}} }

// Early returns true: a response may come before the model's onset, as that of a lapse may.
func (l Lapses) Early() bool { return true }

// Draw returns a function that makes each trial a lapse with a probability that is the last parameter.
func (l Lapses) Draw(m *catalog.Model, draw bound.Draw) bound.Draw {
	codes := m.Codes()
	return func(ctx context.Context, rng *rand.Rand, theta []float64, rows []int, rt, choice []float64) error {
		last := len(theta) - 1
		if err := draw(ctx, rng, theta[:last], rows, rt, choice); err != nil {
			return err
		}
		for i := range rt {
			if rng.Float64() >= theta[last] {
				continue
			}
			level, side := rng.Float64(), rng.Float64()
			if rt[i] = l.Times.Quantile(level); choice != nil && codes != nil {
				choice[i] = codes[int(side*float64(len(codes)))]
			}
		}
		return nil
	}
}

// Density returns the density of a lapse at a trial. For an omission, rt is the deadline, and the result is the probability that a
// lapse's response comes later. In a go/no-go task, half of the other lapses are not to respond, and count too. choice is 0 in a
// model without choice. choices is the number of choices, at least 1.
func (l Lapses) Density(rt, choice float64, choices int) float64 {
	if choice != trials.Omitted {
		return l.Times.Density(rt) / float64(choices)
	}
	late := l.Times.After(rt)
	if l.GoNoGo {
		return late + (1-late)/2
	}
	return late
}

// Densities returns the density of a lapse at each trial of a model.
func (l Lapses) Densities(m *catalog.Model, t kernel.Trials) []float64 {
	all, choices := make([]float64, t.N()), max(1, len(m.Codes()))
	for i, rt := range t.Columns[m.TimeColumn()] {
		choice := 0.0
		if t.Choice != nil {
			choice = t.Choice[i]
		}
		all[i] = l.Density(rt, choice, choices)
	}
	return all
}

// Kernel returns the kernel of the mixture.
func (l Lapses) Kernel(m *catalog.Model, k kernel.Kernel) kernel.Kernel { return mixture{l, m, k} }

// mixture is a density mixed with lapses.
type mixture struct {
	lapses Lapses
	model  *catalog.Model
	of     kernel.Kernel // the density without lapses
}

// Dim returns the number of parameters.
func (x mixture) Dim() int { return x.of.Dim() + 1 }

// Rows binds trials to the mixture row by row. At a response time that no lapse can have, the density is (1 - p) f.
func (x mixture) Rows(t kernel.Trials) (kernel.Rows, error) {
	base, err := x.of.Rows(t)
	if err != nil {
		return nil, err
	}
	r := &rows{Rows: base, lapse: x.lapses.Densities(x.model, t)}
	r.spaces.New = func() any { f := make([]float64, base.N()); return &f }
	return r, nil
}
