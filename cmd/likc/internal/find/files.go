package find

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/sys/store"
	"likc/search/find/discover"

	"github.com/spf13/cobra"
)

// findFiles sets the paths of the files that the search writes. It returns an error if a file cannot be written, if two paths are the same, or if
// one is that of a front from which the search continues.
func (f *searchFlags) findFiles() error {
	type file struct {
		flag, path string  // the path that the flag gives
		to         *string // where the path to write is stored
	}
	var files []file
	if f.Out != "" {
		if strings.EqualFold(filepath.Ext(f.Out), ".csv") {
			return cli.Usagef("--output %s: a table of that name goes beside the front; want FRONT.jsonl", f.Out)
		}
		files = append(files, file{"--output", f.Out, &f.run.Front}, file{"--output", discover.TablePath(f.Out), &f.run.Table},
			file{"--output", f.Out + ".state", &f.run.State})
	}
	if f.Archive != "" {
		files = append(files, file{"--archive", f.Archive, &f.run.Archive})
	}
	for i, a := range files {
		var err error
		if *a.to, err = outputFile(a.flag, a.path); err != nil {
			return err
		}
		for _, b := range files[:i] {
			if store.SameFile(*a.to, *b.to) {
				return cli.Usagef("%s %s: the search writes %s there", a.flag, a.path, b.path)
			}
		}
		for _, from := range f.From {
			if source, err := store.Follow(from); err == nil && store.SameFile(*a.to, source) {
				return cli.Usagef("--from %s: the search would write %s over it", from, a.path)
			}
		}
	}
	return nil
}

// checkReplaced refuses to write over a front, an archive or a table that likc did not write.
func (f *searchFlags) checkReplaced(cmd *cobra.Command) error {
	if f.Out != "" {
		if err := cmp.Or(cli.CheckOutput(cmd, nil, "--output", f.Out, cli.WrittenFront),
			cli.CheckOutput(cmd, nil, "--output", discover.TablePath(f.Out), cli.Begins("Complexity,Loss,Equation"))); err != nil {
			return err
		}
	}
	return cli.CheckOutput(cmd, nil, "--archive", f.Archive, cli.WrittenFront)
}

// outputFile returns the path to which a file is written: path or, if it is a link, the link's target. It returns an error
// for a path that is not a regular file, and for a folder in which nothing can be written.
func outputFile(flag, path string) (string, error) {
	target, err := store.Follow(path)
	if err != nil {
		return "", cli.Usagef("%s %s: %w", flag, path, store.Cause(err))
	}
	if err := cli.CheckParentFolder(flag, target); err != nil {
		return "", err
	}
	if info, err := os.Stat(target); err == nil && info.IsDir() {
		return "", cli.Usagef("%s %s: is a folder; want a file", flag, path)
	} else if err == nil && !info.Mode().IsRegular() {
		return "", cli.Usagef("%s %s: is not a regular file", flag, path)
	}
	if err := store.CanWrite(filepath.Dir(target)); err != nil {
		return "", cli.Usagef("%s %s: %w", flag, path, err)
	}
	return target, nil
}
