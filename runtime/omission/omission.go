// Package omission gives a model trials on which nobody responded in time. Such a trial has the choice [trials.Omitted] and its
// deadline in place of a response time; its log density is log S, where S is the probability that the response comes after the
// deadline:
//
//	S(T) = ∫ Σ_choices f(rt, choice) drt over rt > T.
//
// The integral is a rule whose points do not depend on parameters, so its derivative is the same rule of the derivatives, for any
// model.
package omission

import (
	"fmt"
	"math"
	"sync"

	"likc/runtime/catalog"
	"likc/runtime/engine"
	"likc/runtime/likelihood"
	"likc/runtime/quadrature"
	"likc/runtime/trials"
)

// Censored is the density of a model with omissions.
type Censored struct {
	base    *catalog.Model
	binder  *engine.Binder
	density catalog.Density // of the base; nil for an expression
	known   memory
}

// New returns the model with omissions. binder is the model's, and outlives it. It refuses a model of other trial columns than a
// response time, one without choice, and one whose mass is not 1 all over its ranges.
func New(m *catalog.Model, binder *engine.Binder) (*catalog.Model, error) {
	if len(m.Trials) != 1 || m.Trials[0] != trials.ResponseTime(m.Trials) || m.Choice == "" {
		return nil, fmt.Errorf("%s: deadlines are for models of a response time and a choice alone", m.Name)
	}
	if masses, _ := binder.Masses(m); !masses.Normalised() {
		return nil, fmt.Errorf("%s is no density, so it does not say how often nobody responds in time: it %s", m.Name,
			masses.Fault())
	}
	c := &Censored{base: m, binder: binder}
	c.density, _ = m.Density()
	return m.WithDensity(c), nil
}

// Bind gives trials to the log-likelihood.
func (c *Censored) Bind(rt, choice []float64) (likelihood.Likelihood, error) {
	rows, err := c.Rows(rt, choice)
	if err != nil {
		return nil, err
	}
	return likelihood.Sum(rows), nil
}

// Rows gives trials to the log density row by row. It refuses what the model refuses, and deadlines that are not positive.
func (c *Censored) Rows(rt, choice []float64) (likelihood.Rows, error) {
	r := &rows{n: len(rt), dim: len(c.base.Params)}
	answered, choices := []float64{}, []float64{}
	tails := map[float64]int{}
	for i, t := range rt {
		if choice[i] != trials.Omitted {
			r.answered, answered, choices = append(r.answered, i), append(answered, t), append(choices, choice[i])
			continue
		}
		if !(t > 0) || math.IsInf(t, 1) {
			return nil, fmt.Errorf("trial %d: a deadline of %v is not positive and finite", i+1, t)
		}
		k, known := tails[t]
		if !known {
			tail, err := c.newTail(t)
			if err != nil {
				return nil, err
			}
			k = len(r.tails)
			tails[t], r.tails = k, append(r.tails, tail)
		}
		r.tails[k].trials = append(r.tails[k].trials, i)
	}
	var err error
	if r.base, err = c.binder.Rows([][]float64{answered}, choices); err != nil {
		return nil, err
	}
	r.spaces.New = func() any { return r.newSpace() }
	return r, nil
}

// newTail binds the points of the integral beyond a deadline.
func (c *Censored) newTail(deadline float64) (*tail, error) {
	rule := quadrature.Tail(deadline)
	var rt, choice, weight []float64
	for _, side := range []float64{1, -1} {
		for i, t := range rule.Time {
			rt, choice, weight = append(rt, t), append(choice, side), append(weight, rule.Weight[i])
		}
	}
	points, err := c.binder.Rows([][]float64{rt}, choice)
	if err != nil {
		return nil, err
	}
	return &tail{points: points, weight: weight}, nil
}

// rows is a model with omissions row by row.
type rows struct {
	n, dim   int
	answered []int // rows with a response
	base     likelihood.Rows
	tails    []*tail
	spaces   sync.Pool // of *space
}

// tail is the trials without a response by one deadline.
type tail struct {
	trials []int
	points likelihood.Rows
	weight []float64
}
