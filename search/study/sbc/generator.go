package sbc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"likc/compiler/expr"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/num/quadrature"
	"likc/search/study"
)

// generator draws trials from a model's normalised density, and evaluates that density.
type generator struct {
	src     *catalog.Model
	onset   int // index of the parameter at which response times begin; -1: they begin at 0
	choices []float64
	tapes   []*expr.Tape    // for each choice, the log density as a function of u, the time since the onset
	fine    quadrature.Grid // grid for simulation
	binder  *bound.Prepared
	z       kernel.Sum // its value at theta is the log of the integral
}

func newGenerator(ctx context.Context, src *catalog.Model) (g *generator, done func() error, err error) {
	g = &generator{src: src, fine: quadrature.NewGrid(gridFrom, gridTo, finePoints)}
	shifted, onset, err := fromOnset(src.Model)
	if err != nil {
		return nil, nil, err
	}
	g.onset = onset
	for _, group := range shifted.Groups() {
		g.choices = append(g.choices, group.Choice)
		g.tapes = append(g.tapes, expr.NewTape(append(src.ParamNames(), timeSymbol), group.LogLik))
	}
	integral, err := bound.Prepare(ctx, integralOf(src.Model, shifted), bound.Auto)
	if err != nil {
		return nil, nil, err
	}
	if g.z, err = bindGrid(integral, g.choices); err != nil {
		return nil, nil, errors.Join(err, integral.Close())
	}
	if g.binder, err = bound.Prepare(ctx, src, bound.Auto); err != nil {
		return nil, nil, errors.Join(err, integral.Close())
	}
	done = func() error { return errors.Join(g.binder.Close(), integral.Close()) }
	if err := g.checkWindow(); err != nil {
		return nil, nil, errors.Join(err, done())
	}
	return g, done, nil
}

// checkWindow returns an error if, at one of a few points of the ranges, a tenth or more of the density's mass is outside the
// grid. Its times are then probably not in seconds. A density without finite mass is cut at the grid's ends.
func (g *generator) checkWindow() error {
	const points = 5
	for _, theta := range bound.Spread(g.src, points) {
		mass, err := quadrature.Mass(g.density, theta, g.choices)
		if err == nil && g.z.LogLik(theta) < 0.9*mass {
			return fmt.Errorf("%s: %.0f %% of its density at %s = %.4g lies outside 10 µs to %d s after the onset, which sbc integrates over: write its times in seconds",
				g.src.Name, 100*(1-g.z.LogLik(theta)/mass), strings.Join(g.src.ParamNames(), ", "), theta, gridTo)
		}
	}
	return nil
}

// These are names of trial columns that no model in the language can have, so that they conflict with no column.
const (
	timeSymbol   = "u_"
	weightSymbol = "w_"
)

// fromOnset rewrites the model with u = rt - t instead of its response time rt, if its support is t < rt for a parameter t.
func fromOnset(m *expr.Model) (shifted *expr.Model, onset int, err error) {
	onset = -1
	for _, c := range m.Support {
		if c.Left.Op != expr.Sym || !m.IsParam(c.Left.Name) || c.Right.Op != expr.Sym || c.Right.Name != m.Trials[0] || onset >= 0 {
			return nil, 0, fmt.Errorf("%s: support %s < %s: sbc knows the condition PARAMETER < %s alone", m.Name, c.Left, c.Right, m.Trials[0])
		}
		onset = m.ParamIndex(c.Left.Name)
	}
	time := expr.Var(timeSymbol)
	if onset >= 0 {
		name := m.Params[onset].Name
		for _, a := range m.Lower {
			if a.Param == name {
				return nil, 0, fmt.Errorf("%s: the reflection changes %s, from which response times count", m.Name, name)
			}
		}
		time = expr.New(expr.Add, expr.Var(name), time)
	}
	put := expr.Substitution(map[string]*expr.Expr{m.Trials[0]: time})
	return &expr.Model{Name: m.Name, Trials: []string{timeSymbol}, Choice: m.Choice, Choices: m.Choices, Params: m.Params, Lower: m.Lower,
		LogLik: put.Map(m.LogLik)}, onset, nil
}

// integralOf returns a model whose sum is the log of the integral of the shifted density, on a grid of points with log weights. So
// the compiler also makes the normalising constant's gradient.
func integralOf(m, shifted *expr.Model) *catalog.Model {
	z := *shifted
	z.Name = m.Name + "_integral"
	z.Trials = []string{timeSymbol, weightSymbol}
	z.LogLik = expr.New(expr.Exp, expr.New(expr.Add, shifted.LogLik, expr.Var(weightSymbol)))
	return catalog.OfExpression(&z)
}

// bindGrid binds the integral to the grid's points, once for every choice.
func bindGrid(binder *bound.Prepared, choices []float64) (kernel.Sum, error) {
	grid := quadrature.NewGrid(gridFrom, gridTo, gridPoints)
	var u, weight, choice []float64
	for _, c := range choices {
		u, weight = append(u, grid.U...), append(weight, grid.LogWeight...)
		for range grid.U {
			choice = append(choice, c)
		}
	}
	if len(choices) == 1 && choices[0] == 0 {
		choice = nil
	}
	return binder.Bind(kernel.Trials{Columns: [][]float64{u, weight}, Choice: choice}, bound.Design{})
}

// density evaluates the log density, without normalisation, at the points u.
func (g *generator) density(theta []float64, choice float64, u, dst []float64) {
	k := 0
	for g.choices[k] != choice {
		k++
	}
	values := append(append(make([]float64, 0, len(theta)+1), theta...), 0)
	out := make([]float64, 1)
	for i, x := range u {
		values[len(theta)] = x
		out, _ = g.tapes[k].Eval(out[:0], values)
		dst[i] = out[0]
	}
}

// simulate draws trials from the normalised density.
func (g *generator) simulate(rng *rand.Rand, theta []float64, trials int) (d hierarchy.Data, err error) {
	table := quadrature.NewTable(g.density, theta, g.choices, g.fine)
	if z := table.LogZ(); math.IsNaN(z) || math.IsInf(z, 0) {
		return d, fmt.Errorf("the density cannot be normalised at %v: log Z is %v", theta, z)
	}
	rt, choice := make([]float64, trials), make([]float64, trials)
	for i := range rt {
		rt[i], choice[i] = table.Draw(rng)
		if g.onset >= 0 {
			rt[i] += theta[g.onset]
		}
	}
	if g.src.Choice == "" {
		choice = nil
	}
	return hierarchy.Data{Columns: [][]float64{rt}, Choice: choice}, nil
}

// bind binds trials to the normalised density.
func (g *generator) bind(c *study.Case) (study.Problem, error) {
	p, err := study.Binding(g.src, g.binder)(c)
	if err == nil {
		p.Sum = bound.SubtractLogZ(p.Sum, g.z, len(c.Columns[0]))
	}
	return p, err
}

// gap returns the absolute difference between log Z on the grid and log Z by adaptive quadrature.
func (g *generator) gap(theta []float64) float64 {
	return math.Abs(math.Log(g.z.LogLik(theta)) - quadrature.AdaptiveLogZ(g.density, theta, g.choices, gridFrom, gridTo))
}
