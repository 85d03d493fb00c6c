// Package find holds the commands that find expressions: search, polish and front.
package find

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/model/front"
	"likc/search/find/discover"
	"likc/search/find/evolve"
	"likc/search/find/objective"
	"likc/search/find/polish"
	"likc/search/find/problem"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// searchFlags are what search was asked for.
type searchFlags struct {
	problem      problem.Settings
	from         []string
	run          discover.Settings // its files are the places that --output and --archive lead to
	out, archive string
	asJSON       bool
}

// defaultEvals is the budget without --evals and --time.
const defaultEvals = 1_000_000

func NewSearch() *cobra.Command {
	f := &searchFlags{}
	cmd := &cobra.Command{
		Use:   "search -o FRONT.jsonl",
		Short: "Symbolic regression of a teacher under the recovery-directed loss",
		Long: `Search evolves expressions that are close to a teacher's log density at the upper boundary and give parameters back:
loss = distance + λ (1 − R). With --objective paper, the distance is the mean squared error, and R says how well parameters
are recovered by maximising each expression over a grid, one parameter at a time, in a few trials of the upper boundary. With
improved, the default, the distance is bounded and free of an additive constant, and most of R is from maximising over
all parameters at once in a thousand trials a subject, with half the weight on the parameter recovered worst; the front is of
what recovers all parameters there, once there is anything.

With --objective kl, expressions are densities: the loss is the mean Kullback-Leibler divergence from the teacher of exp f over
its integral, in nats a trial, over the parameter vectors of --rows. Terms of parameters alone are free. With --constants,
numbers are drawn too and fitted; each costs 1% of the loss, and at the end they are rounded to as few digits as cost 1% in
all. The models are normalised (likc normalise), so that every command takes FRONT.jsonl#LINE as a density:

  likc search --objective kl --constants --max-size 60 --time 10m -o DENSITIES.jsonl

While it runs, FRONT.jsonl (an expression a line, with every term of its loss) and FRONT.csv (Complexity, Loss, Equation) hold
the front, to be read at any time. FRONT.jsonl.state is a checkpoint: after Ctrl-C or a kill, the same command with --resume
goes on to the front that an uninterrupted search would have found; --evals must be the same, for how a search goes depends on
it. The seed and --evals decide the front, byte for byte, on any number of threads.

Useful are the evaluations of expressions that are finite, have every symbol after simplification, and do not equal an earlier
one. How many have every symbol only before simplification is estimated from one in 32.

The teacher must have passed its gate (likc teacher gate).`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return cli.Usagef("search: %q: wants flags alone, as -o FRONT.jsonl and --teacher DIR; see likc search --help", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runSearch(cmd, f) },
	}
	f.add(cmd)
	return cmd
}

func (f *searchFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	cli.AddForce(cmd)
	addProblem(flags, &f.problem, &f.run.Threads)
	flags.Float64Var(&f.problem.Lambda, "lambda", 1, "weight of recovery in the loss")
	flags.StringVar(&f.problem.Objective, "objective", problem.Improved, "improved: robust distance up to a constant, recovery from both boundaries and of all parameters at once; paper; or kl: divergence from the teacher, for densities")
	flags.BoolVar(&f.problem.Constants, "constants", false, "draw numbers too and fit them, with --objective kl")
	flags.BoolVar(&f.problem.Single, "single", false, "evaluate in single precision: faster, with losses that differ by about 1e-6 of themselves")
	flags.StringVar(&f.problem.NonFinite, "nonfinite", objective.Role, "role: a value that is not finite rejects on data, and loses in the proxy; reject: it rejects everywhere, as in PySR")
	flags.StringVar(&f.problem.Preset, "preset", evolve.Presets[0], strings.Join(evolve.Presets, " or ")+": settings of the evolution")
	flags.StringArrayVar(&f.problem.Guesses, "guess", nil, "`EXPR` among the first members of every population; the front says so")
	flags.StringArrayVar(&f.from, "from", nil, "`FRONT.jsonl` of earlier searches to go on from: its expressions are dealt over the first populations; the new front says so")
	flags.Uint64Var(&f.problem.Seed, "seed", 1, "seed: with --evals, the same one gives the same bytes")
	flags.Int64Var(&f.problem.Evaluations, "evals", 0, fmt.Sprintf("full evaluations to spend (default %d without --time)", defaultEvals))
	flags.DurationVar(&f.run.Limit, "time", 0, "wall-clock budget, as 60s")
	flags.StringVarP(&f.out, "output", "o", "", "`FRONT.jsonl` to write, with FRONT.csv and a checkpoint beside it")
	flags.StringVar(&f.archive, "archive", "", "`FILE.jsonl` for the best of each size and set of recovered parameters, at the end and without tiers")
	flags.DurationVar(&f.run.Checkpoint, "checkpoint", 10*time.Second, "time between checkpoints; longer where they would take over 5% of the time")
	flags.BoolVar(&f.run.Resume, "resume", false, "go on from FRONT.jsonl.state; begin anew if there is none")
	flags.BoolVar(&f.asJSON, "json", false, "print the front as JSON, one expression a line, instead of a table")
}

// addProblem adds the flags that search and polish share.
func addProblem(flags *pflag.FlagSet, p *problem.Settings, threads *int) {
	flags.StringVar(&p.Teacher, "teacher", "spline", "`DIR` of a teacher, or the name of one that comes with likc")
	flags.StringVar(&p.Rows, "rows", "search-rows", "`BANK` of upper-boundary trials to score: a folder, or the name of one that comes with likc")
	flags.StringVar(&p.Header, "header", "", "`MODEL` that the expressions are of: its parameters, ranges, support and reflection (default: the teacher's)")
	flags.BoolVar(&p.Ungated, "ungated", false, "take a teacher that has not passed its gate; the front says so")
	flags.StringSliceVar(&p.Operators, "operators", nil, "operators, as add,sub,mul,div,exp (default: + - * / exp log sqrt square)")
	flags.IntVar(&p.MaxSize, "max-size", 0, "most nodes of an expression (default: the preset's, 50)")
	flags.IntVar(threads, "threads", 0, "threads; 0: one a processor. Results do not depend on it")
}

// checkSize refuses a size that was given and would mean none.
func checkSize(flags *pflag.FlagSet, p *problem.Settings) error {
	if flags.Changed("max-size") && p.MaxSize < 1 {
		return cli.Usagef("--max-size %d: want 1 or more", p.MaxSize)
	}
	return nil
}

// Bounds of flags.
const (
	mostEvals = 1_000_000_000_000
	longest   = 10_000 * time.Hour
)

func (f *searchFlags) check(changed func(flag string) bool) error {
	if f.problem.Objective == problem.KL && !changed("lambda") {
		f.problem.Lambda = 0
	}
	p, s := &f.problem, &f.run
	err := cmp.Or(
		cli.Within("--lambda", p.Lambda, 0, problem.MostLambda),
		cli.Within("--threads", s.Threads, 0, cli.MaxThreads),
		cli.Within("--evals", p.Evaluations, 0, mostEvals),
		cli.Within("--time", s.Limit, 0, longest),
		cli.Within("--checkpoint", s.Checkpoint, 1, longest),
		cli.OneOf("--objective", p.Objective, problem.Paper, problem.Improved, problem.KL))
	switch {
	case err != nil:
		return err
	case s.Resume && f.out == "":
		return cli.Usagef("--resume: name the front that was begun with -o")
	}
	if p.Evaluations == 0 && s.Limit == 0 {
		p.Evaluations = defaultEvals
	}
	return f.place()
}

func runSearch(cmd *cobra.Command, f *searchFlags) error {
	if cmd.Flags().Changed("evals") && f.problem.Evaluations == 0 {
		return cli.Usagef("--evals 0: want 1 or more")
	}
	if err := checkSize(cmd.Flags(), &f.problem); err != nil {
		return err
	}
	if err := cmp.Or(f.check(cmd.Flags().Changed), f.checkReplaced(cmd)); err != nil {
		return err
	}
	p, err := f.open()
	if err != nil {
		return err
	}
	search, err := discover.New(p, f.run)
	if err != nil {
		return flagged(err)
	}
	defer search.Close()
	table := discover.NewScreen(cmd.ErrOrStderr(), search)
	reason, err := search.Run(cmd.Context(), table.Update)
	table.Close()
	if err != nil {
		return err
	}
	if reason == evolve.Interrupted {
		return f.interrupted(cmd.OutOrStdout(), search)
	}
	return f.print(cmd.OutOrStdout(), search)
}

// open sets up the problem.
func (f *searchFlags) open() (*problem.Problem, error) {
	p, err := problem.Open(f.problem, cli.FolderOrCommitted)
	if err != nil {
		return nil, flagged(err)
	}
	lines, err := readFronts(f.from)
	if err != nil {
		return nil, fmt.Errorf("--from %w", err)
	}
	if err := p.StartFrom(lines); err != nil {
		return nil, cli.Usagef("--from %w", err)
	}
	return p, nil
}

// flagged names the flag of a setting that is wrong.
func flagged(err error) error {
	var wrong *problem.Error
	if !errors.As(err, &wrong) {
		return err
	}
	if wrong.Setting != "" {
		err = fmt.Errorf("--%w", err)
	}
	switch {
	case wrong.Refused:
		return cli.Usage(err)
	case errors.Is(err, problem.ErrNotAdmitted):
		return fmt.Errorf("%w (--ungated takes it as it is)", err)
	case errors.Is(err, polish.ErrTaken):
		return fmt.Errorf("%w; give another name, or --force to write over it", err)
	}
	return err
}

// interrupted says what is kept and how to go on. A front that goes to no file is printed.
func (f *searchFlags) interrupted(w io.Writer, search *discover.Search) error {
	spent := search.Counters().Full
	if f.out == "" {
		if err := f.print(w, search); err != nil {
			return err
		}
		return fmt.Errorf("interrupted: the front after %d evaluations is printed; only a search with -o FRONT.jsonl can go on", spent)
	}
	if len(search.Front()) == 0 {
		return fmt.Errorf("interrupted: no expression yet after %d evaluations; give the same command with --resume to go on", spent)
	}
	return fmt.Errorf("interrupted: the front after %d evaluations is in %s; give the same command with --resume to go on", spent, f.out)
}

// print writes the front that was found.
func (f *searchFlags) print(w io.Writer, found *discover.Search) error {
	if f.asJSON {
		return front.Write(w, found.Lines())
	}
	for _, l := range found.Listing() {
		if _, err := fmt.Fprintln(w, l); err != nil {
			return err
		}
	}
	c := found.Counters()
	_, err := fmt.Fprintf(w, "\n%d evaluations, %.0f%% of them useful\n", c.Full, 100*c.UsefulShare())
	return err
}
