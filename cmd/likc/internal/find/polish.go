package find

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/fit/progress"
	"likc/runtime/model/front"
	"likc/runtime/num/notation"
	"likc/runtime/sys/store"
	"likc/search/find/evolve"
	"likc/search/find/objective"
	"likc/search/find/polish"
	"likc/search/find/problem"

	"github.com/spf13/cobra"
)

// polishFlags are what polish was asked for.
type polishFlags struct {
	problem problem.Settings
	run     polish.Settings // its output is the place that --output leads to
	price   float64
	out     string
	asJSON  bool
}

func NewPolish() *cobra.Command {
	f := &polishFlags{problem: problem.Settings{Objective: problem.Polish, NonFinite: objective.Role, Preset: evolve.Presets[0]}}
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

With --objective kl, the loss is that of likc search --objective kl: give the same --max-size. Constants are fitted for every
edit, and terms are added where they help most.

  likc polish runs/*/FRONT.jsonl -o POLISHED.jsonl
  likc judge POLISHED.jsonl --bank testdata/banks/test-60 -o VERDICTS.jsonl`,
		Args: func(cmd *cobra.Command, args []string) error { return f.check(args, cmd.Flags().Changed) },
		RunE: func(cmd *cobra.Command, args []string) error { return runPolish(cmd, f, args) },
	}
	flags := cmd.Flags()
	addProblem(flags, &f.problem, &f.run.Threads)
	flags.BoolVar(&f.problem.Single, "single", true, "evaluate in single precision, all but the joint recovery: faster")
	flags.StringVar(&f.problem.Objective, "objective", problem.Polish, "polish: recovery of the weakest parameter; or kl: divergence from the teacher, for densities")
	flags.Float64Var(&f.problem.Lambda, "lambda", 50, "weight of recovery in the loss")
	flags.Float64Var(&f.price, "price", polish.DefaultPrice, fmt.Sprintf("recovery that a node has to be worth; with --objective kl, nats a trial, and %g unless given", polish.DefaultDensityPrice))
	flags.IntVar(&f.run.Top, "top", 16, "how many expressions to climb from, the best by this loss, equal losses counted once; 0: all")
	flags.Int64Var(&f.problem.Evaluations, "evals", 6000, "evaluations of a climb, after which it is only simplified")
	flags.Uint64Var(&f.problem.Seed, "seed", 1, "seed of the order in which edits are tried")
	flags.IntVar(&f.problem.Subjects, "subjects", 300, "subjects that recovery is measured on")
	flags.StringVarP(&f.out, "output", "o", "", "`POLISHED.jsonl` to write")
	flags.BoolVar(&f.run.Force, "force", false, "write over a front of other settings in -o, or drop its climbs beyond --top")
	flags.BoolVar(&f.asJSON, "json", false, "print the front as JSON, one expression a line, instead of a table")
	return cmd
}

// check finds what is wrong with the arguments before anything is read.
func (f *polishFlags) check(args []string, changed func(flag string) bool) error {
	p := &f.problem
	if p.Objective == problem.KL {
		f.densities(changed)
	}
	err := cmp.Or(
		cli.OneOf("--objective", p.Objective, problem.Polish, problem.KL),
		cli.Within("--lambda", p.Lambda, 0, problem.MostLambda),
		cli.Within("--threads", f.run.Threads, 0, cli.MaxThreads),
		cli.Within("--top", f.run.Top, 0, mostTop),
		cli.Within("--price", f.price, 0, 1),
		cli.Within("--evals", p.Evaluations, 1, mostEvals),
		cli.Within("--subjects", p.Subjects, 2, mostSubjects))
	switch {
	case len(args) == 0:
		return cli.Usagef("polish: wants FRONT.jsonl…, as likc search writes them")
	case err != nil:
		return err
	case p.Lambda == 0 && p.Objective != problem.KL:
		return cli.Usagef("--lambda 0: want a weight above 0")
	case f.run.Force && f.out == "":
		return cli.Usagef("--force: wants -o POLISHED.jsonl")
	case f.out == "":
		return nil
	}
	if f.run.Output, err = outputFile("--output", f.out); err != nil {
		return err
	}
	for _, path := range args {
		if source, err := store.Follow(path); err == nil && store.SamePlace(f.run.Output, source) {
			return cli.Usagef("--output %s: is one of the fronts that are read", f.out)
		}
	}
	return nil
}

// densities sets what is different for densities.
func (f *polishFlags) densities(changed func(flag string) bool) {
	f.problem.Constants = true
	if !changed("lambda") {
		f.problem.Lambda = 0
	}
	if !changed("price") {
		f.price = polish.DefaultDensityPrice
	}
}

// Bounds of flags. So many subjects take 100 MB or so.
const (
	mostTop      = 1_000_000
	mostSubjects = 5000
)

func runPolish(cmd *cobra.Command, f *polishFlags, args []string) error {
	if err := checkSize(cmd.Flags(), &f.problem); err != nil {
		return err
	}
	r, err := f.open(args)
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

// open reads everything.
func (f *polishFlags) open(args []string) (*polish.Run, error) {
	lines, err := readFronts(args)
	if err != nil {
		return nil, err
	}
	p, err := problem.Open(f.problem, cli.FolderOrCommitted)
	if err != nil {
		return nil, err
	}
	f.run.Climb = polish.Climb(f.problem.Seed, f.problem.Evaluations, f.price, f.problem.Lambda)
	if f.problem.Objective == problem.KL {
		f.run.Climb = polish.DensityClimb(f.problem.Seed, f.problem.Evaluations, f.price)
	}
	return polish.Open(p, lines, f.run)
}

// interrupted says what is kept and how to go on.
func (f *polishFlags) interrupted(r *polish.Run) error {
	done := fmt.Sprintf("%d of %s done", r.Done(), notation.Count(r.Wanted(), "climb"))
	switch {
	case r.Done() == 0:
		return errors.New("interrupted: no climb is done yet, and nothing written; give the same command again")
	case f.out == "":
		return fmt.Errorf("interrupted: %s; with -o POLISHED.jsonl they would have been kept", done)
	}
	return fmt.Errorf("interrupted: %s, in %s; give the same command to go on", done, f.out)
}

// print prints a line an expression: what it is, how well the weakest parameter was recovered where the climb began and is at
// its end, and how well each is. For densities, it is the divergence at the beginning and the end.
func (f *polishFlags) print(w io.Writer, r *polish.Run) error {
	if f.asJSON {
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
	heads, verb := r.Columns()
	what, one := "weakest", slices.Min[[]float64]
	if f.problem.Objective == problem.KL {
		what, one = heads[0], func(figures []float64) float64 { return figures[0] }
	}
	width := len(fmt.Sprintf(verb, 0.0))
	head := fmt.Sprintf("%4s %9s %*s", "size", "loss", 2*width+4, what)
	for _, name := range heads {
		head += fmt.Sprintf(" %*s", width, name)
	}
	fmt.Fprintln(w, head+"  expression")
	var evaluations int64
	ended := 0
	for _, c := range found {
		row := fmt.Sprintf("%4d %9.4g "+verb+" -> "+verb, c.Line.Size, float64(c.Line.Loss), one(c.Before), one(c.After))
		for _, x := range c.After {
			row += fmt.Sprintf(" "+verb, x)
		}
		fmt.Fprintln(w, row+"  "+c.Line.Expr)
		evaluations += c.Line.Evaluations
		if c.Line.Evaluations >= f.problem.Evaluations {
			ended++
		}
	}
	_, err = fmt.Fprintf(w, "\n%s, %s; %d evaluations; %s ended by --evals\n",
		notation.Count(r.Done(), "climb"), notation.Count(len(found), "form"), evaluations, notation.Count(ended, "climb"))
	return err
}
