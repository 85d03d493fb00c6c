package teacher

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"time"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/fit/progress"
	"likc/runtime/model/neural"
	"likc/runtime/model/ssm"
	"likc/runtime/sys/store"
	"likc/search/study/bank"
	"likc/search/teach/teacher"
	"likc/search/teach/train"

	"github.com/spf13/cobra"
)

// trainFlags are those of likc teacher train.
type trainFlags struct {
	kind, model, bank, dir   string
	labels                   string
	seed                     uint64
	subjects, trials, epochs int
	threads                  int
	resume, asJSON           bool
}

func newTeacherTrain() *cobra.Command {
	var t trainFlags
	cmd := &cobra.Command{
		Use:   "train -o DIR",
		Short: "Train a neural likelihood on simulated trials",
		Long: `Train simulates a bank, or reads one, and trains a teacher of it. A quarter of the subjects validates. Ctrl-C, or a kill, leaves a
checkpoint: --resume goes on from there, to the same weights. The number of threads does not change them either.

Kinds:
` + kindTable(),
		Args: cli.Exactly(),
		RunE: func(cmd *cobra.Command, args []string) error { return t.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&t.kind, "kind", teacher.Kinds()[0].Name, "`KIND` of teacher")
	f.StringVar(&t.model, "model", ssm.DDM.Name, "simulator: "+strings.Join(ssm.NamesOf(func(m *ssm.Model) bool { return m.CheckTeachable() == nil }), ", "))
	f.StringVar(&t.bank, "bank", "", "bank `DIR` to train on (default: simulate one)")
	f.StringVar(&t.labels, "labels", "", "teacher `DIR` whose densities a lan learns (default: kernel densities of the trials)")
	f.IntVar(&t.subjects, "subjects", 0, "parameter sets to simulate (default: the kind's)")
	f.IntVar(&t.trials, "trials", 0, "trials at each (default: the kind's)")
	f.IntVar(&t.epochs, "epochs", 0, "passes over the trials (default: the kind's)")
	f.Uint64Var(&t.seed, "seed", 1, "seed: the same one gives the same weights")
	f.IntVar(&t.threads, "threads", runtime.GOMAXPROCS(0), "threads; any number gives the same weights")
	f.StringVarP(&t.dir, "output", "o", "", "`DIR` to write the teacher to; a teacher that is there is replaced (required)")
	f.BoolVar(&t.resume, "resume", false, "go on with the training that -o DIR holds a checkpoint of")
	f.BoolVar(&t.asJSON, "json", false, "print teacher.json")
	return cmd
}

func kindTable() string {
	var b strings.Builder
	for _, k := range teacher.Kinds() {
		fmt.Fprintf(&b, "  %-7s %s (%d parameter sets × %d trials)\n", k.Name, k.About, k.Subjects, k.Trials)
	}
	return strings.TrimRight(b.String(), "\n")
}

func (t *trainFlags) run(cmd *cobra.Command) error {
	if t.dir == "" {
		return cli.Usagef("teacher train: -o DIR is missing")
	}
	if err := cli.Within("--threads", t.threads, 1, cli.MaxThreads); err != nil {
		return err
	}
	release, err := store.Lock(t.dir)
	if err != nil {
		return err
	}
	defer release()
	bars := progress.NewBars(cmd.ErrOrStderr())
	record, err := t.train(cmd, bars)
	bars.Close()
	if errors.Is(err, teacher.ErrInterrupted) {
		return fmt.Errorf("teacher train: interrupted; likc teacher train --resume -o %s goes on", t.dir)
	}
	if err != nil {
		return err
	}
	if t.asJSON {
		return cli.PrintJSON(cmd.OutOrStdout(), record)
	}
	return printTeacher(cmd.OutOrStdout(), t.dir, record)
}

func (t *trainFlags) train(cmd *cobra.Command, bars *progress.Bars) (*neural.Record, error) {
	stages := map[string]int{} // in the order in which they come
	report := func(p train.Progress) {
		if _, known := stages[p.Stage]; !known {
			stages[p.Stage] = len(stages)
		}
		showTraining(bars, stages[p.Stage], p)
	}
	if t.resume {
		for _, name := range []string{"kind", "model", "bank", "labels", "subjects", "trials", "epochs", "seed"} {
			if cmd.Flags().Changed(name) {
				return nil, cli.Usagef("--%s: a resumed training has its settings already", name)
			}
		}
		return teacher.Resume(cmd.Context(), t.dir, t.threads, report)
	}
	plan, err := t.plan(cmd)
	if err != nil {
		return nil, err
	}
	return teacher.Make(cmd.Context(), t.dir, plan, t.threads, report)
}

// plan is the kind's, with what the flags change.
func (t *trainFlags) plan(cmd *cobra.Command) (teacher.Plan, error) {
	p, err := teacher.NewPlan(t.kind, t.model, t.seed)
	if err != nil {
		return p, cli.Usage(err)
	}
	changed := cmd.Flags().Changed
	if t.bank != "" && (changed("subjects") || changed("trials")) {
		return p, cli.Usagef("--bank: the bank has its subjects and trials already")
	}
	p.Dir = t.bank
	if t.labels != "" {
		err := p.LearnFrom(t.labels)
		if errors.Is(err, teacher.ErrUnlabelled) {
			return p, cli.Usage(err)
		}
		if err != nil {
			return p, err
		}
	}
	if changed("subjects") {
		if err := cli.Within("--subjects", t.subjects, 1, bank.MaxSubjects); err != nil {
			return p, err
		}
		p.Bank.Subjects = t.subjects
	}
	if changed("trials") {
		p.Bank.SetTrials(t.trials)
	}
	if err := p.Bank.Check(); err != nil {
		return p, cli.Usage(err)
	}
	if !changed("epochs") {
		return p, nil
	}
	if err := cli.Within("--epochs", t.epochs, 1, 100_000); err != nil {
		return p, err
	}
	kind, err := teacher.KindNamed(t.kind)
	if err != nil {
		return p, err
	}
	p.Settings, err = kind.Scale(p.Settings, t.epochs)
	return p, err
}

// showTraining shows how far a stage is.
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
