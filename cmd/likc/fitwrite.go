package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// write writes one fit's files into the hidden folder, what is worth most first, and lets go of its draws.
func (r *fitRun) write(ctx context.Context, f *fitted, threads int) {
	dir := r.folder.path
	if r.many {
		dir = filepath.Join(dir, f.folder)
		if err := os.Mkdir(dir, 0o755); err != nil {
			f.written = r.inPlace(err)
			return
		}
	}
	if f.written = r.inPlace(r.writeDraws(dir, f)); f.written != nil {
		return
	}
	if f.draws != nil && !r.noFigures && !f.stopped() {
		f.figures, f.written = r.writeFigures(ctx, dir, f, threads)
		f.written = r.inPlace(f.written)
	}
	f.draws = nil
}

// writeDraws writes the draws and their summary.
func (r *fitRun) writeDraws(dir string, f *fitted) error {
	if f.draws != nil {
		for i := range f.draws.Chains {
			name := fmt.Sprintf("chain_%d.csv", f.draws.Chains[i].ID)
			if err := r.folder.write(filepath.Join(dir, name), func(w io.Writer) error { return f.draws.WriteStan(w, i) }); err != nil {
				return err
			}
		}
	}
	return r.folder.write(filepath.Join(dir, summaryFile), func(w io.Writer) error { return printJSON(w, r.json(f)) })
}

// writeMany writes what stands above the folders of many subjects.
func (r *fitRun) writeMany(kept []*fitted, partial bool) error {
	dir := r.folder.path
	err := r.folder.write(filepath.Join(dir, "subjects.csv"), func(w io.Writer) error { return r.subjectsCSV(w, kept) })
	if err == nil {
		err = r.folder.write(filepath.Join(dir, summaryFile), func(w io.Writer) error { return printJSON(w, r.subjectsJSON(kept, partial)) })
	}
	return r.inPlace(err)
}

// inPlace says in an error where a file was to go, not where it is filled.
func (r *fitRun) inPlace(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.ReplaceAll(err.Error(), r.folder.path, r.dir))
}
