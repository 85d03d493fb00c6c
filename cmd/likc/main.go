// Command likc is the likelihood compiler: it checks, evaluates and compiles likelihood models.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"likc/cmd/likc/internal/bench"
	"likc/cmd/likc/internal/calibrate"
	"likc/cmd/likc/internal/checks"
	"likc/cmd/likc/internal/cli"
	"likc/cmd/likc/internal/data"
	"likc/cmd/likc/internal/distil"
	"likc/cmd/likc/internal/find"
	"likc/cmd/likc/internal/fit"
	"likc/cmd/likc/internal/judge"
	"likc/cmd/likc/internal/model"
	"likc/cmd/likc/internal/run"
	"likc/cmd/likc/internal/teacher"
	_ "likc/runtime/model/trials/columnar" // reads and writes Parquet
	_ "likc/runtime/sys/lastwords"
	"likc/runtime/sys/version"

	"github.com/spf13/cobra"
)

func main() { os.Exit(Main()) }

// Main runs the command line and returns the exit status: 0, 1 if the command failed, 2 if it was called wrongly.
func Main() int {
	root := newRoot()
	ctx, stop := cli.Interruptible(root, os.Args[1:])
	defer stop()
	out := &cli.Stdout{}
	root.SetOut(out)
	err := execute(ctx, root)
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "likc: %s\n", cli.OneLine(err))
	}
	return exitStatus(err)
}

// execute runs the command that root's arguments call.
func execute(ctx context.Context, root *cobra.Command) error {
	if err := root.ExecuteContext(ctx); err != nil {
		return err
	}
	return cli.UnknownHelp(root)
}

// exitStatus returns the exit status of a program whose command returned err.
func exitStatus(err error) int {
	if err == nil {
		return 0
	}
	if _, ok := errors.AsType[cli.UsageError](err); ok {
		return 2
	}
	return 1
}

// newRoot returns the command likc with all its subcommands.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "likc",
		Short: "The likelihood compiler",
		Long: `Fit models to choices and response times, check the fits, plan studies, and write likelihoods for other programs. To begin:

  likc simulate ddm --theta v=1,a=1.2,z=0.45,t=0.3 -n 1000 -o trials.csv    make a CSV file, or take yours
  likc fit ddm --data trials.csv -o fit                                     fit a model to it
  likc report fit -o fit.html                                               one page: estimates, checks, figures
  likc models                                                               what else can be fitted`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return cli.NoCommand(cmd, args[0])
			}
			return nil
		},
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			return cmp.Or(cli.CheckOutputs(cmd, args), cli.CheckSettings(cmd, args), cli.LimitSpace(cmd))
		},
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(cli.FlagError)
	cli.SetHelp(root)
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cli.UnknownHelp(root) == nil {
			help(cmd, args)
		}
	})
	addGroup(root, "Fit data:", model.NewModels(), fit.NewFit(), fit.NewCompare(), fit.NewContrast(), fit.NewDiagnose(), run.NewReportPage(), checks.NewPPC())
	addGroup(root, "Plan a study:", data.NewSimulate(), checks.NewRecover(), checks.NewConfuse())
	addGroup(root, "Write a model, and take it to other programs:", fit.WithStudy(model.NewCheck()), model.NewEval(), model.NewCompile(), model.NewNormalise(),
		calibrate.New(), bench.NewBench(), model.NewDemo())
	addGroup(root, "Search for formulas:", distil.New(), data.NewBank(), teacher.NewTeacher(), find.NewSearch(), find.NewPolish(), find.NewFront(), judge.NewJudge(), judge.NewApply(),
		judge.NewSweep(), run.NewRun(), run.NewStatus())
	addGroup(root, "Examine a likelihood:", checks.NewSBC(), checks.NewAudit(), checks.NewAblate())
	root.AddCommand(model.NewGenerate(), run.NewUnit(), newVersion(), newDocs())
	root.Version = versionLine(version.Get())
	return root
}

// addGroup adds commands under a title of their own in the help.
func addGroup(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, c := range commands {
		c.GroupID = title
	}
	root.AddCommand(commands...)
}
