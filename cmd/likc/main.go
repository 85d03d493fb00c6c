// Command likc is the likelihood compiler: it checks, evaluates and compiles likelihood models.
package main

import (
	"errors"
	"fmt"
	"os"

	"likc/cmd/likc/internal/bench"
	"likc/cmd/likc/internal/calibrate"
	"likc/cmd/likc/internal/checks"
	"likc/cmd/likc/internal/cli"
	"likc/cmd/likc/internal/data"
	"likc/cmd/likc/internal/find"
	"likc/cmd/likc/internal/fit"
	"likc/cmd/likc/internal/judge"
	"likc/cmd/likc/internal/model"
	"likc/cmd/likc/internal/run"
	"likc/cmd/likc/internal/teacher"
	"likc/runtime/version"

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
	err := root.ExecuteContext(ctx)
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "likc: %s\n", cli.OneLine(err))
	}
	return exitStatus(err)
}

func exitStatus(err error) int {
	if err == nil {
		return 0
	}
	if _, ok := errors.AsType[cli.UsageError](err); ok {
		return 2
	}
	return 1
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "likc",
		Short:         "The likelihood compiler",
		Long:          "likc reads likelihood expressions, checks them, evaluates them on data and compiles them to standalone Go packages.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return cli.NoCommand(args[0])
			}
			return nil
		},
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.CheckExclusive(cmd); err != nil {
				return err
			}
			return cli.LimitSpace(cmd)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(cli.FlagError)
	root.AddCommand(model.NewModels(), fit.WithStudy(model.NewCheck()), model.NewEval(), model.NewCompile(), model.NewNormalise(), calibrate.New(), model.NewGenerate(), model.NewDemo())
	root.AddCommand(data.NewSimulate(), data.NewBank())
	root.AddCommand(bench.NewBench())
	root.AddCommand(fit.NewFit(), fit.NewDiagnose(), fit.NewCompare(), fit.NewContrast(), judge.NewJudge(), judge.NewApply(), find.NewFront())
	root.AddCommand(teacher.NewTeacher())
	root.AddCommand(checks.NewRecover(), checks.NewSBC(), checks.NewPPC(), checks.NewAudit(), checks.NewAblate(), checks.NewConfuse())
	root.AddCommand(find.NewSearch(), find.NewPolish(), judge.NewSweep(), run.NewRun(), run.NewUnit(), run.NewReportPage())
	root.AddCommand(newVersion(), newDocs())
	root.Version = versionLine(version.Get())
	return root
}
