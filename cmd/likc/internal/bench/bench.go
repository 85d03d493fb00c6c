// Package bench is likc bench: it times likelihoods by every engine, beside gcc, the exact density and a network.
package bench

import (
	"context"
	"fmt"
	"io"
	"likc/cmd/likc/internal/cli"
	"likc/runtime/catalog"
	"likc/runtime/timing"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// The models that are timed if none is named: the paper's expressions, the leading small-time term, a covariate on the
// drift, and two parameters entangled with exp and log in the loop.
var benchModels = []string{"expr1", "expr2", "expr3", "expr4", "expr5", "wald", "drift", "entangled"}

var benchEngines = []string{"portable", "vector", "bound", "gcc", "exact", "lan"}

type benchFlags struct {
	sizes, svg, clock, network string
	engines                    []string
	rounds                     int
	limit                      time.Duration
	asJSON                     bool
}

func NewBench() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench [MODEL…]",
		Short: "Time likelihoods, by every engine and beside gcc, the exact density and a LAN",
		Long: `Bench times value, and value with gradient ("gradient"), on simulated trials, each evaluation at another theta. All
engines take turns, round by round, so that what else the machine does hits all alike; the median round counts.

Engines:
  portable  the compiled package, Go alone, over all trials
  vector    the same with its loops in assembly
  bound     the same with sums that depend on one parameter from tables; what it takes to build those is stated apart
  gcc       the model as one would write it in C, compiled with -O3 -march=native -ffast-math
  exact     the exact Wiener density
  lan       a likelihood approximation network in single precision: trial by trial, and interpolated between trials`,
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := newBenchmark(f, args)
			if err != nil {
				return err
			}
			b.notes = cmd.ErrOrStderr()
			if err := b.run(cmd.Context()); err != nil {
				return err
			}
			return b.write(cmd.OutOrStdout(), f)
		},
	}
	cmd.Flags().StringVar(&f.sizes, "sizes", "30,100,1000,10000,100000,1000000", "numbers of trials")
	cmd.Flags().StringSliceVar(&f.engines, "engine", benchEngines, "the engines that are timed")
	cmd.Flags().StringVar(&f.svg, "svg", "", "draw the times on logarithmic axes to this SVG `FILE`")
	cmd.Flags().IntVar(&f.rounds, "repeat", 15, "rounds, if time allows")
	cmd.Flags().DurationVar(&f.limit, "time", 90*time.Second, "begin no round that would pass this time")
	cmd.Flags().StringVar(&f.clock, "clock", "", "cpu: time on the processor (default where it is known), or wall")
	cmd.Flags().StringVar(&f.network, "lan", "", "weights of the network, a JSON `FILE` (default: looked for)")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print JSON")
	return cmd
}

// benchmark is one run.
type benchmark struct {
	models    []*catalog.Model
	sizes     []int
	engines   []string
	rounds    int
	limit     time.Duration
	clock     timing.Clock
	clockName string
	network   string
	notes     io.Writer

	facts  machine
	rows   []timing.Row
	tables []tableCost
	allocs []string // what allocates, and how often
}

func newBenchmark(f benchFlags, models []string) (*benchmark, error) {
	b := &benchmark{engines: f.engines, rounds: f.rounds, limit: f.limit, network: f.network}
	for _, e := range f.engines {
		if err := cli.OneOf("--engine", e, benchEngines...); err != nil {
			return nil, err
		}
	}
	if f.rounds < 1 {
		return nil, cli.Usagef("--repeat %d: want 1 or more", f.rounds)
	}
	var err error
	if b.sizes, err = parseSizes(f.sizes); err != nil {
		return nil, err
	}
	if b.clock, b.clockName, err = chooseClock(f.clock); err != nil {
		return nil, err
	}
	if len(models) == 0 {
		models = benchModels
	}
	if err := cli.CheckPlace("--svg", f.svg); err != nil {
		return nil, err
	}
	taken := map[string]string{benchProcess.Name: "the exact density"}
	for _, name := range models {
		src, err := cli.ReadExpression(name)
		if err != nil {
			return nil, err
		}
		if other, twice := taken[src.Name]; twice {
			return nil, cli.Usagef("%s: its model is called %s, as is %s: rows are told apart by name", name, src.Name, other)
		}
		taken[src.Name] = name
		b.models = append(b.models, src)
	}
	return b, nil
}

// parseSizes reads "30,1000": ascending, each once.
func parseSizes(text string) ([]int, error) {
	var sizes []int
	for _, s := range strings.Split(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 1 || n > 100_000_000 {
			return nil, cli.Usagef("--sizes %s: want numbers of trials from 1 to 100000000, separated by commas", s)
		}
		sizes = append(sizes, n)
	}
	slices.Sort(sizes)
	return slices.Compact(sizes), nil
}

func chooseClock(name string) (timing.Clock, string, error) {
	switch name {
	case "wall":
		return timing.Wall, name, nil
	case "cpu", "":
		cpu, err := timing.CPU()
		switch {
		case err == nil:
			return cpu, "cpu", nil
		case name == "":
			return timing.Wall, "wall", nil
		}
		return nil, "", fmt.Errorf("--clock cpu: %w", err)
	}
	return nil, "", cli.Usagef("--clock %s: want cpu or wall", name)
}

func (b *benchmark) wants(engine string) bool { return slices.Contains(b.engines, engine) }

func (b *benchmark) note(format string, args ...any) {
	fmt.Fprintf(b.notes, "likc: note: "+format+"\n", args...)
}

// run times all sizes, the small ones first; what time they leave goes to the large ones.
func (b *benchmark) run(ctx context.Context) error {
	began := time.Now()
	b.facts = describeMachine()
	field, err := b.prepare(ctx)
	if err != nil {
		return err
	}
	defer field.close()
	shown := cli.NewProgress(b.notes)
	defer shown.Close()
	for i, n := range b.sizes {
		left := (b.limit - time.Since(began)) / time.Duration(len(b.sizes)-i)
		if err := b.size(ctx, field, n, left, func(done float64) {
			if shown.Container != nil {
				shown.Show(i, thousands(n)+" trials ", int(1000*done), 1000, "")
			}
		}); err != nil {
			return fmt.Errorf("%d trials: %w", n, err)
		}
	}
	field.noteMissing()
	slices.SortStableFunc(b.rows, b.compareRows)
	return nil
}

// size times everything on n trials.
func (b *benchmark) size(ctx context.Context, f *field, n int, limit time.Duration, progress func(float64)) error {
	contenders, err := f.bind(ctx, n)
	defer func() {
		for _, c := range contenders {
			c.close()
		}
	}()
	if err != nil {
		return err
	}
	var entries []timing.Entry
	for _, c := range contenders {
		entries = append(entries, c.entry(timing.Value, b.clock), c.entry(timing.Gradient, b.clock))
	}
	limits := timing.Limits{Rounds: b.rounds, Slice: 2 * time.Millisecond, Total: limit}
	results, err := timing.Interleave(ctx, entries, limits, progress)
	if err != nil {
		return err
	}
	for i, r := range results {
		what := []timing.What{timing.Value, timing.Gradient}[i%2]
		c := contenders[i/2]
		b.rows = append(b.rows, timing.Row{Model: c.model, Engine: c.engine, N: n, What: what, NS: r.NS, Rounds: r.Rounds})
		if a := c.allocations(what, r.NS); a > 0 {
			b.allocs = append(b.allocs, fmt.Sprintf("%s %s, %s trials, %s: %.3g an evaluation", c.model, c.engine, thousands(n), what, a))
		}
	}
	for _, c := range contenders {
		if c.engine == "bound" {
			b.tables = append(b.tables, tableCost{c.model, n, c.firstNS, len(c.thetas)})
		}
	}
	return nil
}

// compareRows sorts by model, as timed, then engine, then value before gradient, then size.
func (b *benchmark) compareRows(x, y timing.Row) int {
	place := func(r timing.Row) int {
		for i, m := range b.models {
			if m.Name == r.Model {
				return i
			}
		}
		return len(b.models) + strings.Count(r.Model, " ") // the density and the network, and then the network interpolated
	}
	if d := place(x) - place(y); d != 0 {
		return d
	}
	if d := slices.Index(benchEngines, x.Engine) - slices.Index(benchEngines, y.Engine); d != 0 {
		return d
	}
	if x.What != y.What {
		return -strings.Compare(string(x.What), string(y.What))
	}
	return x.N - y.N
}
