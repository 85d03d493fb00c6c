// Package find holds the commands that find expressions: search, polish and front.
package find

import (
	"context"
	"errors"
	"fmt"
	"likc/cmd/likc/internal/cli"
	"likc/runtime/store"
	"likc/search/evolve"
	"likc/search/objective"
	"math"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// searchFlags are what search was asked for.
type searchFlags struct {
	teacher, rows, header string
	ungated, single       bool
	lambda                float64
	objective, nonFinite  string
	preset                string
	operators             []string
	maxSize               int
	guesses, from         []string
	seed                  uint64
	evals                 int64
	limit, checkpoint     time.Duration
	threads               int
	out, archive          string
	resume, asJSON        bool
	subjects              int // of polish
	places                searchPlaces
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
	f.addProblem(flags)
	flags.Float64Var(&f.lambda, "lambda", 1, "weight of recovery in the loss")
	flags.StringVar(&f.objective, "objective", "improved", "improved: robust distance up to a constant, recovery from both boundaries and of all parameters at once; or paper")
	flags.BoolVar(&f.single, "single", false, "evaluate in single precision: faster, with losses that differ by about 1e-6 of themselves")
	flags.StringVar(&f.nonFinite, "nonfinite", objective.Role, "role: a value that is not finite rejects on data, and loses in the proxy; reject: it rejects everywhere, as in PySR")
	flags.StringVar(&f.preset, "preset", evolve.Presets[0], strings.Join(evolve.Presets, " or ")+": settings of the evolution")
	flags.StringArrayVar(&f.guesses, "guess", nil, "`EXPR` among the first members of every population; the front says so")
	flags.StringArrayVar(&f.from, "from", nil, "`FRONT.jsonl` of earlier searches to go on from: its expressions are dealt over the first populations; the new front says so")
	flags.Uint64Var(&f.seed, "seed", 1, "seed: with --evals, the same one gives the same bytes")
	flags.Int64Var(&f.evals, "evals", 0, fmt.Sprintf("full evaluations to spend (default %d without --time)", defaultEvals))
	flags.DurationVar(&f.limit, "time", 0, "wall-clock budget, as 60s")
	flags.StringVarP(&f.out, "output", "o", "", "`FRONT.jsonl` to write, with FRONT.csv and a checkpoint beside it")
	flags.StringVar(&f.archive, "archive", "", "`FILE.jsonl` for the best of each size and set of recovered parameters, at the end and without tiers")
	flags.DurationVar(&f.checkpoint, "checkpoint", 10*time.Second, "time between checkpoints; longer where they would take over 5% of the time")
	flags.BoolVar(&f.resume, "resume", false, "go on from FRONT.jsonl.state; begin anew if there is none")
	flags.BoolVar(&f.asJSON, "json", false, "print the front as JSON, one expression a line, instead of a table")
}

// addProblem adds what polish takes too.
func (f *searchFlags) addProblem(flags *pflag.FlagSet) {
	flags.StringVar(&f.teacher, "teacher", "spline", "`DIR` of a teacher, or the name of one that comes with likc")
	flags.StringVar(&f.rows, "rows", "search-rows", "`BANK` of upper-boundary trials to score: a folder, or the name of one that comes with likc")
	flags.StringVar(&f.header, "header", "", "`MODEL` that the expressions are of: its parameters, ranges, support and reflection (default: the teacher's)")
	flags.BoolVar(&f.ungated, "ungated", false, "take a teacher that has not passed its gate; the front says so")
	flags.StringSliceVar(&f.operators, "operators", nil, "operators, as add,sub,mul,div,exp (default: + - * / exp log sqrt square)")
	flags.IntVar(&f.maxSize, "max-size", 0, "most nodes of an expression (default: the preset's, 50)")
	flags.IntVar(&f.threads, "threads", 0, "threads; 0: one a processor. Results do not depend on it")
}

func (f *searchFlags) check() error {
	switch {
	case !(f.lambda >= 0) || math.IsInf(f.lambda, 0):
		return cli.Usagef("--lambda %v: want a finite weight of 0 or more", f.lambda)
	case f.threads < 0:
		return cli.Usagef("--threads %d: want 0 or more", f.threads)
	case f.evals < 0 || f.limit < 0 || f.checkpoint <= 0:
		return cli.Usagef("--evals %d, --time %v, --checkpoint %v: want 0 or more, and time between checkpoints", f.evals, f.limit, f.checkpoint)
	case f.resume && f.out == "":
		return cli.Usagef("--resume: name the front that was begun with -o")
	case f.objective != "paper" && f.objective != "improved":
		return cli.Usagef("--objective %s: want paper or improved", f.objective)
	}
	if f.evals == 0 && f.limit == 0 {
		f.evals = defaultEvals
	}
	return f.place()
}

func runSearch(cmd *cobra.Command, f *searchFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	p, err := f.problem()
	if err != nil {
		return err
	}
	if f.out != "" {
		release, err := store.Lock(f.places.front)
		if err != nil {
			return err
		}
		defer release()
	}
	search, resumed, err := f.start(p)
	if err != nil {
		return err
	}
	search.SetThreads(f.threads)
	show := newSearchTable(cmd.ErrOrStderr(), f, p.loss.Terms(), p.header, search.Counters(), resumed)
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	clock := newSearchClock(f.limit, cancel)
	defer clock.close()
	late, end := cli.Afterwards(ctx, tierGrace)
	defer end()
	w := newFrontWriter(late, f, p, search, clock)
	var failed error
	reason := search.Run(ctx, func(s evolve.Snapshot) {
		s.Front = w.front()
		show.update(s)
		if err := w.during(s); err != nil && failed == nil {
			failed = err
			cancel()
		}
	})
	show.close()
	if failed != nil {
		return failed
	}
	if reason == evolve.Interrupted && clock.rang() && cmd.Context().Err() == nil {
		reason = evolve.Deadline
	}
	if err := w.finish(reason); err != nil {
		return err
	}
	if reason == evolve.Interrupted {
		return f.interrupted(search)
	}
	return f.print(cmd.OutOrStdout(), w)
}

// interrupted says what is kept and how to go on.
func (f *searchFlags) interrupted(search *evolve.Search) error {
	if f.out == "" {
		return errors.New("interrupted: nothing is kept without -o FRONT.jsonl")
	}
	if len(search.Front()) == 0 {
		return fmt.Errorf("interrupted: no expression yet after %d evaluations; give the same command with --resume to go on", search.Counters().Full)
	}
	return fmt.Errorf("interrupted: the front after %d evaluations is in %s; give the same command with --resume to go on", search.Counters().Full, f.out)
}

// start makes a search, or takes up the one that was interrupted.
func (f *searchFlags) start(p *problem) (search *evolve.Search, resumed bool, err error) {
	if f.resume {
		search, err = f.restore(p)
		if err == nil {
			return search, true, nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			return nil, false, err
		}
	}
	if search, err = evolve.New(p.loss, p.evolution); err != nil {
		return nil, false, cli.Usage(err)
	}
	for i, g := range p.guesses {
		if err := search.Guess(g); err != nil {
			return nil, false, cli.Usagef("--guess %s: %w", f.guesses[i], err)
		}
	}
	if err := search.Deal(p.from); err != nil {
		return nil, false, cli.Usagef("--from: %w", err)
	}
	return search, false, nil
}
