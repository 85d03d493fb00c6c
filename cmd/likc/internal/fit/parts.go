package fit

import (
	"context"

	"likc/cmd/likc/internal/cli"
	"likc/cmd/likc/internal/remote"
	"likc/runtime/fit"
	"likc/runtime/fit/folder"
	"likc/runtime/model/bound"

	"github.com/spf13/cobra"
)

// mostParts is the largest number of parts that the subjects are divided into on a cluster.
const mostParts = 1000

// divided reports whether subjects are fitted in parts.
func (f *fitFlags) divided() bool { return f.OnCluster() || f.Given() }

// checkDestinations checks the flags that name the machines for the fits, before anything is read.
func (f *fitFlags) checkDestinations() error {
	if err := f.CheckParts(&f.PartFlags, &f.Dir, "DIR"); err != nil {
		return err
	}
	switch {
	case f.OnCluster() && f.File == "-":
		return cli.Usagef("--on slurm: needs --data FILE, which all machines see, not standard input")
	case f.OnCluster() && f.Resume:
		return cli.Usagef("--resume: not with --on slurm, where the same command goes on by itself")
	}
	return nil
}

// join joins the fits of the parts, which the cluster makes or has made.
func (o *output) join(cmd *cobra.Command, b *bound.Prepared, s fit.Settings, subjects []fit.Subject) error {
	dir, err := o.folder(b, s, subjects)
	if err != nil {
		return err
	}
	defer dir.Discard()
	work := remote.Work{Out: o.Dir, Parts: min(len(subjects), mostParts), Result: "fit", Resume: folder.States("fit"), Again: []string{"--resume"}}
	parts, err := o.Elsewhere(cmd, &o.PartFlags, work)()
	if err != nil {
		return remote.Quietly(err)
	}
	all, err := dir.Join(parts, subjects, s.Record)
	if err != nil {
		return err
	}
	return o.finish(cmd.Context(), all, o.placing(cmd.Context(), dir))
}

// placing returns a function that moves the finished fits into the output folder and returns the words for where they are. Once all
// fits are there, it removes the parts, which are no longer needed.
func (o *output) placing(ctx context.Context, dir *folder.Folder) func([]*fit.Result) (string, error) {
	if o.Part.N > 0 {
		return dir.PublishPart
	}
	return func(all []*fit.Result) (where string, err error) {
		if where, err = dir.Publish(all); ctx.Err() == nil {
			o.Tidy(o.Dir, &err)
		}
		return where, err
	}
}
