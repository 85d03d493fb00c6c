// Package lapse mixes a model with lapses: trials on which a participant did something else, whose response times are uniform over
// a window and whose choices are equally frequent. With f the model's density and u the uniform one, the density is
//
//	(1 - p) f + p u,
//
// which has mass 1 where f has: p is one more parameter, the probability of a lapse. Trials before the model's onset have density
// p u instead of 0, so they bound no parameter.
package lapse

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"

	"likc/compiler/expr"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/trials"
)

// Param is the name of the probability of a lapse among the parameters. It is the last one.
const Param = "lapse"

// Window is where response times of lapses lie, in seconds.
type Window struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// String says the window in words.
func (w Window) String() string { return fmt.Sprintf("%.6g to %.6g s", w.Low, w.High) }

// Mixture is a model with lapses.
type Mixture struct {
	*catalog.Model        // with the probability of a lapse as its last parameter
	Window         Window // set it before trials are bound
	Choices        int    // among which a lapse chooses
	GoNoGo         bool   // one of two choices is not to respond

	base   *catalog.Model
	binder *bound.Prepared
}

// New mixes a model with lapses. binder is the model's, and outlives the mixture. It refuses a model that has a parameter of the
// name [Param], one of other trial columns than a response time, and one whose mass is not 1 all over its ranges.
func New(m *catalog.Model, binder *bound.Prepared, w Window) (*Mixture, error) {
	if m.IsParam(Param) || m.IsTrial(Param) {
		return nil, fmt.Errorf("%s has a parameter or a column called %s already", m.Name, Param)
	}
	if m.Stateful() {
		return nil, fmt.Errorf("%s has states: lapses are for models whose trials do not depend on one another; write them in loglik, as logaddexp(log(1 - p) + …, log(p) - …)", m.Name)
	}
	if len(m.Trials) != 1 || m.Trials[0] != trials.ResponseTime(m.Trials) {
		return nil, fmt.Errorf("%s reads the trial columns %s: lapses are for models of a response time and a choice alone", m.Name, strings.Join(m.Trials, ", "))
	}
	masses, _ := binder.Masses()
	if !masses.Normalised() {
		return nil, fmt.Errorf("%s is no density that lapses can be mixed with: it %s", m.Name, masses.Fault())
	}
	x := &Mixture{Window: w, Choices: 1, base: m, binder: binder}
	if m.Choice != "" {
		x.Choices = len(m.Codes())
	}
	x.Model = m.Mixed(x, expr.Param{Name: Param, Lower: 0, Upper: 1}, x.Replace)
	return x, nil
}

// Base returns the model without lapses.
func (x *Mixture) Base() *catalog.Model { return x.base }

// Binder returns the binder of the model without lapses.
func (x *Mixture) Binder() *bound.Prepared { return x.binder }

// Replace makes each of the trials, which are the base's, a lapse with probability p. A model without choice leaves choice as it is.
func (x *Mixture) Replace(rng *rand.Rand, p float64, rt, choice []float64) {
	codes := x.base.Codes()
	for i := range rt {
		if rng.Float64() >= p {
			continue
		}
		var k int
		if rt[i], k = x.lapse(rng.Float64(), rng.Float64()); codes != nil {
			choice[i] = codes[k]
		}
	}
}

// lapse draws the response time of a lapse and the index of its choice, from uniform numbers.
func (x *Mixture) lapse(first, second float64) (rt float64, choice int) {
	return x.Window.Low + (x.Window.High-x.Window.Low)*first, int(second * float64(x.Choices))
}

// Uniform returns the density of a lapse at a trial; at an omission, the probability that a lapse's response comes after the
// deadline, or in a go/no-go task that the lapse is not to respond. choice is that of the trial, 0 in a model without.
func (x *Mixture) Uniform(rt, choice float64) float64 {
	width := x.Window.High - x.Window.Low
	switch {
	case omits(choice):
		late := min(max(x.Window.High-rt, 0)/width, 1)
		if x.GoNoGo {
			return late + (1-late)/2
		}
		return late
	case x.holds(rt):
		return 1 / (width * float64(x.Choices))
	}
	return 0
}

// omits reports whether a trial with that choice is an omission.
func omits(choice float64) bool { return choice == trials.Omitted }

// at0 is the choice of trial i, 0 in a model without choices.
func at0(choice []float64, i int) float64 {
	if choice == nil {
		return 0
	}
	return choice[i]
}

func (x *Mixture) holds(rt float64) bool { return rt >= x.Window.Low && rt <= x.Window.High }

// Dim is the number of parameters.
func (x *Mixture) Dim() int { return len(x.Params) }

// Rows gives trials to the mixture row by row. A response outside the window is no lapse: it has the density (1 - p) f.
func (x *Mixture) Rows(t kernel.Trials) (kernel.Rows, error) {
	rt, choice := t.Columns[0], t.Choice
	r := &rows{uniform: make([]float64, len(rt))}
	for i, at := range rt {
		r.uniform[i] = x.Uniform(at, at0(choice, i))
	}
	base, err := x.binder.Rows(kernel.Responses(rt, choice))
	if err != nil {
		return nil, err
	}
	r.Rows = base
	r.spaces.New = func() any { f := make([]float64, base.N()); return &f }
	return r, nil
}

// rows is the mixture row by row.
type rows struct {
	kernel.Rows           // the model without lapses
	uniform     []float64 // density of a lapse, by row
	spaces      sync.Pool // of *[]float64: densities of the rows
}
