package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"likc/cmd/likc/internal/cli"
	"likc/compiler/emit"
	"likc/compiler/emit/rowwise"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/evidence"
	"likc/runtime/model/kernel"
	"likc/runtime/model/ssm"
)

// trialByTrial writes a model that is no expression: an exact density, calls of densities, states.
func (c *compileFlags) trialByTrial(src *catalog.Model) ([]emit.File, error) {
	if err := c.checkTrialByTrial(src); err != nil {
		return nil, err
	}
	source, err := printable(src)
	if err != nil {
		return nil, err
	}
	print := map[target]func(rowwise.Source, emit.Config, []rowwise.Case) ([]emit.File, error){"go": rowwise.Go, "c": rowwise.C}[c.Target]
	cases, err := casesOf(src)
	if err != nil {
		return nil, err
	}
	cfg := c.config(src)
	cfg.ISA = ""
	if sum := src.Origin.SHA256(); sum != "" {
		cfg.Hash = sum[:16]
	}
	return print(source, cfg, cases)
}

// checkTrialByTrial returns an error if a model that is no expression cannot be written in the target's language.
func (c *compileFlags) checkTrialByTrial(src *catalog.Model) error {
	_, teacher := src.Teacher()
	_, numerical := src.Evidence()
	if c.Target != "go" && c.Target != "c" || c.Dump != "" || src.Called == nil && src.Origin.Kind != catalog.Exact && !teacher && !numerical {
		return cli.CheckExpression(src)
	}
	if teacher || numerical {
		_, err := printable(src)
		return err
	}
	for _, callee := range src.Callees() {
		if callee.Origin.Kind != catalog.Exact {
			return fmt.Errorf("%s calls %s, whose density cannot be compiled yet", src.Name, callee.Name)
		}
	}
	return rowwise.Printable(src.Model)
}

// casesOf draws trials and parameters and evaluates the model there, as eval does.
func casesOf(src *catalog.Model) ([]rowwise.Case, error) {
	p, err := cli.OpenEngine(src, "", bound.Ready)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	rng := rand.New(rand.NewPCG(1, 0x726f7773))
	var cases []rowwise.Case
	inside := func(low, high float64) float64 { return low + (high-low)*(0.1+0.8*rng.Float64()) }
	sizes := []int{3, 12, 60, 150}
	if _, ok := src.Evidence(); ok {
		sizes = []int{3, 12, 30} // an evaluation may take a millisecond for each trial
	}
	for _, n := range sizes {
		for range 1000 {
			c, err := caseAt(src, p, n, inside, rng)
			if err != nil {
				return nil, err
			}
			if total := c.Scale + c.LogLik; total-total == 0 {
				cases = append(cases, c)
				break
			}
		}
	}
	return cases, nil
}

// caseAt returns n trials of three participants, a parameter vector that draw makes of the ranges, and what the model gives
// there.
func caseAt(src *catalog.Model, p *bound.Prepared, n int, draw func(low, high float64) float64, rng *rand.Rand) (c rowwise.Case, err error) {
	c.Columns, c.Choice = emit.SimulateTrials(src.Model, n, rng)
	for _, r := range src.Params {
		c.Theta = append(c.Theta, math.Round(draw(r.Lower, r.Upper)*1e4)/1e4)
	}
	if err := drawOwn(src, &c, rng); err != nil {
		return c, err
	}
	trials := kernel.Trials{Columns: c.Columns, Choice: c.Choice}
	if src.Stateful() {
		for i := range n {
			k := 3 * i / n
			c.Person = append(c.Person, []int{7, 3, 12}[k])
			trials.Person = append(trials.Person, int32(k))
		}
		for range src.Restarts() {
			block := make([]float64, n)
			for i := range block {
				block[i] = float64(1 + i%n/9)
			}
			c.Blocks, trials.Columns = append(c.Blocks, block), append(trials.Columns[:len(trials.Columns):len(trials.Columns)], block)
		}
	}
	lik, err := p.Bind(trials, bound.Design{})
	if err != nil {
		return c, fmt.Errorf("%s: %w", src.Name, err)
	}
	c.Grad, c.Scale = make([]float64, len(c.Theta)), float64(n)
	c.LogLik = lik.LogLikGrad(c.Theta, c.Grad)
	each := make([]float64, n)
	lik.PerTrial(c.Theta, each)
	for _, x := range each {
		c.Scale += math.Abs(x)
	}
	for _, g := range c.Grad {
		c.Scale = max(c.Scale, math.Abs(g))
		if g-g != 0 {
			c.Scale = math.Inf(1)
		}
	}
	return c, p.Err()
}

// drawOwn replaces response times and choices by draws from the process, if the model has a numerical density: far from its trials such a
// density has few digits. It leaves the trials as they are at parameters that have no process.
func drawOwn(src *catalog.Model, c *rowwise.Case, rng *rand.Rand) error {
	d, ok := src.Evidence()
	if !ok {
		return nil
	}
	s, err := evidence.NewSimulator(src.Model)
	if err != nil {
		return err
	}
	scheme := ssm.BridgeScheme()
	for i := range c.Columns[0] {
		sample, err := s.Sampler(append(slices.Clone(c.Theta), d.Used(c.Columns, i)...), scheme.Step, scheme.MaxTime)
		if err != nil {
			return nil // evidence does not start between the boundaries
		}
		rt, choice := sample(rng)
		if !(rt > 0) {
			continue // no response comes after the trial's beginning
		}
		if c.Columns[d.Time()][i] = rt; c.Choice != nil {
			c.Choice[i] = choice
		}
	}
	return nil
}
