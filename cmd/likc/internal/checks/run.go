// Package checks holds the commands that check a model against simulated data: recover, confuse, ppc, sbc, audit and ablate.
package checks

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"likc/cmd/likc/internal/cli"
	"likc/cmd/likc/internal/remote"
	"likc/runtime/fit/progress"
	"likc/runtime/model/catalog"
	"likc/runtime/sys/store"
	"likc/search/study"
	"likc/search/study/bank"
	"likc/search/study/ppc"

	"github.com/spf13/cobra"
)

// checkFlags are the flags that the commands recover, confuse, ppc, sbc, audit and ablate share.
type checkFlags struct {
	study.Where
	JSON bool `flag:"json" help:"print the results as JSON, one model a line, instead of a table"`
	cli.PartFlags
	remote.Flags `title:"Cluster"`
}

// checkDestinations checks the flags that name the machines of the work and the output folder, before anything is read.
func (f *checkFlags) checkDestinations() error { return f.CheckParts(&f.PartFlags, &f.Folder, "DIR") }

// openBank does what checkDestinations does, then opens the bank of that name with the simulator of its trials.
func (f *checkFlags) openBank(name string) (b *bank.Bank, sim ppc.Simulator, err error) {
	if err = f.checkDestinations(); err != nil {
		return nil, sim, err
	}
	if b, _, err = cli.OpenBank(name); err == nil {
		sim, err = ppc.SimulatorOf(b)
	}
	return b, sim, err
}

// makeFolder makes the folder of -o. If the command ends with an error, undo removes a folder that was made here and is
// still empty.
func (f *checkFlags) makeFolder() (undo func(ended *error), err error) {
	undo = func(*error) {}
	info, err := os.Stat(f.Folder)
	switch {
	case f.Folder == "":
		return undo, nil
	case err == nil && !info.IsDir():
		return undo, cli.Usagef("--output %s: is a file; want a folder", f.Folder)
	case err == nil:
		return undo, nil
	}
	if err := os.MkdirAll(f.Folder, 0o777); err != nil {
		return undo, fmt.Errorf("--output %s: %w", f.Folder, store.Cause(err))
	}
	return func(ended *error) {
		if *ended != nil {
			_ = os.Remove(f.Folder) // a folder with files is not removed
		}
	}, nil
}

// enter makes the folder of -o. If the flags name a cluster, the cluster does the work, divided into the given number of parts. The caller
// calls leave when the command ends; it removes files that are no longer needed.
func (f *checkFlags) enter(cmd *cobra.Command, parts int) (leave func(ended *error), err error) {
	undo, err := f.makeFolder()
	if err != nil {
		return nil, err
	}
	f.Where.Part = f.PartFlags.Part
	f.Where.Elsewhere = f.Flags.Elsewhere(cmd, &f.PartFlags, remote.Work{Out: f.Folder, Parts: parts, Result: cmd.Name(), Resume: cmd.Name()})
	return func(ended *error) {
		f.Tidy(f.Folder, ended)
		undo(ended)
	}, nil
}

// each runs a check for one model after the other, with progress bars, or divided into parts on a cluster. After an error it prints the
// results of the models before.
func each[R any](cmd *cobra.Command, f *checkFlags, models []*catalog.Model, parts int, check func(*catalog.Model) (R, error), print func(io.Writer, []R) error) (err error) {
	leave, err := f.enter(cmd, parts)
	if err != nil {
		return err
	}
	defer leave(&err)
	var results []R
	var failure error
	for _, m := range models {
		bars := progress.NewBars(cmd.ErrOrStderr())
		f.Progress = bars.Count
		result, err := check(m)
		bars.Close()
		if errors.Is(err, study.ErrPart) {
			continue
		}
		if err != nil {
			failure = err
			break
		}
		results = append(results, result)
	}
	if len(results) == 0 {
		return failure
	}
	if f.JSON {
		e := json.NewEncoder(cmd.OutOrStdout())
		e.SetEscapeHTML(false)
		for _, r := range results {
			failure = errors.Join(failure, e.Encode(r))
		}
		return failure
	}
	return errors.Join(failure, print(cmd.OutOrStdout(), results))
}
