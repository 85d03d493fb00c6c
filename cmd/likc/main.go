// Command likc is the likelihood compiler: it checks, evaluates and compiles likelihood models.
package main

import (
	"errors"
	"fmt"
	"os"

	"likc/runtime/version"

	"github.com/spf13/cobra"
)

func main() { os.Exit(Main()) }

// Main runs the command line and returns the exit status: 0, 1 if the command failed, 2 if it was called wrongly.
func Main() int {
	root := newRoot()
	ctx, stop := interruptible(root, os.Args[1:])
	defer stop()
	out := &stdout{}
	root.SetOut(out)
	err := root.ExecuteContext(ctx)
	if closed := out.close(); err == nil {
		err = closed
	}
	if err == nil {
		return 0
	}
	fmt.Fprintf(os.Stderr, "likc: %s\n", oneLine(err))
	var usage usageError
	if errors.As(err, &usage) {
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
				return usagef("%s: no such command; likc --help lists them", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(newCheck(), newEval(), newCompile(), newGenerate(), newDemo())
	root.AddCommand(newSimulate(), newBank())
	root.AddCommand(newBench())
	root.AddCommand(newFit(), newDiagnose(), newJudge(), newFront())
	root.AddCommand(newTeacher())
	root.AddCommand(newSBC(), newPPC(), newAudit())
	root.AddCommand(newSearch(), newPolish(), newSweep(), newRun(), newReportPage())
	root.AddCommand(newVersion(), newDocs())
	root.Version = versionLine(version.Get())
	return root
}
