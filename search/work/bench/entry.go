package bench

import (
	"context"
	"fmt"
	"math"
	"slices"

	"likc/runtime/model/bound"
	"likc/runtime/model/kernel"
	"likc/runtime/model/timing"
	"likc/runtime/num/isa"
)

// entry is one model with one engine, bound to one dataset.
type entry struct {
	model, engine string
	thetas        [][]float64
	lik           kernel.Sum // nil if a C program evaluates the entry
	program       *program   // nil if Go code evaluates the entry
	firstNS       float64    // for the bound engine: time of the first evaluation with gradient at each parameter vector, which builds tables
}

// timed returns the entry in the form that package timing needs.
func (e *entry) timed(what timing.What, clock timing.Clock) timing.Entry {
	name := fmt.Sprintf("%s, %s, %s", e.model, e.engine, what)
	if e.program != nil {
		return e.program.timed(name, what)
	}
	return timing.Likelihood(name, e.lik, e.thetas, what, clock)
}

// value returns the log-likelihood at the first parameter vector.
func (e *entry) value() float64 {
	if e.program != nil {
		return e.program.value
	}
	return e.lik.LogLik(e.thetas[0])
}

// allocations counts the allocations per evaluation, over some milliseconds of evaluations. ns is the time of one.
func (e *entry) allocations(what timing.What, ns float64) float64 {
	if e.program != nil {
		return 0
	}
	return timing.Allocations(e.lik, e.thetas, what, int(min(1000, max(1, 2e6/ns))))
}

func closeAll(entries []*entry) {
	for _, e := range entries {
		if e.program != nil {
			e.program.close()
		}
	}
}

// bind returns all entries, bound to n trials. The caller closes them, even after an error.
func (p *prepared) bind(ctx context.Context, n int) ([]*entry, error) {
	var all []*entry
	for i := range p.Models {
		list, err := p.bindModel(ctx, i, n)
		all = append(all, list...)
		if err != nil {
			return all, err
		}
	}
	baselines, err := p.bindBaselines(n)
	return append(all, baselines...), err
}

// bindBaselines returns the exact density and the network, bound to n trials.
func (p *prepared) bindBaselines(n int) ([]*entry, error) {
	rt, choice := p.rt[:n], p.choice[:n]
	thetas := timing.Around(process.Example, Spread, points)
	var list []*entry
	for _, b := range []struct {
		model, engine string
		wanted        bool
		bind          func() (kernel.Sum, error)
	}{
		{Process, Exact, p.wants(Exact), func() (kernel.Sum, error) { return process.Bind(rt, choice) }},
		{Process, LAN, p.network != nil, func() (kernel.Sum, error) { return p.network.Bind(rt, choice) }},
		{Interpolated, LAN, p.network != nil, func() (kernel.Sum, error) { return p.network.Tabulate(rt, choice, accuracy) }},
	} {
		if !b.wanted {
			continue
		}
		lik, err := b.bind()
		if err != nil {
			return list, err
		}
		list = append(list, &entry{model: b.model, engine: b.engine, thetas: thetas, lik: lik})
	}
	return list, nil
}

// bindModel returns the entries of one model; none if its log-likelihood at the truth is not finite.
func (p *prepared) bindModel(ctx context.Context, i, n int) ([]*entry, error) {
	m := p.Models[i]
	columns, choice := p.columns(m.Model, n)
	thetas := timing.Around(truth(m.Model), Spread, points)
	list, err := p.bindPackage(i, columns, choice, thetas)
	if err != nil {
		return list, err
	}
	if p.programs[i] != nil {
		c, err := start(ctx, p.programs[i].Path, p.ClockName, columns, choice, thetas)
		if err != nil {
			return list, fmt.Errorf("%s, gcc: %w", m.Name, err)
		}
		list = append(list, &entry{model: m.Name, engine: GCC, thetas: thetas, program: c})
	}
	return p.agreeing(list, n)
}

// bindPackage binds a model's compiled package once for each of its timed engines.
func (p *prepared) bindPackage(i int, columns [][]float64, choice []float64, thetas [][]float64) ([]*entry, error) {
	var list []*entry
	for _, engine := range packaged {
		if !p.wants(engine) {
			continue
		}
		lik, err := p.binders[i].Bind(kernel.Trials{Columns: columns, Choice: choice}, bound.Design{})
		if err != nil {
			return list, err
		}
		if why := p.use(lik, engine); why != "" {
			p.lacks(p.Models[i].Name, engine, why)
			continue
		}
		e := &entry{model: p.Models[i].Name, engine: engine, thetas: thetas, lik: lik}
		if engine == Bound {
			ns, _ := timing.Likelihood("", lik, thetas, timing.Gradient, p.Clock).Evaluate(len(thetas))
			e.firstNS = float64(ns)
		}
		list = append(list, e)
	}
	return list, nil
}

// use makes the likelihood of a compiled package use the given engine. It returns "", or the reason why that is impossible.
func (p *prepared) use(lik *bound.Bound, engine string) (why string) {
	if lik.IsRemote() {
		return "it runs in another process, and asking it takes longer than answering"
	}
	tabulated := lik.UseTables(engine == Bound)
	level := isa.Portable
	if engine != Portable {
		level = isa.Best()
	}
	used := lik.Use(level)
	switch {
	case engine == Bound && !tabulated:
		return "no sum over trials depends on one parameter alone"
	case engine == Vector && used == isa.Portable:
		return "there is no assembly for this machine"
	case engine == Vector:
		p.result.Vector = used.String()
	}
	return ""
}

// agreeing returns the entries if all of them compute the same finite number at the first parameter vector, and nil if one of them
// is not finite. It returns an error if the numbers differ by more than rounding.
func (p *prepared) agreeing(list []*entry, n int) ([]*entry, error) {
	values := make([]float64, len(list))
	for i, e := range list {
		values[i] = e.value()
		if math.IsInf(values[i], 0) || math.IsNaN(values[i]) {
			if n == slices.Min(p.Sizes) {
				p.addNote("%s is not timed: the log-likelihood of the simulated trials is %v", e.model, values[i])
			}
			closeAll(list)
			return nil, nil
		}
		if !agree(values[i], values[0], n) {
			return list, fmt.Errorf("%s: %s gives %v, %s gives %v", e.model, e.engine, values[i], list[0].engine, values[0])
		}
	}
	return list, nil
}

// agree reports whether two log-likelihoods of n trials are equal up to rounding.
func agree(x, y float64, n int) bool {
	return math.Abs(x-y) <= agreement*(float64(n)+math.Abs(y))
}
