package run

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/sys/store"
	"likc/search/work/pipeline"

	"github.com/spf13/cobra"
)

// unitFlags are the flags of the command unit.
type unitFlags struct {
	Threads int    `flag:"threads" in:"[0,4096]" help:"processors to use; 0: all. Results do not depend on it"`
	Sum     string `flag:"sha256" value:"SUM" help:"the SUM that this program must have; it is an error if it has another"`
}

// NewUnit returns the command unit.
func NewUnit() *cobra.Command {
	return cli.Command(&unitFlags{}, &cobra.Command{
		Use:         "unit RUN JOB…",
		Annotations: cli.KeepsWork,
		Short:       "Do jobs of a run, as the tasks of a cluster do",
		Long: `Do units of work that likc run --engine slurm has saved as jobs in the folder RUN, one after the other. Tasks of a
cluster call it; call it by hand to repeat a task that failed. JOB is the name of a file in RUN/.work/jobs, without .json. A
job that is done is not done again, and one that was interrupted goes on.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return cli.Usagef("unit: needs RUN JOB…")
			}
			return nil
		},
	})
}

// Run does the jobs of the unit, one after the other.
func (f *unitFlags) Run(cmd *cobra.Command, args []string) error {
	if err := checkProgram(f.Sum); err != nil {
		return err
	}
	dir, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	var failures []error
	for _, id := range args[1:] {
		if err := pipeline.Work(cmd.Context(), dir, id, cmp.Or(f.Threads, runtime.GOMAXPROCS(0)), pipeline.Execute); err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", id, err))
		}
		if cmd.Context().Err() != nil {
			break
		}
	}
	return errors.Join(failures...)
}

// checkProgram makes sure that this program is the one that the run was started with.
func checkProgram(sum string) error {
	if sum == "" {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	got, err := store.SumFile(self)
	if err == nil && got != sum {
		err = fmt.Errorf("%s: has the SHA-256 sum %s, want %s: the copy is not whole, or was changed", self, got, sum)
	}
	return err
}
