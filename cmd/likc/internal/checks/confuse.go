package checks

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/fit/progress"
	"likc/runtime/model/catalog"
	"likc/runtime/num/notation"
	"likc/search/study"
	"likc/search/study/confuse"
	"likc/search/study/recovery"

	"github.com/spf13/cobra"
)

// confuseFlags are the flags of the command confuse.
type confuseFlags struct {
	checkFlags     `but:"output.help=DIR for confusion.json, confusion.svg and confusion.jsonl, from which an interrupted run continues | threads.help=subjects at a time; 0: one a processor. Results do not depend on it | json.help=print the results as JSON instead of a table"`
	study.Settings `but:"subjects.default=50 | subjects.help=simulated subjects of each model"`
	cli.ExecFlags
}

// NewConfuse returns the command confuse.
func NewConfuse() *cobra.Command {
	return cli.Command(&confuseFlags{}, &cobra.Command{
		Use:         "confuse MODEL MODEL…",
		Annotations: cli.KeepsWork,
		Short:       "Model recovery: do data of this size tell these models apart?",
		Example:     `  likc confuse ddm angle --subjects 50 --trials 300`,
		Long: `Draw parameters of each model from their priors, simulate trials with the simulator that the model declares, and fit all
models to them with NUTS. PSIS-LOO, as in likc compare, then tells which model predicts the trials best.

  simulated  the model that a row's subjects were simulated from; each has --subjects
  preferred  share of these subjects for which a model's elpd is highest: the diagonal is 1 if models are never confused
  clear      share of them for which it is so clearly: elpd differs from the next by more than 4 and two standard errors
  right      of the clear ones, the share that is of the model which was simulated

The inversion, in confusion.json and confusion.svg, reads the same counts by column: of the subjects for which a model is preferred, the
share that was simulated from each, if all models are equally frequent. Both depend on the priors: models are hard to tell apart where one
contains the other, or at parameters at which they agree.

Priors are uniform over each parameter's range unless --prior says otherwise; --range and --fix are as for likc fit. All three are of every
model that has the parameter. Models must have the same choices, and be densities. With -o DIR the results are confusion.json and
confusion.svg, and an interrupted run goes on where it ended.

  likc confuse ddm angle --trials 300 -o confusion
  likc confuse ddm ddm_sdv --subjects 100 --trials 300 --range sv=0.5,2.5 -o confusion
  likc confuse shifted_wald shifted_lognormal exgaussian --trials 500 -o confusion`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < confuse.FewestModels {
				return cli.Usagef("confuse: needs MODEL MODEL…: at least two models to tell apart")
			}
			return nil
		},
	})
}

// Run simulates data of each model, fits all models to them, and prints how often the true model is recognised.
func (f *confuseFlags) Run(cmd *cobra.Command, args []string) error {
	if err := f.checkDestinations(); err != nil {
		return err
	}
	models, err := cli.ReadModels(args)
	if err != nil {
		return err
	}
	plan, err := confuse.New(models, f.Settings)
	if err != nil {
		return cli.NameFlag(err)
	}
	defer plan.Close()
	found, err := f.confuse(cmd, models, plan)
	switch {
	case errors.Is(err, study.ErrPart), err == nil && len(found.Models) == 0: // only one part was done, or the jobs were left in a queue
		return nil
	case err != nil:
		return err
	}
	if f.JSON {
		return cli.PrintJSON(cmd.OutOrStdout(), found)
	}
	return printConfusion(cmd.OutOrStdout(), &found)
}

// subjectsToTellApart is the number of subjects in one part of the work on a cluster. Each is fitted with all models.
const subjectsToTellApart = 10

// confuse runs the subjects that are missing and writes the files.
func (f *confuseFlags) confuse(cmd *cobra.Command, models []*catalog.Model, plan *confuse.Plan) (found confuse.Summary, err error) {
	leave, err := f.enter(cmd, study.CountParts(1, plan.N(), subjectsToTellApart))
	if err != nil {
		return found, err
	}
	defer leave(&err)
	bars := progress.NewBars(cmd.ErrOrStderr())
	f.Progress = bars.Count
	defer bars.Close()
	return plan.Run(cmd.Context(), study.NewCheckOfSeveral(f.Where, "confusion", "subjects", models, f.Settings))
}

func printConfusion(w io.Writer, s *confuse.Summary) error {
	fmt.Fprintf(w, "%s of %s of each model; preferred by PSIS-LOO:\n\n", notation.Count(s.Subjects, "subject"), notation.Count(s.Trials, "trial"))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "simulated\t")
	for _, name := range s.Models {
		fmt.Fprintf(t, "%s\t", name)
	}
	fmt.Fprintln(t, "clear\tright\tfailed\t")
	var bad, high, divergent int
	for i := range s.Rows {
		r := &s.Rows[i]
		fmt.Fprintf(t, "%s\t", r.Model)
		for _, share := range s.Confusion[i] {
			fmt.Fprintf(t, "%.2f\t", share)
		}
		clear, right := r.Clearness(i)
		fmt.Fprintf(t, "%.2f\t%s\t%d\t\n", clear, notation.Figure("%.2f", right), r.Failed)
		bad, high, divergent = bad+r.KBad, high+r.RhatHigh, divergent+r.Divergent
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nsubjects with a Pareto k̂ too high: %d; with R-hat above %v: %d; with divergent transitions: %d\n", bad, recovery.HighRhat, high, divergent)
	return err
}
