// Package nuts draws from a density whose gradient is known, by the No-U-Turn Sampler. This is Hamiltonian Monte Carlo that
// chooses the length of its trajectories. Points have multinomial weights. Trajectories end by the generalised U-turn criterion.
// The step size is learned by dual averaging, and the metric during warm-up.
//
// The parts are independent; only the chain uses all of them. Growing a tree does not depend on the rule for the step size, and
// adaptation depends on the outcome of a transition, not on its tree.
//
// References:
//
//	[hoffman2014]    Hoffman, Gelman (2014). The No-U-Turn Sampler. JMLR 15, 1593-1623.
//	[betancourt2017] Betancourt (2017). A conceptual introduction to Hamiltonian Monte Carlo. arXiv:1701.02434.
//	[stan]           Stan Reference Manual, "MCMC sampling using Hamiltonian Monte Carlo".
//	[seyboldt2026]   Seyboldt, Carlson, Carpenter (2026). Preconditioning Hamiltonian Monte Carlo by minimizing Fisher
//	                 divergence. arXiv:2603.18845.
package nuts

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"likc/runtime/num/chains"
	"likc/runtime/sys/workers"
)

// Target is an unnormalised log density over unconstrained positions.
//
// LogDensityGrad returns the log density at q and overwrites grad with its gradient; both have length Dim. It must not keep or
// change q. Three results count as divergences: an error with a method Recoverable() bool that returns true, a value that is not
// finite, and a gradient that is not finite. Any other error stops the chain.
type Target interface {
	Dim() int
	LogDensityGrad(q, grad []float64) (float64, error)
}

// Result is the result of a run.
type Result struct {
	Draws       *chains.Draws // the draws, in unconstrained space; parameters are named q[1], q[2], ...
	Divergences []Divergence  // the divergences after warm-up, sorted by chain and iteration
	Failed      []int         // numbers of the chains, from 1, that ended with an error; Draws has the draws that they made before
}

// Divergence describes a divergent trajectory.
type Divergence struct {
	Chain     int       // number of the chain, from 1
	Iteration int       // number of the iteration after the warm-up, from 0
	From      []float64 // the draw from which the trajectory started
	At        []float64 // the point where the energy error exceeded the limit
	Energy    float64   // energy error at that point, +Inf if the density had no value
	Reason    string    // the density's own error, if it gave one
}

// Progress is the state of one chain, for display.
type Progress struct {
	Chain       int // number of the chain, from 1
	Iteration   int // number of finished transitions
	Total       int // number of all transitions, warm-up included
	Warmup      bool
	Divergences int // number of divergences after warm-up
	StepSize    float64
	Leapfrogs   int // leapfrog steps of the last transition
	Gradients   int // number of gradients so far

	Position []float64 // position after the last transition, unconstrained; it is valid until the function that is called returns
}

// Sample runs the chains, Threads at a time, each with its own target. The draws depend only on the settings, not on the number of
// threads. Every (Seed, Stream, chain) has its own random numbers.
//
// When the context ends, chains stop within one gradient, and the draws made so far are returned with the context's error. A
// chain that fails does not stop the others. The result then holds the draws of all chains, and the error states which chains
// failed and why.
func Sample(ctx context.Context, target func(chain int) Target, s Settings) (*Result, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	s = s.withDelta()
	var stop atomic.Bool
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()
	if ctx.Err() != nil {
		stop.Store(true)
	}
	var progress func(Progress)
	if s.Progress != nil {
		var one sync.Mutex
		progress = func(p Progress) { one.Lock(); defer one.Unlock(); s.Progress(p) }
	}
	runs, errs := make([]*chain, s.NumChains), make([]error, s.NumChains)
	workers.Do(context.WithoutCancel(ctx), s.NumChains, s.Threads, func(_, i int) { // chains end by stop
		t := target(i)
		if t.Dim() < 1 {
			errs[i] = errors.New("the target has no dimension")
			return
		}
		runs[i] = newChain(i+1, t, s, &stop, progress)
		errs[i] = runs[i].run()
	})
	result := collect(runs, s)
	for i, err := range errs {
		if err != nil {
			result.Failed = append(result.Failed, i+1)
		}
	}
	return result, errors.Join(failures(errs), ctx.Err())
}

// failures returns one error for all chains that failed. Chains with the same reason share a line.
func failures(errs []error) error {
	var all []error
	told := map[string]bool{}
	for i, err := range errs {
		if err == nil || told[err.Error()] {
			continue
		}
		told[err.Error()] = true
		var who []string
		for k := i; k < len(errs); k++ {
			if errs[k] != nil && errs[k].Error() == err.Error() {
				who = append(who, strconv.Itoa(k+1))
			}
		}
		name := "chain"
		if len(who) > 1 {
			name = "chains"
		}
		all = append(all, fmt.Errorf("%s %s: %w", name, strings.Join(who, ", "), err))
	}
	return errors.Join(all...)
}

// collect joins the chains' draws into a result.
func collect(runs []*chain, s Settings) *Result {
	r := &Result{Draws: &chains.Draws{Run: s.header(0)}}
	for _, c := range runs {
		if c == nil {
			continue
		}
		for j := len(r.Draws.Names); j < c.target.Dim(); j++ {
			r.Draws.Names = append(r.Draws.Names, fmt.Sprintf("q[%d]", j+1))
		}
		r.Draws.Run = s.header(c.target.Dim())
		r.Draws.Chains = append(r.Draws.Chains, c.out)
		r.Divergences = append(r.Divergences, c.divergences...)
	}
	return r
}
