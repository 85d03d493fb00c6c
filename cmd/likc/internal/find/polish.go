package find

import (
	"errors"
	"fmt"
	"likc/cmd/likc/internal/cli"
	"likc/runtime/store"
	"likc/search/evolve"
	"likc/search/objective"
	"math"

	"github.com/spf13/cobra"
)

// polishFlags are what polish was asked for; search has those that it shares with search.
type polishFlags struct {
	search searchFlags
	top    int
	price  float64
	force  bool
	place  string // of the output, links followed; "" for none
}

func NewPolish() *cobra.Command {
	f := &polishFlags{search: searchFlags{objective: "polish", nonFinite: objective.Role, preset: evolve.Presets[0]}}
	cmd := &cobra.Command{
		Use:   "polish FRONT.jsonl… -o POLISHED.jsonl",
		Short: "Climb from expressions that searches found to better ones nearby",
		Long: `Polish is local search on what likc search found. It ranks the expressions by a loss in which the joint recovery of the
weakest parameter counts most, over subjects that no search and no judge sees, and climbs from the best of them: an edit
changes a leaf or an operator, swaps operands, puts an operator around a subtree or takes one away; the first, in random order,
that lowers the loss plus a price of each node is taken; where none does, random pairs of edits are tried. What is left is
simplified.

POLISHED.jsonl is a front, with a line for each climb in the order of where they began, and forms that coincide once. "from"
says which expression a climb began at ("polished") and which others ended at the same form ("also"). likc judge, front and
search --from read it.

The front is written as climbs end. After Ctrl-C or a kill, the same command goes on with those that are missing. Arguments and
seed decide every byte, on any number of threads.

  likc polish runs/*/FRONT.jsonl -o POLISHED.jsonl
  likc judge POLISHED.jsonl --bank testdata/banks/test-60 -o VERDICTS.jsonl`,
		Args: func(cmd *cobra.Command, args []string) error { return f.check(args) },
		RunE: func(cmd *cobra.Command, args []string) error { return runPolish(cmd, f, args) },
	}
	flags := cmd.Flags()
	f.search.addProblem(flags)
	flags.BoolVar(&f.search.single, "single", true, "evaluate in single precision, all but the joint recovery: faster")
	flags.Float64Var(&f.search.lambda, "lambda", 50, "weight of recovery in the loss")
	flags.Float64Var(&f.price, "price", polishPrice, "recovery that a node has to be worth")
	flags.IntVar(&f.top, "top", 16, "how many expressions to climb from, the best by this loss, equal losses counted once; 0: all")
	flags.Int64Var(&f.search.evals, "evals", 6000, "evaluations of a climb, after which it is only simplified")
	flags.Uint64Var(&f.search.seed, "seed", 1, "seed of the order in which edits are tried")
	flags.IntVar(&f.search.subjects, "subjects", 300, "subjects that recovery is measured on")
	flags.StringVarP(&f.search.out, "output", "o", "", "`POLISHED.jsonl` to write")
	flags.BoolVar(&f.force, "force", false, "write over a front of other settings in -o, or drop its climbs beyond --top")
	flags.BoolVar(&f.search.asJSON, "json", false, "print the front as JSON, one expression a line, instead of a table")
	return cmd
}

// check finds what is wrong with the arguments before anything is read.
func (f *polishFlags) check(args []string) error {
	s := &f.search
	switch {
	case len(args) == 0:
		return cli.Usagef("polish: wants FRONT.jsonl…, as likc search writes them")
	case !(s.lambda > 0) || math.IsInf(s.lambda, 0):
		return cli.Usagef("--lambda %v: want a finite weight above 0", s.lambda)
	case s.threads < 0 || f.top < 0:
		return cli.Usagef("--threads %d, --top %d: want 0 or more", s.threads, f.top)
	case !(f.price >= 0) || math.IsInf(f.price, 0):
		return cli.Usagef("--price %v: want 0 or more", f.price)
	case s.evals < 1:
		return cli.Usagef("--evals %d: want 1 or more", s.evals)
	case s.subjects < 2 || s.subjects > maxPolishSubjects:
		return cli.Usagef("--subjects %d: want 2 to %d", s.subjects, maxPolishSubjects)
	case f.force && s.out == "":
		return cli.Usagef("--force: wants -o POLISHED.jsonl")
	case s.out == "":
		return nil
	}
	var err error
	if f.place, err = outputFile("--output", s.out); err != nil {
		return err
	}
	for _, path := range args {
		if source, err := store.Follow(path); err == nil && store.SamePlace(f.place, source) {
			return cli.Usagef("--output %s: is one of the fronts that are read", s.out)
		}
	}
	return nil
}

// maxPolishSubjects is a bound on what is simulated and kept: 100 MB or so.
const maxPolishSubjects = 5000

// The default price makes a node worth half a thousandth of the weakest correlation: with a tenth of it, climbs fill all nodes
// that are allowed with what fits the noise of recovery over 300 subjects.
const (
	polishPrice  = 0.02 / 50 // at λ = 1
	polishMargin = 0.002 / 50
	polishPairs  = 12_000
)

// climb are the settings of each climb.
func (f *polishFlags) climb() *evolve.Climb {
	s := &f.search
	return &evolve.Climb{Seed: s.seed, Evaluations: s.evals, Price: f.price * s.lambda, Margin: polishMargin * s.lambda, Pairs: polishPairs}
}

func runPolish(cmd *cobra.Command, f *polishFlags, args []string) error {
	if f.place != "" {
		release, err := store.Lock(f.place)
		if err != nil {
			return err
		}
		defer release()
	}
	r, err := f.open(cmd, args)
	if err != nil {
		return err
	}
	if err := r.rank(cmd.Context()); err != nil {
		return err
	}
	bars := cli.NewProgress(cmd.ErrOrStderr())
	err = r.run(cmd.Context(), bars.Climbs)
	bars.Close()
	if err != nil {
		return err
	}
	if cmd.Context().Err() != nil {
		return r.interrupted()
	}
	return r.print(cmd.OutOrStdout())
}

// interrupted says what is kept and how to go on.
func (r *polishRun) interrupted() error {
	done := fmt.Sprintf("%d of %s done", r.done(), cli.Count(r.wanted(), "climb"))
	switch {
	case r.done() == 0:
		return errors.New("interrupted: no climb is done yet, and nothing written; give the same command again")
	case r.flags.search.out == "":
		return fmt.Errorf("interrupted: %s; with -o POLISHED.jsonl they would have been kept", done)
	}
	return fmt.Errorf("interrupted: %s, in %s; give the same command to go on", done, r.flags.search.out)
}
