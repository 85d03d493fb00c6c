package fit

import (
	"context"
	"fmt"
	"io"
	"likc/cmd/likc/internal/cli"
	"path/filepath"
)

// write writes one fit's files into the hidden folder, what is worth most first, and lets go of its draws.
func (r *fitRun) write(ctx context.Context, f *fitted, threads int) {
	dir := ""
	if r.many {
		dir = f.folder
		if f.written = r.folder.Mkdir(dir); f.written != nil {
			return
		}
	}
	if f.written = r.writeDraws(dir, f); f.written != nil {
		return
	}
	if f.draws != nil && !r.noFigures && !f.stopped() {
		f.figures, f.written = r.writeFigures(ctx, dir, f, threads)
	}
	f.draws = nil
}

// writeDraws writes the draws and their summary to dir, which is below the hidden folder.
func (r *fitRun) writeDraws(dir string, f *fitted) error {
	if f.draws != nil {
		for i := range f.draws.Chains {
			name := fmt.Sprintf("chain_%d.csv", f.draws.Chains[i].ID)
			if err := r.folder.WriteFile(filepath.Join(dir, name), func(w io.Writer) error { return f.draws.WriteStan(w, i) }); err != nil {
				return err
			}
		}
	}
	return r.folder.WriteFile(filepath.Join(dir, summaryFile), func(w io.Writer) error { return cli.PrintJSON(w, r.json(f)) })
}

// writeMany writes what stands above the folders of many subjects.
func (r *fitRun) writeMany(kept []*fitted, partial bool) error {
	err := r.folder.WriteFile("subjects.csv", func(w io.Writer) error { return r.subjectsCSV(w, kept) })
	if err != nil {
		return err
	}
	return r.folder.WriteFile(summaryFile, func(w io.Writer) error { return cli.PrintJSON(w, r.subjectsJSON(kept, partial)) })
}
