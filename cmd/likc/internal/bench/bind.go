package bench

import (
	"context"
	"fmt"
	"math"
	"reflect"

	"likc/runtime/isa"
	"likc/runtime/likelihood"
	"likc/runtime/load"
	"likc/runtime/timing"
)

// contender is one engine on one dataset.
type contender struct {
	model, engine         string
	thetas                [][]float64
	likelihood.Likelihood         // nil if a C program has it
	peer                  *peer   // nil if this program has it
	firstNS               float64 // of the bound engine: the first evaluations with gradient, at all thetas, tables not yet there
}

func (c *contender) entry(what timing.What, clock timing.Clock) timing.Entry {
	name := entryName(c.model, c.engine, what)
	if c.peer != nil {
		return c.peer.entry(name, what)
	}
	return timing.Likelihood(name, c.Likelihood, c.thetas, what, clock)
}

// allocations counts those of an evaluation, over some ms of them.
func (c *contender) allocations(what timing.What, ns float64) float64 {
	if c.peer != nil {
		return 0
	}
	return timing.Allocations(c.Likelihood, c.thetas, what, int(min(1000, max(1, 2e6/ns))))
}

func (c *contender) close() {
	if c.peer != nil {
		c.peer.close()
	}
}

// bind gives all contenders on n trials.
func (f *field) bind(ctx context.Context, n int) ([]*contender, error) {
	var all []*contender
	for i := range f.models {
		list, err := f.bindModel(ctx, i, n)
		all = append(all, list...)
		if err != nil {
			return all, err
		}
	}
	thetas := timing.Around(benchProcess.Example, benchSpread, benchPoints)
	add := func(model, engine string, lik likelihood.Likelihood, err error) error {
		if err == nil {
			all = append(all, &contender{model: model, engine: engine, thetas: thetas, Likelihood: lik})
		}
		return err
	}
	if f.wants("exact") {
		lik, err := benchProcess.Bind(f.rt[:n], f.choice[:n])
		if err := add(benchProcess.Name, "exact", lik, err); err != nil {
			return all, err
		}
	}
	if f.network != nil {
		lik, err := f.network.Bind(f.rt[:n], f.choice[:n])
		if err := add(benchProcess.Name, "lan", lik, err); err != nil {
			return all, err
		}
		if lik, err = f.network.Tabulate(f.rt[:n], f.choice[:n], lanAccuracy); err != nil {
			return all, err
		}
		return all, add(benchProcess.Name+interpolated, "lan", lik, nil)
	}
	return all, nil
}

// interpolated marks the network that is not evaluated at every trial.
const interpolated = " interpolated"

// bindModel gives the contenders of one model. A model that has no finite value at the truth is not timed.
func (f *field) bindModel(ctx context.Context, i, n int) ([]*contender, error) {
	src := f.models[i]
	columns, choice := f.columns(src.Model, n)
	thetas := timing.Around(benchTheta(src.Model), benchSpread, benchPoints)
	var list []*contender
	for _, engine := range []string{"portable", "vector", "bound"} {
		if f.binders[i] == nil || !f.wants(engine) {
			continue
		}
		lik, err := f.binders[i].Bind(columns, choice)
		if err != nil {
			return list, err
		}
		if err := f.tune(lik, engine); err != nil {
			f.lacks(src.Name, engine, err)
			continue
		}
		c := &contender{model: src.Name, engine: engine, thetas: thetas, Likelihood: lik}
		if engine == "bound" {
			ns, _ := timing.Likelihood("", lik, thetas, timing.Gradient, f.clock).Evaluate(len(thetas))
			c.firstNS = float64(ns)
		}
		list = append(list, c)
	}
	if f.peers[i] != nil {
		p, err := startPeer(ctx, f.peers[i].Path, f.clockName, columns, choice, thetas)
		if err != nil {
			return list, fmt.Errorf("%s, gcc: %w", src.Name, err)
		}
		list = append(list, &contender{model: src.Name, engine: "gcc", thetas: thetas, peer: p})
	}
	return f.same(list, n)
}

// same checks that all compute one number at the first theta, and it is finite.
func (f *field) same(list []*contender, n int) ([]*contender, error) {
	values := make([]float64, len(list))
	for i, c := range list {
		if c.peer != nil {
			values[i] = c.peer.value
		} else {
			values[i] = c.LogLik(c.thetas[0])
		}
		if math.IsInf(values[i], 0) || math.IsNaN(values[i]) {
			if n == f.sizes[0] {
				f.note("%s is not timed: the log-likelihood of the simulated trials is %v", c.model, values[i])
			}
			for _, c := range list {
				c.close()
			}
			return nil, nil
		}
		if !agree(values[i], values[0], n) {
			return list, fmt.Errorf("%s: %s gives %v, %s gives %v", c.model, c.engine, values[i], list[0].engine, values[0])
		}
	}
	return list, nil
}

// tune makes a compiled likelihood use one engine, or says why it cannot.
func (f *field) tune(lik likelihood.Likelihood, engine string) error {
	if t := reflect.TypeOf(lik); t.Kind() == reflect.Pointer && t.Elem().PkgPath() == reflect.TypeFor[load.Set]().PkgPath() {
		return fmt.Errorf("it runs in another process, and asking it takes longer than answering")
	}
	tables, tabulated := lik.(interface{ UseTables(on bool) })
	if tabulated {
		tables.UseTables(engine == "bound")
	}
	level := isa.Portable
	if engine != "portable" {
		level = isa.Best()
	}
	used := load.Use(lik, level)
	switch {
	case engine == "bound" && !tabulated:
		return fmt.Errorf("no sum over trials depends on one parameter alone")
	case engine == "vector" && used == isa.Portable:
		return fmt.Errorf("there is no assembly for this machine")
	case engine == "vector":
		f.facts.vector = used.String()
	}
	return nil
}
