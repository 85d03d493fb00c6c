package find

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"likc/cmd/likc/internal/cli"
	"likc/cmd/likc/internal/remote"
	"likc/runtime/fit/progress"
	"likc/runtime/model/front"
	"likc/runtime/num/notation"
	"likc/search/find/evolve"
	"likc/search/find/objective"
	"likc/search/find/polish"
	"likc/search/find/problem"

	"github.com/spf13/cobra"
)

// polishFlags are the flags of the command polish.
type polishFlags struct {
	// problem.Settings are the settings of a search problem, with these tags changed (see package settings).
	problem.Settings `but:"objective.default=polish | objective.one=polish,kl | objective.help=polish: recovery of the parameter that is recovered worst; or kl: divergence from the teacher, the network that is imitated, for formulas that are densities | lambda.default=50 | nonfinite.drop=true | single.help=evaluate in single precision, all but the recovery of all parameters at once: faster | preset.drop=true | guess.drop=true | constants.drop=true | evals.default=6000 | evals.help=evaluations of a climb, after which it is only simplified | seed.help=seed of the order in which edits are tried"`
	Price            float64 `flag:"price" in:"[0,1]" help:"recovery that a node has to be worth; with --objective kl, nats a trial, and 1e-05 unless given"`
	Top              int     `flag:"top" default:"16" in:"[0,1000000]" help:"how many expressions to climb from, the best by this loss, equal losses counted once; 0: all"`
	Threads          int     `flag:"threads" in:"[0,4096]" help:"threads; 0: one a processor. Results do not depend on it"`
	Out              string  `flag:"output,o" value:"POLISHED.jsonl" help:"POLISHED.jsonl to write"`
	Force            bool    `flag:"force" wants:"-o POLISHED.jsonl" help:"replace a front of other settings in -o; or, where -o has more climbs than --top, drop the rest"`
	cli.ExecFlags
	JSON bool `flag:"json" help:"print the front as JSON, one expression a line, instead of a table"`
	remote.TaskFlags

	run polish.Settings // settings of the climbs; Output is the path of --output, with links followed
}

// NewPolish returns the command polish.
func NewPolish() *cobra.Command {
	f := &polishFlags{Price: polish.DefaultPrice}
	// with Role, a value that is not finite rejects the expression on a row of the data, and only the grid point in a recovery proxy
	f.Single, f.NonFinite, f.Preset = true, objective.Role, evolve.Presets[0]
	return cli.Command(f, &cobra.Command{
		Use:         "polish FRONT.jsonl… -o POLISHED.jsonl",
		Annotations: cli.KeepsWork,
		Short:       "Climb from expressions that searches found to better ones nearby",
		Example:     `  likc polish front.jsonl -o polished.jsonl`,
		Long: `Improve what likc search found, by local search. likc ranks the expressions by a loss, and climbs from the best
of them. In this loss all parameters are recovered at once, over subjects that no search and no judge sees. The parameter that is
recovered worst counts most. An edit changes a leaf or an operator, swaps operands, puts an operator around a subtree or takes one
away. The first edit, in random order, that lowers the loss plus a price of each node is taken. Where none does, random pairs of
edits are tried. What is left is simplified.

POLISHED.jsonl is a front, with a line for each climb, in the order of the expressions from which they began. Climbs that end at one form share a line. "from"
says which expression a climb began at ("polished") and which others ended at the same form ("also"). likc judge, front and
search --from read it.

The front is written as climbs end. After Ctrl-C or a kill, the same command goes on with those that are missing. Arguments and
seed decide every byte, on any number of threads.

With --objective kl, the loss is that of likc search --objective kl: give the same --max-size. Constants are fitted for every
edit, and terms are added where they help most.

  likc polish runs/*/FRONT.jsonl -o POLISHED.jsonl
  likc judge POLISHED.jsonl --bank testdata/banks/test-60 -o VERDICTS.jsonl`,
		Args: cli.Some("FRONT.jsonl…, as likc search writes them"),
	})
}

// Run climbs from the best expressions of fronts, and prints the expressions that it reaches.
func (f *polishFlags) Run(cmd *cobra.Command, args []string) (err error) {
	if err := f.CheckAndEnterStartFolder(cmd, "POLISHED.jsonl", &f.Out); err != nil {
		return err
	}
	if f.Objective == problem.KL {
		f.setDensityDefaults(cmd.Flags().Changed)
	} else if f.Lambda == 0 {
		return cli.Usagef("--lambda 0: want a weight above 0")
	}
	if f.Out != "" {
		if f.run.Output, err = outputFile("--output", f.Out); err != nil {
			return err
		}
	}
	if f.OnCluster() {
		return f.runOnCluster(cmd)
	}
	defer f.Tidy(f.Out, &err) // removes what a cluster's task left behind
	f.run.Top, f.run.Threads, f.run.Force = f.Top, f.Threads, f.Force
	r, err := f.open(cmd.Context(), args)
	if err != nil {
		return flagged(err)
	}
	defer r.Close()
	if err := r.Rank(cmd.Context()); err != nil {
		return flagged(err)
	}
	bars := progress.NewBars(cmd.ErrOrStderr())
	err = r.Climb(cmd.Context(), bars.Climbs)
	bars.Close()
	if err != nil {
		return err
	}
	if cmd.Context().Err() != nil {
		return f.interrupted(r)
	}
	return f.print(cmd.OutOrStdout(), r)
}

// runOnCluster does what Run does, on a cluster.
func (f *polishFlags) runOnCluster(cmd *cobra.Command) error {
	if _, err := os.Stat(f.run.Output); err == nil && !f.Force {
		return cli.Usagef("--output %s: is there, and a cluster begins anew: name another file, or give --force to replace it", f.Out)
	}
	sameArguments := slices.Clone[[]string] // an interrupted climb goes on by the command with which it began; polish has no --resume
	output := remote.Output{Flag: "output", Name: "POLISHED.jsonl", Path: f.run.Output, Hashed: true}
	printed, err := f.Do(cmd, remote.Task{Outputs: []remote.Output{output}, Resume: output.Name, Again: sameArguments})
	if err != nil {
		return err
	}
	_, err = cmd.OutOrStdout().Write(printed)
	return err
}

// setDensityDefaults sets the defaults that differ for densities.
func (f *polishFlags) setDensityDefaults(given func(flag string) bool) {
	f.Constants = true
	if !given("lambda") {
		f.Lambda = 0
	}
	if !given("price") {
		f.Price = polish.DefaultDensityPrice
	}
}

// open reads the fronts and prepares the climbs.
func (f *polishFlags) open(ctx context.Context, args []string) (*polish.Run, error) {
	lines, err := readFronts(args)
	if err != nil {
		return nil, err
	}
	p, err := problem.Open(ctx, f.Settings, cli.FolderOrCommitted)
	if err != nil {
		return nil, err
	}
	f.run.Climb = polish.Climb(f.Seed, f.Evaluations, f.Price, f.Lambda)
	if f.Objective == problem.KL {
		f.run.Climb = polish.DensityClimb(f.Seed, f.Evaluations, f.Price)
	}
	return polish.Open(p, lines, f.run)
}

// interrupted returns the error of an interrupted command. It names the files that are kept, and the command that continues.
func (f *polishFlags) interrupted(r *polish.Run) error {
	done := fmt.Sprintf("%d of %s done", r.Done(), notation.Count(r.Wanted(), "climb"))
	switch {
	case r.Done() == 0:
		return errors.New("interrupted: no climb is done yet, and nothing written; give the same command again")
	case f.Out == "":
		return fmt.Errorf("interrupted: %s; with -o POLISHED.jsonl they would have been kept", done)
	}
	return fmt.Errorf("interrupted: %s, in %s; give the same command to go on", done, f.Out)
}

// print prints a line for each expression: the recovery of the parameter that is recovered worst, before and after the climb, and then the
// recovery of each parameter. For densities, it prints the divergence before and after.
func (f *polishFlags) print(w io.Writer, r *polish.Run) error {
	if f.JSON {
		lines, err := r.Lines()
		if err != nil {
			return err
		}
		return front.Write(w, lines)
	}
	found, err := r.Found()
	if err != nil {
		return err
	}
	names, format := r.Columns()
	title, figure := "weakest", slices.Min[[]float64]
	if f.Objective == problem.KL {
		title, figure = names[0], func(figures []float64) float64 { return figures[0] }
	}
	width := len(fmt.Sprintf(format, 0.0))
	head := fmt.Sprintf("%4s %9s %*s", "size", "loss", 2*width+4, title)
	for _, name := range names {
		head += fmt.Sprintf(" %*s", width, name)
	}
	fmt.Fprintln(w, head+"  expression")
	var evaluations int64
	ended := 0
	for _, c := range found {
		row := fmt.Sprintf("%4d %9.4g "+format+" -> "+format, c.Line.Size, float64(c.Line.Loss), figure(c.Before), figure(c.After))
		for _, x := range c.After {
			row += fmt.Sprintf(" "+format, x)
		}
		fmt.Fprintln(w, row+"  "+c.Line.Expr)
		evaluations += c.Line.Evaluations
		if c.Line.Evaluations >= f.Evaluations {
			ended++
		}
	}
	_, err = fmt.Fprintf(w, "\n%s, %s; %d evaluations; %s ended by --evals\n",
		notation.Count(r.Done(), "climb"), notation.Count(len(found), "form"), evaluations, notation.Count(ended, "climb"))
	return err
}
