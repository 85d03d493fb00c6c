package distil

import (
	"context"
	"fmt"
	"time"

	"likc/compiler/expr"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/timing"
	"likc/runtime/num/stream"
)

// speed returns processor times of a formula's log density with its gradient, and of the judge's reference, in microseconds: for the trials of one
// subject in the middle of the ranges. They are 0 if nothing can be compared: without a simulator, or without a density.
func (r *run) speed(ctx context.Context, formula *expr.Model) (own, reference float64, err error) {
	simulator, simulated := r.model.Simulator()
	if !simulated || r.target.kind == trialsTarget {
		return 0, 0, nil
	}
	simulator = simulator.From(ctx)
	how, _, err := simulator.Process.Scheme("")
	if err != nil {
		return 0, 0, err
	}
	var middle []float64
	for _, p := range r.model.Params {
		middle = append(middle, 0.6*p.Lower+0.4*p.Upper) // not 0, where symmetric ranges have their middle
	}
	rt, choice := make([]float64, r.Trials), make([]float64, r.Trials)
	if err := simulator.Simulate(stream.Named("speed"), middle, how, rt, choice); err != nil {
		return 0, 0, err
	}
	clock, _, err := timing.ClockNamed("")
	if err != nil {
		return 0, 0, err
	}
	first, err := parsed(formula)
	if err != nil {
		return 0, 0, err
	}
	second := r.model
	if r.target.slow != nil {
		second = r.target.slow
	}
	if r.model.Choice == "" {
		choice = nil
	}
	var entries []timing.Entry
	for _, m := range []*catalog.Model{first, second} {
		b, err := bound.Prepare(ctx, m, bound.Ready)
		if err != nil {
			return 0, 0, fmt.Errorf("time %s: %w", m.Name, err)
		}
		defer b.Close()
		lik, err := b.Bind(kernel.Responses(rt, choice), bound.Design{})
		if err != nil {
			return 0, 0, fmt.Errorf("time %s: %w", m.Name, err)
		}
		entries = append(entries, timing.Likelihood(m.Name, lik, timing.Around(middle, 0.01, 8), timing.Gradient, clock))
	}
	times, err := timing.Interleave(ctx, entries, timing.Limits{Rounds: 7, Slice: 20 * time.Millisecond, Total: 2 * time.Second}, nil)
	if err != nil {
		return 0, 0, err
	}
	return times[0].NS / 1000, times[1].NS / 1000, nil
}
