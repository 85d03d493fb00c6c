package find

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/model/catalog"
	"likc/runtime/model/front"
)

// ended returns the front in the file of --output if the search that found it has spent its evaluations: then no checkpoint is beside it, and
// the archive is there if one is wanted. Of other fronts it returns nil. The tier of an expression says that a front is the last one,
// because tiers are looked up when a search ends. A search of other settings, whose hash differs, cannot be resumed.
func (f *searchFlags) ended(hash string) ([]front.Line, error) {
	if _, err := os.Stat(f.run.State); !errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if _, err := os.Stat(f.run.Archive); f.Archive != "" && err != nil {
		return nil, nil
	}
	lines, err := front.ReadFile(f.run.Front, catalog.Headers)
	if err != nil || !slices.ContainsFunc(lines, func(l front.Line) bool { return l.Tier != "" }) {
		return nil, nil // there is no front, or it is damaged or unfinished: the search begins anew
	}
	if lines[0].Settings != hash {
		return nil, cli.Usagef("--resume: %s is of a search with other settings, which has ended: a new one takes its expressions by --from, or leave out --resume to begin anew", f.Out)
	}
	return lines, nil
}

// printEnded says that nothing is left to do.
func (f *searchFlags) printEnded(w io.Writer, lines []front.Line) error {
	if f.JSON {
		return front.Write(w, lines)
	}
	_, err := fmt.Fprintf(w, "%s holds the front of this search, and it is whole: there is nothing to resume\n", f.Out)
	return err
}
