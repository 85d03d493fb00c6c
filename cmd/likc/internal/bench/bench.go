// Package bench holds the command likc bench, which times likelihoods with every engine, and for comparison gcc, the
// exact density and a network.
package bench

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/fit/progress"
	"likc/runtime/model/catalog"
	"likc/runtime/model/timing"
	"likc/runtime/sys/store"
	"likc/search/work/bench"

	"github.com/spf13/cobra"
)

// benchFlags are the flags of the command bench.
type benchFlags struct {
	Sizes   []int         `flag:"sizes" list:"comma" default:"30,100,1000,10000,100000,1000000" in:"[1,100000000]" want:"numbers of trials from {in}, separated by commas" help:"numbers of trials"`
	Engines engines       `flag:"engine" list:"comma" help:"the engines that are timed"`
	SVG     string        `flag:"svg" value:"FILE" writes:"svg" help:"draw the times on logarithmic axes to this SVG FILE"`
	Rounds  int           `flag:"repeat" default:"15" in:"[1,1000000]" help:"rounds, if time allows"`
	Limit   time.Duration `flag:"time" default:"90s" in:"[0s,1000h]" help:"begin no round that would pass this time"`
	Clock   string        `flag:"clock" help:"cpu: time on the processor (default where it is known), or wall"`
	Network string        `flag:"lan" value:"FILE" help:"weights of the network, a JSON FILE (default: the one in the usual folder, if it is there)"`
	JSON    bool          `flag:"json" help:"print JSON"`
}

// engines are names of engines to time.
type engines []string

// Choices lists all engines.
func (engines) Choices() []string { return bench.Engines() }

// NewBench returns the command bench.
func NewBench() *cobra.Command {
	return cli.Command(&benchFlags{Engines: bench.Engines()}, &cobra.Command{
		Use:         "bench [MODEL…]",
		Annotations: cli.KeepsWork,
		Short:       "Time likelihoods, by every engine and beside gcc, the exact density and a LAN",
		Long: `Time value, and value with gradient ("gradient"), on simulated trials, each evaluation at another theta. All
engines take turns, round by round, so that what else the machine does hits all alike; the median round counts.

Engines:
  portable  the compiled package, Go alone, over all trials
  vector    the same with its loops in assembly
  bound     the same, but sums that depend on only one parameter are read from tables; the time to build the tables is listed separately
  gcc       the model as one would write it in C, compiled with -O3 -march=native -ffast-math
  exact     the exact Wiener density
  lan       a likelihood approximation network in single precision: trial by trial, and interpolated between trials`,
	})
}

// Run times likelihoods and prints a table.
func (f *benchFlags) Run(cmd *cobra.Command, models []string) error {
	s, err := f.settings(models)
	if err != nil {
		return err
	}
	s.Note = func(text string) {
		fmt.Fprintf(cmd.ErrOrStderr(), "likc: note: %s\n", cli.OneLine(errors.New(text)))
	}
	shown := progress.NewBars(cmd.ErrOrStderr())
	s.Progress = func(index, trials int, done float64) {
		shown.Show(index, timing.Thousands(trials)+" trials ", int(1000*done), 1000, "")
	}
	r, err := bench.Run(cmd.Context(), s)
	shown.Close()
	if cmd.Context().Err() != nil { // an interrupt hides the errors of the programs that were timed
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
	if f.SVG != "" {
		figure, err := r.Figure()
		if err != nil {
			return err
		}
		if err := store.WriteFile(f.SVG, figure.WriteStandalone); err != nil {
			return err
		}
	}
	if f.JSON {
		return cli.PrintJSON(cmd.OutOrStdout(), r.Table())
	}
	r.Print(cmd.OutOrStdout())
	return nil
}

// settings turns the flags into settings and reads the models.
func (f *benchFlags) settings(models []string) (s bench.Settings, err error) {
	slices.Sort(f.Sizes)
	s = bench.Settings{Engines: f.Engines, Rounds: f.Rounds, Limit: f.Limit, Network: f.Network, Sizes: slices.Compact(f.Sizes)}
	if s.Clock, s.ClockName, err = timing.ClockNamed(f.Clock); err != nil {
		return s, cli.Usagef("--clock %w", err)
	}
	s.Models, err = readModels(models)
	return s, err
}

// readModels reads models, whose names must differ. Without arguments it returns all models of the benchmark itself.
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
