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

	"github.com/spf13/cobra"
)

// checkFlags are those that recover, ppc, sbc and audit share.
type checkFlags struct {
	study.Where
	asJSON  bool
	parts   cli.PartFlags
	cluster remote.Flags
}

func (f *checkFlags) add(cmd *cobra.Command) {
	f.parts.Add(cmd)
	f.cluster.Add(cmd)
	flags := cmd.Flags()
	flags.StringVarP(&f.Folder, "output", "o", "", "`DIR` for MODEL.json, MODEL.svg and MODEL.jsonl, from which an ended run goes on")
	flags.IntVar(&f.Threads, "threads", 0, "units of work at a time; 0: one a processor. Results do not depend on it")
	flags.BoolVar(&f.asJSON, "json", false, "print the results as JSON, one model a line, instead of a table")
}

// checkPlaces looks at the flags that say where units are done and kept, before anything is read.
func (f *checkFlags) checkPlaces() error { return f.cluster.CheckParts(&f.parts, &f.Folder, "DIR") }

// prepare looks at the flags and makes the folder. If the command ends with an error, undo removes a folder that was made here and is
// still empty.
func (f *checkFlags) prepare() (undo func(ended *error), err error) {
	undo = func(*error) {}
	if err := cli.Within("--threads", f.Threads, 0, cli.MaxThreads); err != nil || f.Folder == "" {
		return undo, err
	}
	info, err := os.Stat(f.Folder)
	switch {
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
			_ = os.Remove(f.Folder) // of a folder that holds anything, it takes nothing away
		}
	}, nil
}

// each runs a check for one model after the other, with bars of progress; on a cluster, in so many parts. It prints the results of models
// before an error too.
func each[R any](cmd *cobra.Command, f *checkFlags, models []*catalog.Model, parts int, check func(*catalog.Model) (R, error), print func(io.Writer, []R) error) (err error) {
	undo, err := f.prepare()
	if err != nil {
		return err
	}
	defer undo(&err)
	f.Part = f.parts.Part
	f.Elsewhere = f.cluster.Elsewhere(cmd, &f.parts, remote.Work{Out: f.Folder, Parts: parts, Result: cmd.Name(), Resume: cmd.Name()})
	defer f.cluster.Tidy(f.Folder, &err)
	var results []R
	var failure error
	for _, m := range models {
		bars := progress.NewBars(cmd.ErrOrStderr())
		f.Progress = func(model, units string, done, of int) {
			bars.Count(model, units, done, of)
		}
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
	if f.asJSON {
		e := json.NewEncoder(cmd.OutOrStdout())
		e.SetEscapeHTML(false)
		for _, r := range results {
			failure = errors.Join(failure, e.Encode(r))
		}
		return failure
	}
	return errors.Join(failure, print(cmd.OutOrStdout(), results))
}

// readModels finds the models of a command line.
func readModels(names []string) ([]*catalog.Model, error) {
	models := make([]*catalog.Model, len(names))
	for i, name := range names {
		var err error
		if models[i], err = cli.ReadModel(name); err != nil {
			return nil, err
		}
	}
	return models, nil
}

// openBank opens the bank that a check needs.
func openBank(dir string) (*bank.Bank, error) {
	if dir == "" {
		return nil, cli.Usagef("--bank: missing; name the folder of a bank, as likc bank make writes it")
	}
	folder, err := cli.FolderOrCommitted(dir)
	if err != nil {
		return nil, fmt.Errorf("--bank %s: %w", dir, err)
	}
	b, err := bank.Open(folder)
	if err == nil && len(b.Subjects) == 0 {
		err = fmt.Errorf("%s: the bank has no subject", dir)
	}
	return b, err
}

// someModels is the argument check of commands that take one model or several.
func someModels(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cli.Usagef("%s: wants MODEL…", cmd.Name())
	}
	return nil
}
