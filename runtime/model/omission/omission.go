// Package omission adds omissions to a model: trials without a response before the deadline. Such a trial has the choice
// [trials.Omitted] and its deadline in place of a response time. Its log density is log S, where S is the probability that the
// response comes after the deadline:
//
//	S(T) = ∫ Σ_choices f(rt, choice) drt over rt > T.
//
// In a go/no-go task, one choice means no response, so S also includes the integral of that choice from 0 to T.
//
// The integral is a sum over panels, which are shorter where the density bends more, except for models whose integral is known in closed
// form.
package omission

import (
	"fmt"
	"math"
	"strings"
	"sync/atomic"

	"likc/compiler/expr"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/trials"
)

// Deadline is a [bound.Wrapper] that gives a density to trials without a response before their deadline.
type Deadline struct {
	Respond float64 // in a go/no-go task, the only choice that is a response, +1 or -1; 0 in other tasks
}

// Check returns an error for a model with trial columns besides a response time, for one whose mass is not 1 everywhere in its ranges,
// and, if Respond is set, for one without two boundaries.
func (d Deadline) Check(p *bound.Prepared) error {
	p = p.Callee()
	m := p.Model
	masses, _ := p.Masses()
	switch {
	case d.Respond != 0 && m.Choice == "":
		return fmt.Errorf("%s: it has no choice, so none that is not to respond", m.Name)
	case d.Respond != 0 && m.Choices > 0:
		return fmt.Errorf("%s: go/no-go tasks are for models of two boundaries, and this one has the choices 0 to %d", m.Name, m.Choices-1)
	case m.Stateful():
		return fmt.Errorf("%s has states, and its log density is not one call, so it does not say how often nobody responds in time: leave out trials without a response (--drop-missing)", m.Name)
	case len(m.Trials) != 1 || m.Trials[0] != trials.ResponseTime(m.Trials):
		return fmt.Errorf("%s reads the trial columns %s: deadlines are for models of a response time, with or without a choice", m.Name, strings.Join(m.Trials, ", "))
	case !masses.Normalised():
		return fmt.Errorf("%s is no density, so it does not say how often nobody responds in time: it %s", m.Name, masses.Fault())
	}
	return nil
}

// Params returns nil: there are no additional parameters.
func (d Deadline) Params() []expr.Param { return nil }

// Early returns false, because a response has the model's density.
func (d Deadline) Early() bool { return false }

// Draw returns draw: responses are drawn as without a deadline. The caller, who knows the deadlines, decides which are late.
func (d Deadline) Draw(_ *catalog.Model, draw bound.Draw) bound.Draw { return draw }

// Kernel returns a kernel whose rows may be trials without response.
func (d Deadline) Kernel(m *catalog.Model, k kernel.Kernel) kernel.Kernel {
	c := &Censored{model: m, of: k, choices: []float64{0}, silent: -d.Respond, onset: m.Onset(), sure: m.Lapse == nil}
	if m.Choice != "" {
		c.choices = m.Codes()
	}
	if c.closed, _ = k.(closed); c.closed == nil {
		c.survival = c.raceSurvival()
	}
	return c
}

// Censored is the density of a model with omissions.
type Censored struct {
	model  *catalog.Model
	of     kernel.Kernel // the density without omissions
	closed closed        // the density, if it knows its integrals in closed form; otherwise nil
	// survival is the log survival function of a race in closed form, whose trials are deadlines without choice; nil for other models.
	survival kernel.Kernel
	choices  []float64 // the codes of the choices; one arbitrary code for a model without choice
	silent   float64   // the choice without a response; 0 for none
	onset    func(theta []float64) float64
	sure     bool         // whether no response comes before the onset
	kept     atomic.Int64 // number of stretches in all fields stretch.divided together
}

// closed is a density whose integrals over time are known in closed form.
type closed interface {
	// LogSurvival returns the log probability that, for some k, the response is choice number k and comes after the time after[k], in
	// seconds. Unless grad is nil, it overwrites grad with the gradient.
	LogSurvival(theta, after, grad []float64) float64
}

// Dim returns the number of parameters.
func (c *Censored) Dim() int { return c.of.Dim() }

// Rows binds trials to the log density row by row. A model without choice has choices too: 0 for a response. It refuses trials that
// the model refuses, deadlines that are not positive, and responses with the choice that has none.
func (c *Censored) Rows(of kernel.Trials) (kernel.Rows, error) {
	rt, choice := of.Columns[0], of.Choice
	r := &rows{n: len(rt), dim: c.Dim()}
	answered, choices := []float64{}, []float64{}
	tails := map[float64]int{}
	for i, t := range rt {
		if choice[i] != trials.Omitted {
			if choice[i] == c.silent && c.silent != 0 {
				return nil, fmt.Errorf("trial %d: a response with the choice %+.0f, which means no response", i+1, c.silent)
			}
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
	if r.base, err = c.bind(answered, choices); err != nil {
		return nil, err
	}
	r.spaces.New = func() any { return r.newSpace() }
	return r, nil
}

// bind binds responses to the model without omissions.
func (c *Censored) bind(rt, choice []float64) (kernel.Rows, error) {
	if c.model.Choice == "" {
		choice = nil
	}
	return c.of.Rows(kernel.Responses(rt, choice))
}
