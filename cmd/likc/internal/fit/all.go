package fit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"likc/cmd/likc/internal/cli"
	"likc/runtime/workers"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
)

// all fits the subjects: several at a time if there are several, else the chains of the one. A file that cannot be written
// ends them all.
func (r *fitRun) all(ctx context.Context, jobs []job) []*fitted {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	out := make([]*fitted, len(jobs))
	bars := cli.NewProgress(r.stderr)
	defer bars.Close()
	if !r.many {
		out[0] = r.one(ctx, jobs[0], cmp.Or(r.threads, runtime.GOMAXPROCS(0)), bars.Chain)
		return out
	}
	var done atomic.Int64
	all := context.WithoutCancel(ctx) // a subject whose turn comes after the end says so itself
	workers.Do(all, len(jobs), r.threads, func(_, i int) {
		if out[i] = r.one(ctx, jobs[i], 1, nil); out[i].written != nil {
			stop()
		}
		bars.Subjects(int(done.Add(1)), len(jobs))
	})
	return out
}

// finish prints and writes what was fitted, and says what is missing.
func (r *fitRun) finish(ctx context.Context, all []*fitted) error {
	var kept []*fitted
	whole := true
	for _, f := range all {
		if f.kept() {
			kept = append(kept, f)
		}
		whole = whole && f.whole()
	}
	err := r.keep(kept, !whole) // before anything is printed: a terminal that is gone must not lose a fit
	if len(kept) > 0 {
		if err := r.print(kept, !whole); err != nil {
			return err
		}
	}
	for _, f := range kept {
		warn(r.stderr, f)
	}
	if err != nil {
		return err
	}
	return r.missing(ctx, all, kept)
}

// keep puts the folder in its place if everything in it could be written.
func (r *fitRun) keep(kept []*fitted, partial bool) error {
	for _, f := range kept {
		if f.written != nil {
			return f.errorf(f.written)
		}
	}
	if len(kept) == 0 || r.folder == nil {
		return nil
	}
	return r.place(kept, partial)
}

// place puts the folder in its place. An older fit is worth more than a part of this one, which then goes beside it.
func (r *fitRun) place(kept []*fitted, partial bool) error {
	if r.many {
		if err := r.writeMany(kept, partial); err != nil {
			return err
		}
	}
	if partial && holdsFit(r.target) {
		r.dir, r.target = r.dir+".partial", r.target+".partial"
		if _, err := fitFolder(r.target); err != nil {
			r.dir, r.target = r.dir+"."+filepath.Base(r.folder.Path)[1:], r.target+"."+filepath.Base(r.folder.Path)[1:]
		}
	}
	err := r.folder.Replace(r.target)
	if err == nil {
		return nil
	}
	if r.folder.Keep(r.target+".new") == nil {
		return fmt.Errorf("%s: cannot be replaced: %w; the fit is kept in %s.new", r.dir, cli.Plain(err), r.dir)
	}
	return fmt.Errorf("%s: cannot be written: %w", r.dir, cli.Plain(err))
}

// holdsFit reports whether the folder is an earlier fit's.
func holdsFit(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, summaryFile))
	return err == nil
}

// missing is the error of a fit that is not whole.
func (r *fitRun) missing(ctx context.Context, all, kept []*fitted) error {
	where := "printed"
	if r.dir != "" {
		where = "kept in " + r.dir
	}
	if slices.ContainsFunc(all, (*fitted).stopped) {
		return r.interrupted(all, kept, where)
	}
	if ctx.Err() != nil && slices.ContainsFunc(all, func(f *fitted) bool { return errors.Is(f.figures, context.Canceled) }) {
		return fmt.Errorf("interrupted: all draws are %s, but not all figures; the same command draws them", where)
	}
	return failures(all, where)
}

// interrupted says how much there is, and how to go on.
func (r *fitRun) interrupted(all, kept []*fitted, where string) error {
	switch {
	case len(kept) == 0:
		return errNothing
	case r.many:
		return fmt.Errorf("interrupted: %d of %d subjects are %s; left are %s; the same command fits all, --only ID one of them",
			len(kept), len(all), where, left(all))
	}
	few, most := slices.Min(kept[0].summary.DrawsPerChain), slices.Max(kept[0].summary.DrawsPerChain)
	draws := fmt.Sprint(few)
	if few < most {
		draws = fmt.Sprintf("%d to %d", few, most)
	}
	chains := ""
	if n := len(kept[0].summary.DrawsPerChain); n < r.settings.NumChains {
		chains = fmt.Sprintf(" in %d of %d chains", n, r.settings.NumChains)
	}
	return fmt.Errorf("interrupted: %s of %d draws a chain%s are %s; the same command draws them all", draws, r.settings.NumSamples, chains, where)
}

// left lists the subjects that were not fitted for the interrupt: some, if they are many.
func left(all []*fitted) string {
	const most = 5
	var labels []string
	n := 0
	for _, f := range all {
		if !f.stopped() {
			continue
		}
		if n++; n <= most {
			labels = append(labels, f.label)
		}
	}
	text := fmt.Sprintf("%d: %s", n, strings.Join(labels, ", "))
	if n > most {
		text += fmt.Sprintf(" and %d more", n-most)
	}
	return text
}

// failures are the errors of all subjects, or of the first few of many.
func failures(all []*fitted, where string) error {
	const most = 10
	var errs []error
	more := 0
	for _, f := range all {
		switch {
		case f.err == nil:
		case len(errs) == most:
			more++
		case f.kept():
			errs = append(errs, f.errorf(fmt.Errorf("%w; the other %s %s", f.err, cli.Count(len(f.summary.DrawsPerChain), "chain"), where)))
		default:
			errs = append(errs, f.errorf(f.err))
		}
	}
	if more > 0 {
		errs = append(errs, fmt.Errorf("and %s more", cli.Count(more, "subject")))
	}
	return errors.Join(errs...)
}
