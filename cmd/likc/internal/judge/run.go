package judge

import (
	"context"
	"errors"
	"fmt"
	"os"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/fit/progress"
	"likc/runtime/num/notation"
	"likc/runtime/sys/store"
	"likc/search/study/judge"

	"github.com/spf13/cobra"
)

// run judges the candidates, with progress bars. If nothing is judged, it removes an empty folder of figures.
func (f *judgeFlags) run(cmd *cobra.Command, job *judge.Job) error {
	if f.Figures != "" {
		undo, err := makeFigures(f.Figures)
		if err != nil {
			return err
		}
		defer func() {
			if len(job.Verdicts) == 0 {
				undo()
			}
		}()
	}
	bars := progress.NewBars(cmd.ErrOrStderr())
	defer bars.Close()
	job.Settings.Progress = bars.Subjects
	return job.Run(cmd.Context())
}

// ended adds advice to a run's error: how to continue an interrupted run, and what to do about a file of another run.
func (f *judgeFlags) ended(ctx context.Context, job *judge.Job, err error) error {
	judged, candidates := len(job.Verdicts), notation.Count(len(job.Entries), "candidate")
	switch {
	case errors.Is(err, judge.ErrOther):
		return fmt.Errorf("%w: name another file, or give --force to write over it", err)
	case err == nil || ctx.Err() == nil:
		return err
	case f.Out == "":
		return fmt.Errorf("interrupted: %d of %s judged; with -o VERDICTS.jsonl they would have been kept", judged, candidates)
	case judged == 0:
		return errors.New("interrupted: no candidate was judged yet, and nothing written; start again with the same arguments")
	}
	return fmt.Errorf("interrupted: %d of %s judged, in %s; start again with the same arguments to go on", judged, candidates, f.Out)
}

// makeFigures makes the folder of figures, and finds out before any fit whether files can be written there. undo takes the
// folder away if it is still empty.
func makeFigures(dir string) (undo func(), err error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, cli.Usagef("--figures %s: is a file; want a folder", dir)
	}
	if undo, err = store.MakeFolder(dir); err != nil {
		return nil, fmt.Errorf("--figures %s: nothing can be written there: %w", dir, errors.Unwrap(err))
	}
	if err := store.CanWrite(dir); err != nil {
		undo()
		return nil, fmt.Errorf("--figures %s: %w", dir, err)
	}
	return undo, nil
}
