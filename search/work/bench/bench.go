// Package bench times likelihoods of simulated trials. It times a model's compiled package with each of its engines, and three
// baselines: the model compiled from C, the exact density of the process, and a network.
//
//	Run: prepare (simulate, build, read) ─▶ for each size: bind ─▶ timing.Interleave ─▶ Result
package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"likc/runtime/model/catalog"
	"likc/runtime/model/timing"
)

// These are the engines: three ways in which a model's compiled package sums over trials, and the baselines.
const (
	Portable = "portable" // pure Go
	Vector   = "vector"   // loops in assembly
	Bound    = "bound"    // assembly, and tables for sums that depend on one parameter
	GCC      = "gcc"      // the model as one would write it in C
	Exact    = "exact"    // the exact density of the process
	LAN      = "lan"      // a network, evaluated at each trial or, as the model [Interpolated], interpolated between grid points
)

// Engines returns all engines, in the order of the tables.
func Engines() []string { return []string{Portable, Vector, Bound, GCC, Exact, LAN} }

// packaged lists the engines of a compiled package.
var packaged = []string{Portable, Vector, Bound}

// Models returns the built-in models that are timed if none is named: the paper's expressions, the leading small-time term,
// a covariate on the drift, and two parameters that cannot be separated, with exp and log in the loop.
func Models() []string {
	return []string{"expr1", "expr2", "expr3", "expr4", "expr5", "wald", "drift", "entangled"}
}

const (
	seed      = 1                    // the seed of the simulated trials
	points    = 64                   // number of parameter vectors, which evaluations use in turn
	MaxTrials = 1e8                  // most trials of a size
	Spread    = 0.02                 // each parameter of a vector differs from the truth by up to this share
	accuracy  = 1e-5                 // largest error of the interpolated network's log density at a trial
	agreement = 1e-8                 // largest difference between engines in log density per trial; a larger one is a bug, not rounding
	slice     = 2 * time.Millisecond // see timing.Limits
)

// Settings determine which likelihoods are timed, and for how long.
type Settings struct {
	Models    []*catalog.Model // models with an expression; their names differ from each other and from [Process]
	Sizes     []int            // numbers of trials, ascending, from 1 to MaxTrials
	Engines   []string         // names from Engines()
	Rounds    int              // the most rounds for each size; at least 1
	Limit     time.Duration    // no round begins that would exceed this time, but each size has at least one round
	Clock     timing.Clock
	ClockName string // cpu or wall
	Network   string // file of the network's weights; "" means the usual folder

	Note     func(text string)                     // receives the reason for each likelihood that is not timed
	Progress func(index, trials int, done float64) // nil: progress is not reported. index is that of the number of trials in Sizes, done is from 0 to 1
}

func (s *Settings) wants(engine string) bool { return slices.Contains(s.Engines, engine) }

// Run times everything at each size. Small sizes come first; the time that they do not need is left for the large ones.
func Run(ctx context.Context, s Settings) (*Result, error) {
	began := time.Now()
	p, err := prepare(ctx, s)
	if err != nil {
		return nil, err
	}
	defer p.close()
	for i, n := range s.Sizes {
		left := (s.Limit - time.Since(began)) / time.Duration(len(s.Sizes)-i)
		if err := p.time(ctx, i, left); err != nil {
			return nil, fmt.Errorf("%d trials: %w", n, err)
		}
	}
	p.noteMissing()
	slices.SortStableFunc(p.result.Rows, p.result.compareRows)
	return p.result, nil
}

// time times all entries on the trials of one size. limit is the time for all rounds together.
func (p *prepared) time(ctx context.Context, size int, limit time.Duration) error {
	n := p.Sizes[size]
	entries, err := p.bind(ctx, n)
	defer closeAll(entries)
	if err != nil {
		return err
	}
	whats := []timing.What{timing.Value, timing.Gradient}
	var timed []timing.Entry
	for _, e := range entries {
		for _, what := range whats {
			timed = append(timed, e.timed(what, p.Clock))
		}
	}
	progress := func(done float64) {
		if p.Progress != nil {
			p.Progress(size, n, done)
		}
	}
	times, err := timing.Interleave(ctx, timed, timing.Limits{Rounds: p.Rounds, Slice: slice, Total: limit}, progress)
	if err != nil {
		return err
	}
	for i, t := range times {
		p.record(entries[i/len(whats)], n, whats[i%len(whats)], t)
	}
	return nil
}

// record adds the time of one entry to the result.
func (p *prepared) record(e *entry, n int, what timing.What, t timing.Result) {
	r := p.result
	r.Rows = append(r.Rows, timing.Row{Model: e.model, Engine: e.engine, N: n, What: what, NS: t.NS, Rounds: t.Rounds})
	if count := e.allocations(what, t.NS); count > 0 {
		r.Allocations = append(r.Allocations, Allocation{Model: e.model, Engine: e.engine, N: n, What: what, Count: count})
	}
	if e.engine == Bound && what == timing.Gradient {
		r.Tables = append(r.Tables, Tables{Model: e.model, N: n, FirstNS: e.firstNS, Count: len(e.thetas)})
	}
}

// compareRows orders rows by model, as timed, then engine, then value before gradient, then size. The exact density, the network and
// the interpolated network come after the models.
func (r *Result) compareRows(x, y timing.Row) int {
	order := func(row timing.Row) int {
		if i := slices.Index(r.Models, row.Model); i >= 0 {
			return i
		}
		return len(r.Models) + strings.Count(row.Model, " ")
	}
	if d := order(x) - order(y); d != 0 {
		return d
	}
	if d := slices.Index(Engines(), x.Engine) - slices.Index(Engines(), y.Engine); d != 0 {
		return d
	}
	if x.What != y.What {
		return -strings.Compare(string(x.What), string(y.What))
	}
	return x.N - y.N
}
