package judge

import (
	"errors"
	"fmt"
	"io"
	"likc/cmd/likc/internal/cli"
	"likc/runtime/store"
	"likc/search/judge"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
)

// run judges what an earlier run left, and keeps the verdicts as they come.
func (r *judgeRun) run(cmd *cobra.Command) (err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // little is kept, so collecting less often saves a tenth of the time
	start := time.Now()
	defer func() { r.seconds = time.Since(start).Seconds() }()
	if r.flags.figures != "" {
		undo, err := makeFigures(r.flags.figures)
		if err != nil {
			return err
		}
		defer func() { // drawn before, unless there was nothing to draw
			if len(r.verdicts) == 0 {
				undo()
			}
		}()
	}
	keep := func(v *judge.Verdict) error { return nil }
	if r.flags.out != "" {
		file, err := judge.OpenFile(r.flags.out, r.hash, r.entries, r.flags.force)
		if err != nil {
			return err
		}
		defer func() {
			if cerr := file.Close(); err == nil {
				err = cerr
			}
		}()
		r.verdicts, r.kept, keep = file.Known, len(file.Known), file.Append
	}
	of := judge.Duplicates(r.entries)
	for i, first := range of {
		if i == first {
			r.unique++
		}
	}
	bars := cli.NewProgress(cmd.ErrOrStderr())
	defer bars.Close()
	r.settings.Progress = bars.Subjects
	r.settings.Fits = r.flags.fits || r.flags.figures != ""
	known := r.verdicts
	r.told, err = judge.Run(cmd.Context(), r.entries, of, known, r.bank, r.settings, func(v *judge.Verdict) error {
		v.Settings = r.hash
		r.verdicts = append(r.verdicts, v)
		if short := *v; !r.flags.fits { // figures need fits that the file does not keep
			short.Fits = nil
			v = &short
		}
		return keep(v)
	})
	return err
}

// nothing is a run without a candidate: an empty file, but not in place of verdicts.
func (r *judgeRun) nothing(told io.Writer) error {
	fmt.Fprintln(told, "no expression in any front: nothing to judge")
	if r.flags.out == "" {
		return nil
	}
	file, err := judge.OpenFile(r.flags.out, r.hash, nil, r.flags.force)
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return store.WriteChecked(r.flags.out, func(io.Writer) error { return nil })
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
	if err := store.Probe(dir); err != nil {
		undo()
		return nil, fmt.Errorf("--figures %s: %w", dir, err)
	}
	return undo, nil
}
