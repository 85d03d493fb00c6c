package teacher

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strings"
	"time"

	"likc/cmd/likc/internal/cli"
	"likc/cmd/likc/internal/remote"
	"likc/runtime/fit/progress"
	"likc/runtime/model/neural"
	"likc/runtime/model/ssm"
	"likc/runtime/sys/store"
	"likc/search/study/bank"
	"likc/search/teach/teacher"
	"likc/search/teach/train"

	"github.com/spf13/cobra"
)

// trainFlags are the flags of likc teacher train.
type trainFlags struct {
	Kind     string    `flag:"kind" value:"KIND" help:"KIND of teacher"`
	Model    simulator `flag:"model" value:"MODEL" help:"whose trials: {known}, or a .lik file that writes a process down or leaves it to --exec (default: ddm, or --bank's)"`
	Bank     string    `flag:"bank" value:"DIR" help:"bank DIR to train on (default: simulate one)"`
	Labels   string    `flag:"labels" value:"DIR" help:"teacher DIR whose densities a lan learns (default: kernel densities of the trials)"`
	Subjects int       `flag:"subjects" in:"[1,16777216]" help:"parameter sets to simulate (default: the kind's)"`
	Trials   int       `flag:"trials" in:"[1,2147483647]" help:"trials at each (default: the kind's)"`
	Epochs   int       `flag:"epochs" in:"[1,100000]" help:"passes over the trials (default: the kind's)"`
	Seed     uint64    `flag:"seed" default:"1" help:"seed: the same one gives the same weights"`
	Threads  int       `flag:"threads" in:"[1,4096]" help:"threads; any number gives the same weights"`
	Dir      string    `flag:"output,o" value:"DIR" required:"teacher train: -o DIR is missing" help:"DIR to write the teacher to; a teacher that is there is replaced (required)"`
	Resume   bool      `flag:"resume" help:"go on with the training that -o DIR holds a checkpoint of"`
	JSON     bool      `flag:"json" help:"print teacher.json"`
	cli.ExecFlags
	remote.TaskFlags
}

// simulator is the name of a process whose likelihood a teacher can learn.
type simulator string

// Known lists the processes that come with likc.
func (simulator) Known() []string {
	return ssm.NamesOf(func(m *ssm.Model) bool { return m.CheckTeachable() == nil })
}

// newTeacherTrain returns the command teacher train.
func newTeacherTrain() *cobra.Command {
	t := &trainFlags{Kind: teacher.Kinds()[0].Name, Threads: runtime.GOMAXPROCS(0)}
	return cli.Command(t, &cobra.Command{
		Use:         "train -o DIR",
		Annotations: cli.KeepsWork,
		Short:       "Train a neural likelihood on simulated trials",
		Long: `Simulate a bank, or read one, and train a teacher of it. A quarter of the subjects validates. Ctrl-C, or a kill, leaves a
checkpoint: --resume goes on from there, to the same weights. The number of threads does not change them either.

Kinds:
` + kindTable(),
		Args: cli.Exactly(),
	})
}

// kindTable returns a table of the kinds of network, as text for a help page.
func kindTable() string {
	var b strings.Builder
	for _, k := range teacher.Kinds() {
		fmt.Fprintf(&b, "  %-7s %s (%d parameter sets × %d trials)\n", k.Name, k.About, k.Subjects, k.Trials)
	}
	return strings.TrimRight(b.String(), "\n")
}

// Run trains a teacher, here or on a cluster, and prints its description.
func (t *trainFlags) Run(cmd *cobra.Command, _ []string) (err error) {
	if err := t.CheckAndEnterStartFolder(cmd, "DIR", &t.Dir); err != nil {
		return err
	}
	if t.OnCluster() {
		return t.runOnCluster(cmd)
	}
	defer t.Tidy(t.Dir, &err)
	release, err := store.Lock(t.Dir)
	if err != nil {
		return err
	}
	defer release()
	bars := progress.NewBars(cmd.ErrOrStderr())
	record, err := t.train(cmd, bars)
	bars.Close()
	if errors.Is(err, teacher.ErrInterrupted) {
		return fmt.Errorf("teacher train: interrupted; likc teacher train --resume -o %s goes on", t.Dir)
	}
	if err != nil {
		return err
	}
	return t.print(cmd.OutOrStdout(), record)
}

// print prints a description of the trained teacher.
func (t *trainFlags) print(w io.Writer, record *neural.Record) error {
	if t.JSON {
		return cli.PrintJSON(w, record)
	}
	return printTeacher(w, t.Dir, record)
}

// runOnCluster trains a teacher on a cluster, and prints its description.
func (t *trainFlags) runOnCluster(cmd *cobra.Command) error {
	if _, err := t.plan(); err != nil {
		return err
	}
	if _, err := os.Stat(t.Dir); err == nil {
		return cli.Usagef("--output %s: is there, and a cluster begins anew: name a new folder", t.Dir)
	}
	output := remote.Output{Flag: "output", Name: "teacher", Path: t.Dir}
	again := func([]string) []string { return []string{"--resume"} } // the checkpoint has the other settings
	printed, err := t.Do(cmd, remote.Task{Outputs: []remote.Output{output}, Resume: "teacher/" + neural.CheckpointFile, Again: again})
	if err != nil || printed == nil {
		return err
	}
	made, err := neural.Open(t.Dir)
	if err != nil {
		return err
	}
	return t.print(cmd.OutOrStdout(), &made.Record)
}

// train trains the teacher, or continues its training from a checkpoint, and shows the progress in bars.
func (t *trainFlags) train(cmd *cobra.Command, bars *progress.Bars) (*neural.Record, error) {
	stages := map[string]int{} // number of each stage, in the order in which stages begin
	report := func(p train.Progress) {
		if _, known := stages[p.Stage]; !known {
			stages[p.Stage] = len(stages)
		}
		showTraining(bars, stages[p.Stage], p)
	}
	if t.Resume {
		if name := cli.FirstGiven(cmd, "kind", "model", "bank", "labels", "subjects", "trials", "epochs", "seed"); name != "" {
			return nil, cli.Usagef("--%s: a resumed training has its settings already", name)
		}
		return teacher.Resume(cmd.Context(), t.Dir, t.Threads, report)
	}
	plan, err := t.plan()
	if err != nil {
		return nil, err
	}
	return teacher.Make(cmd.Context(), t.Dir, plan, t.Threads, report)
}

// plan returns the plan of the teacher's kind, changed by the flags.
func (t *trainFlags) plan() (teacher.Plan, error) {
	m, err := t.process()
	if err != nil {
		return teacher.Plan{}, err
	}
	p, err := teacher.PlanOf(t.Kind, m, t.Seed)
	if err != nil {
		return p, cli.Usage(err)
	}
	if t.Bank != "" && (t.Subjects != 0 || t.Trials != 0) {
		return p, cli.Usagef("--bank: the bank has its subjects and trials already")
	}
	p.Dir = t.Bank
	if t.Labels != "" {
		err := p.LearnFrom(t.Labels)
		if errors.Is(err, teacher.ErrUnlabelled) {
			return p, cli.Usage(err)
		}
		if err != nil {
			return p, err
		}
	}
	if t.Subjects != 0 {
		p.Bank.Subjects = t.Subjects
	}
	if t.Trials != 0 {
		p.Bank.SetTrials(t.Trials)
	}
	if err := p.Bank.Check(); err != nil {
		return p, cli.Usage(err)
	}
	if t.Epochs == 0 {
		return p, nil
	}
	kind, err := teacher.KindNamed(t.Kind)
	if err != nil {
		return p, err
	}
	p.Settings, err = kind.Scale(p.Settings, t.Epochs)
	return p, err
}

// process returns the process that --model names, else that of --bank, else the default one.
func (t *trainFlags) process() (*ssm.Model, error) {
	if t.Model != "" {
		return cli.ReadProcess(string(t.Model))
	}
	if t.Bank == "" {
		return ssm.DDM, nil
	}
	b, err := bank.Open(t.Bank)
	if err != nil {
		return nil, err
	}
	return b.Settings.Process()
}

// showTraining shows the progress of a stage.
func showTraining(p *progress.Bars, bar int, s train.Progress) {
	note := fmt.Sprintf(" epoch %d of %d", min(s.Epoch+1, s.Epochs), s.Epochs)
	if !math.IsNaN(s.Train) {
		note += fmt.Sprintf(", loss %.4f, in validation %.4f", s.Train, s.Validation)
	}
	if s.Left > 0 {
		note += fmt.Sprintf(", %v left", s.Left.Round(time.Second))
	}
	const parts = 1000
	p.Show(bar, fmt.Sprintf("%-8s ", s.Stage), int(parts*s.Share), parts, note)
}
