// Package bench is likc bench: it times likelihoods by every engine, beside gcc, the exact density and a network.
package bench

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/fit/progress"
	"likc/runtime/model/catalog"
	"likc/runtime/model/timing"
	"likc/runtime/sys/store"
	"likc/search/work/bench"

	"github.com/spf13/cobra"
)

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
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	cmd.Flags().StringVar(&f.sizes, "sizes", "30,100,1000,10000,100000,1000000", "numbers of trials")
	cmd.Flags().StringSliceVar(&f.engines, "engine", bench.Engines(), "the engines that are timed")
	cmd.Flags().StringVar(&f.svg, "svg", "", "draw the times on logarithmic axes to this SVG `FILE`")
	cli.AddForce(cmd)
	cmd.Flags().IntVar(&f.rounds, "repeat", 15, "rounds, if time allows")
	cmd.Flags().DurationVar(&f.limit, "time", 90*time.Second, "begin no round that would pass this time")
	cmd.Flags().StringVar(&f.clock, "clock", "", "cpu: time on the processor (default where it is known), or wall")
	cmd.Flags().StringVar(&f.network, "lan", "", "weights of the network, a JSON `FILE` (default: looked for)")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print JSON")
	return cmd
}

func (f *benchFlags) run(cmd *cobra.Command, models []string) error {
	s, err := f.settings(models)
	if err = cmp.Or(err, cli.CheckOutput(cmd, models, "--svg", f.svg, cli.WrittenSVG)); err != nil {
		return err
	}
	s.Note = func(text string) {
		fmt.Fprintf(cmd.ErrOrStderr(), "likc: note: %s\n", cli.OneLine(errors.New(text)))
	}
	shown := progress.NewBars(cmd.ErrOrStderr())
	s.Progress = func(size, trials int, done float64) {
		shown.Show(size, timing.Thousands(trials)+" trials ", int(1000*done), 1000, "")
	}
	r, err := bench.Run(cmd.Context(), s)
	shown.Close()
	if cmd.Context().Err() != nil { // whatever the programs that were timed say of it
		return errors.New("bench: interrupted, nothing is printed; give the same command again")
	}
	if err != nil {
		return err
	}
	return f.write(cmd, r)
}

// write prints the times, and draws them if a file was named.
func (f *benchFlags) write(cmd *cobra.Command, r *bench.Result) error {
	if len(r.Rows) == 0 {
		return fmt.Errorf("bench: nothing was timed")
	}
	if f.svg != "" {
		figure, err := r.Figure()
		if err != nil {
			return err
		}
		if err := store.WriteFile(f.svg, figure.WriteAlone); err != nil {
			return err
		}
	}
	if f.asJSON {
		return cli.PrintJSON(cmd.OutOrStdout(), r.Table())
	}
	r.Print(cmd.OutOrStdout())
	return nil
}

// settings checks the flags and reads the models.
func (f *benchFlags) settings(models []string) (s bench.Settings, err error) {
	s = bench.Settings{Engines: f.engines, Rounds: f.rounds, Limit: f.limit, Network: f.network}
	for _, e := range f.engines {
		if err := cli.OneOf("--engine", e, bench.Engines()...); err != nil {
			return s, err
		}
	}
	if err := cli.Within("--repeat", f.rounds, 1, 1_000_000); err != nil {
		return s, err
	}
	if err := cli.Within("--time", f.limit, 0, 1000*time.Hour); err != nil {
		return s, err
	}
	if s.Sizes, err = parseSizes(f.sizes); err != nil {
		return s, err
	}
	if s.Clock, s.ClockName, err = timing.ClockNamed(f.clock); err != nil {
		return s, cli.Usagef("--clock %w", err)
	}
	if err := cli.CheckPlace("--svg", f.svg); err != nil {
		return s, err
	}
	s.Models, err = readModels(models)
	return s, err
}

// readModels reads models whose names differ; none is all of the benchmark's own.
func readModels(names []string) ([]*catalog.Model, error) {
	if len(names) == 0 {
		names = bench.Models()
	}
	var models []*catalog.Model
	taken := map[string]string{bench.Process: "the exact density"}
	for _, name := range names {
		m, err := cli.ReadExpression(name)
		if err != nil {
			return nil, err
		}
		if other, twice := taken[m.Name]; twice {
			return nil, cli.Usagef("%s: its model is called %s, as is %s: rows are told apart by name", name, m.Name, other)
		}
		taken[m.Name] = name
		models = append(models, m)
	}
	return models, nil
}

// parseSizes reads "30,1000": ascending, each once.
func parseSizes(text string) ([]int, error) {
	var sizes []int
	for _, s := range strings.Split(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 1 || n > bench.MaxTrials {
			return nil, cli.Usagef("--sizes %s: want numbers of trials from 1 to %d, separated by commas", s, int(bench.MaxTrials))
		}
		sizes = append(sizes, n)
	}
	slices.Sort(sizes)
	return slices.Compact(sizes), nil
}
