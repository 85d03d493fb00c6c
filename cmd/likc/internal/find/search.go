// Package find holds the commands that find expressions: search, polish and front.
package find

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"likc/cmd/likc/internal/cli"
	"likc/cmd/likc/internal/remote"
	"likc/runtime/model/front"
	"likc/search/find/discover"
	"likc/search/find/evolve"
	"likc/search/find/polish"
	"likc/search/find/problem"

	"github.com/spf13/cobra"
)

// searchFlags are the flags of the command search.
type searchFlags struct {
	problem.Settings `but:"subjects.drop=true"` // all flags of a search problem but --subjects
	From             []string                   `flag:"from" value:"FRONT.jsonl" help:"FRONT.jsonl of an earlier search: its expressions are the first members of the populations, and the new front names the file"`
	Limit            time.Duration              `flag:"time" in:"[0s,10000h]" help:"wall-clock budget, as 60s"`
	Threads          int                        `flag:"threads" in:"[0,4096]" help:"threads; 0: one a processor. Results do not depend on it"`
	Checkpoint       time.Duration              `flag:"checkpoint" default:"10s" in:"[1ns,10000h]" help:"time between checkpoints; longer where they would take over 5% of the time"`
	Resume           bool                       `flag:"resume" help:"go on from FRONT.jsonl.state; begin anew if there was no checkpoint yet; do nothing if the search has ended"`
	Out              string                     `flag:"output,o" value:"FRONT.jsonl" help:"FRONT.jsonl to write, with FRONT.csv and a checkpoint beside it"`
	Archive          string                     `flag:"archive" value:"FILE.jsonl" help:"FILE.jsonl for the best expression of each size and each set of recovered parameters; written at the end; its lines lack the field tier of FRONT.jsonl"`
	cli.ForceFlag
	cli.ExecFlags
	JSON bool `flag:"json" help:"print the front as JSON, one expression a line, instead of a table"`
	remote.TaskFlags

	run discover.Settings // settings of the search; its files are the paths of --output and --archive, with links followed
}

// defaultEvals is the budget without --evals and --time.
const defaultEvals = 1_000_000

// NewSearch returns the command search.
func NewSearch() *cobra.Command {
	return cli.Command(&searchFlags{}, &cobra.Command{
		Use:         "search -o FRONT.jsonl",
		Annotations: cli.KeepsWork,
		Short:       "Symbolic regression of a teacher under the recovery-directed loss",
		Long: `Evolve expressions that are close to a teacher's log density at the upper boundary and from which parameters are recovered:
loss = distance + λ (1 − R). With --objective paper, the distance is the mean squared error, and R says how well parameters
are recovered by maximising each expression over a grid, one parameter at a time, in a few trials of the upper boundary. With
improved, the default, the distance is bounded, and an additive constant changes nothing. Most of R comes from maximising over
all parameters at once in a thousand trials a subject, with half the weight on the parameter recovered worst. Once any expression
recovers all parameters in this way, the front holds only expressions that do.

With --objective kl, expressions are densities: exp f divided by its integral. The loss is the Kullback-Leibler divergence of this density
from the teacher, in nats a trial: the mean over the parameter vectors of --rows. Terms without a trial symbol cancel in the integral and
change nothing. With --constants, expressions also contain fitted numbers. Each adds 1% to the loss; at the end all are
rounded to as few digits as raise the loss by 1% in total. The models are normalised (likc normalise), so that every command takes FRONT.jsonl#LINE as a density:

  likc search --objective kl --constants --max-size 60 --time 10m -o DENSITIES.jsonl

While it runs, FRONT.jsonl (an expression a line, with every term of its loss) and FRONT.csv (Complexity, Loss, Equation) hold
the front, to be read at any time. FRONT.jsonl.state is a checkpoint: after Ctrl-C or a kill, the same command with --resume
goes on to the front that an uninterrupted search would have found. It needs the same --evals, because the course of a search depends on
it. Where --time ended the search, --resume gives it as much time again; where --evals did, nothing is left to do. The seed and --evals decide the front, byte for byte, on any number of threads.

An evaluation is useful if its expression is finite, keeps every symbol when simplified, and equals no earlier expression. The share that
loses a symbol is estimated from one expression in 32, because it takes long to simplify.

The teacher must have passed its gate (likc teacher gate).`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return cli.Usagef("search: %q: needs only flags, as -o FRONT.jsonl and --teacher DIR; see likc search --help", args[0])
			}
			return nil
		},
	})
}

// Run searches, here or on a cluster, and prints the front.
func (f *searchFlags) Run(cmd *cobra.Command, _ []string) (err error) {
	if err := f.CheckAndEnterStartFolder(cmd, "FRONT.jsonl", &f.Out, &f.Archive); err != nil {
		return err
	}
	if f.Objective == problem.KL && !cmd.Flags().Changed("lambda") {
		f.Lambda = 0
	}
	if f.Resume && f.Out == "" {
		return cli.Usagef("--resume: name the front that was begun with -o")
	}
	if f.Evaluations == 0 && f.Limit == 0 {
		f.Evaluations = defaultEvals
	}
	f.run.Resume, f.run.Limit, f.run.Checkpoint, f.run.Threads = f.Resume, f.Limit, f.Checkpoint, f.Threads
	if err := cmp.Or(f.findFiles(), f.checkReplaced(cmd)); err != nil {
		return err
	}
	if f.OnCluster() {
		return f.runOnCluster(cmd)
	}
	defer f.Tidy(f.Out, &err) // removes what a cluster's task left behind
	p, err := f.open(cmd.Context())
	if err != nil {
		return err
	}
	if f.Resume {
		lines, err := f.ended(p.Identity.Hash())
		if err != nil {
			return err
		}
		if lines != nil {
			return f.printEnded(cmd.OutOrStdout(), lines)
		}
	}
	search, err := discover.New(p, f.run)
	if err != nil {
		return flagged(err)
	}
	defer search.Close()
	if _, err := os.Stat(f.Out); f.Resume && !search.Resumed() && err == nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "likc: note: %s.state is not there: the search of %[1]s had no checkpoint yet; it begins anew\n", f.Out)
	}
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

// runOnCluster lets a cluster search, and prints the front.
func (f *searchFlags) runOnCluster(cmd *cobra.Command) error {
	outputs := []remote.Output{{Flag: "output", Name: "FRONT.jsonl", Path: f.run.Front, Hashed: true}, {Name: discover.TablePath("FRONT.jsonl"), Path: f.run.Table}}
	if f.Archive != "" {
		outputs = append(outputs, remote.Output{Flag: "archive", Name: "ARCHIVE.jsonl", Path: f.run.Archive, Hashed: true})
	}
	printed, err := f.Do(cmd, remote.Task{Outputs: outputs, Resume: "FRONT.jsonl.state"})
	if err != nil || printed == nil { // nil: the work was left in the queue
		return err
	}
	if err := os.Remove(f.run.State); err != nil && !errors.Is(err, fs.ErrNotExist) { // the state belonged to an earlier search with this output
		return err
	}
	_, err = cmd.OutOrStdout().Write(printed)
	return err
}

// open prepares the search problem that the flags describe.
func (f *searchFlags) open(ctx context.Context) (*problem.Problem, error) {
	p, err := problem.Open(ctx, f.Settings, cli.FolderOrCommitted)
	if err != nil {
		return nil, flagged(err)
	}
	lines, err := readFronts(f.From)
	if err != nil {
		return nil, fmt.Errorf("--from %w", err)
	}
	if err := p.StartFrom(lines); err != nil {
		return nil, cli.Usagef("--from %w", err)
	}
	return p, nil
}

// flagged turns an error about a setting into one about its flag: the error begins with the setting's name, which is the flag's. If a
// flag helps, the error also says which.
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

// interrupted returns the error of an interrupted search. It names the files that are kept, and the command that
// continues. It prints a front that goes to no file.
func (f *searchFlags) interrupted(w io.Writer, search *discover.Search) error {
	spent := search.Counters().Full // evaluations on all rows, which the budget limits
	if f.Out == "" {
		if err := f.print(w, search); err != nil {
			return err
		}
		return fmt.Errorf("interrupted: the front after %d evaluations is printed; only a search with -o FRONT.jsonl can go on", spent)
	}
	if len(search.Front()) == 0 {
		return fmt.Errorf("interrupted: no expression yet after %d evaluations; give the same command with --resume to go on", spent)
	}
	return fmt.Errorf("interrupted: the front after %d evaluations is in %s; give the same command with --resume to go on", spent, f.Out)
}

// print writes the front that was found.
func (f *searchFlags) print(w io.Writer, found *discover.Search) error {
	if f.JSON {
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
