package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/sys/store"
	"likc/runtime/sys/units"
	"likc/search/work/cluster"
	"likc/search/work/pipeline"
	"likc/search/work/slurm"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Work is a command's work, which a cluster can divide.
type Work struct {
	Out    string   // the command's output
	Parts  int      // the number of parts into which it is divided
	Result string   // the name of a part's output, a file or a folder
	Resume string   // the name of the file, in a part's output folder, from which an interrupted part continues
	Again  []string // flags with which an interrupted part continues; nil for none
}

// Folder returns the folder of the run whose units are the parts of a command's work.
func Folder(out string) string { return filepath.Clean(out) + ".parts" }

// Elsewhere returns a function that returns the outputs of the parts of a command's work: the files that given names, or those of the
// parts that the cluster does when the function is called. It returns nil if the command was asked for neither.
func (f *Flags) Elsewhere(cmd *cobra.Command, given *cli.PartFlags, w Work) units.Elsewhere {
	switch {
	case len(given.Files) > 0:
		return units.Done(given.Files...)
	case f.OnCluster():
		return sync.OnceValues(func() ([]string, error) { return f.parts(cmd, w) })
	}
	return nil
}

// parts lets the cluster do all parts. It calls the command with the same arguments and --part for each, and returns the paths of
// their outputs. These are in the folder of the parts, which Tidy removes.
func (f *Flags) parts(cmd *cobra.Command, w Work) ([]string, error) {
	plan, err := f.plan(cmd, w)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, u := range plan.Units {
		paths = append(paths, filepath.Join(Folder(w.Out), u.Name, w.Result))
	}
	return paths, f.runPlan(cmd, w.Out, plan)
}

// runPlan runs a plan on the cluster, in a folder next to the output of the command. It removes the folder if an error occurs before a unit
// has begun.
func (f *Flags) runPlan(cmd *cobra.Command, out string, plan pipeline.Plan) error {
	code, err := pipeline.Code()
	if err != nil {
		return err
	}
	dir := Folder(out)
	show := pipeline.NewProgress(cmd.ErrOrStderr(), plan.Units)
	defer show.Close()
	err = f.Units(cmd, dir, plan, pipeline.Options{Code: code, Notify: show.Event}, runtime.GOMAXPROCS(0), show)
	if err == nil || errors.Is(err, cluster.ErrDetached) || cmd.Context().Err() != nil {
		return err
	}
	if !begun(dir) {
		return errors.Join(err, store.RemoveAll(dir))
	}
	return fmt.Errorf("%w; parts that are done, and logs, are in %s: give the same command again to go on, or remove that folder", err, dir)
}

// plan returns a plan with a unit for each part of the work.
func (f *Flags) plan(cmd *cobra.Command, w Work) (p pipeline.Plan, err error) {
	here, err := os.Getwd()
	if err != nil {
		return p, err
	}
	args, flags := cmd.Flags().Args(), f.given(cmd, "json", "figures") // json and figures shape only the output of the whole
	read, err := inputs(slices.Concat(args, flags))
	if err != nil {
		return p, err
	}
	again := slices.Concat([]string{cmd.Name()}, args, flags)
	p = pipeline.Plan{Name: cmd.Name(), Settings: again}
	for k := 1; k <= w.Parts; k++ {
		step := append(slices.Clone(again), "--start-in="+here, "--part="+units.Part{K: k, N: w.Parts}.String(), "--output={out}/"+w.Result)
		p.Units = append(p.Units, pipeline.Unit{Stage: cmd.Name(), Name: fmt.Sprintf("part-%d", k), Inputs: read, Outputs: []string{w.Result}, Resume: w.Resume,
			Threads: 1, Steps: []pipeline.Step{{Args: step, Again: slices.Concat(step, w.Again)}}})
	}
	return p, nil
}

// inputs returns the files and folders that arguments and flags name. The parts depend on their contents, and every machine must see
// them.
func inputs(args []string) (all []pipeline.Input, err error) {
	for _, arg := range args {
		if name, value, flag := strings.Cut(arg, "="); flag && strings.HasPrefix(name, "--") {
			arg = value
		}
		arg, _, _ = strings.Cut(arg, "#") // the text after # names a line of a front
		if info, err := os.Stat(arg); err != nil || !info.IsDir() && !info.Mode().IsRegular() {
			continue
		}
		path, err := filepath.Abs(arg)
		if err != nil {
			return nil, err
		}
		all = append(all, pipeline.Input{Label: fmt.Sprintf("input-%d", len(all)+1), Path: path})
	}
	return all, nil
}

// begun reports whether any part was begun in a folder: whether there is a log.
func begun(dir string) bool {
	found := errors.New("found")
	return filepath.WalkDir(pipeline.LogFolder(dir), func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			return found
		}
		return nil
	}) == found
}

// Tidy ends a command. If err is nil, the command's work is in out, and Tidy removes the folder of the parts. If the command did not use the
// cluster, the folder is from an earlier command, and Tidy removes it only if no job of its parts is in a queue. Tidy sets err to nil if it
// only says that jobs were left in the queue, as the user asked.
func (f *Flags) Tidy(out string, err *error) {
	dir := Folder(out)
	switch {
	case *err != nil:
		*err = Quietly(*err)
	case out != "" && (f.OnCluster() || f.abandoned(dir)):
		*err = store.RemoveAll(dir)
	}
}

// abandoned reports whether a folder is one of parts, and no job of theirs is in a queue.
func (f *Flags) abandoned(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, pipeline.PlanFile))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return err == nil && !cluster.Queued(ctx, dir, &slurm.Slurm{Args: f.Args})
}

// given returns the arguments of the flags that the user gave. It leaves out the flags of this package, those that say where outputs go or
// with how many threads they are made, and others that are named.
func (f *Flags) given(cmd *cobra.Command, others ...string) (all []string) {
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if f.IsOwn(flag.Name) || slices.Contains([]string{"output", "threads", "force", "resume"}, flag.Name) || slices.Contains(others, flag.Name) {
			return
		}
		all = append(all, cli.FlagArgs(flag)...)
	})
	return all
}

// IsOwn reports whether a flag is of this package: it says where the work is done, and not what it is.
func (f *Flags) IsOwn(flag string) bool {
	return slices.Contains([]string{"on", "slurm-arg", "memory", "task-minutes", "poll", "detach"}, flag)
}
