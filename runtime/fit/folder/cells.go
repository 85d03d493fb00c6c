package folder

import (
	"encoding/csv"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"likc/runtime/fit"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/sys/store"
)

// cellsFile is the table of every parameter of a study in every cell of its design; see docs/reference/output-files.md.
const cellsFile = "cells.csv"

// levelsFile is the table of the parameters of each level of a study's first grouping. Tables of further groupings are in files
// named after them.
const levelsFile = "groups.csv"

func isLevels(name string) bool { return name == levelsFile || strings.HasPrefix(name, "groups_") }

// writeCells writes the file of cells, and a file for the levels of each grouping.
func (f *Folder) writeCells(r *fit.Result) error {
	if r.Cells == nil {
		return nil
	}
	groupings, factors, numbers := r.Study.CellColumns()
	columns := slices.Concat(groupings, factors, numbers)
	if err := f.hidden.WriteFile(filepath.Join(r.Folder, cellsFile), func(w io.Writer) error { return writeCells(w, columns, r.Cells) }); err != nil {
		return err
	}
	var done []string
	for i := range r.Cells {
		by := r.Cells[i].By
		if by == "" || slices.Contains(done, by) {
			continue
		}
		name := levelsFile
		if done = append(done, by); len(done) > 1 {
			name = "groups_" + store.Shorten(strings.NewReplacer(":", "_", "/", "_").Replace(by)) + ".csv"
		}
		err := f.hidden.WriteFile(filepath.Join(r.Folder, name), func(w io.Writer) error { return writeLevels(w, by, columns, r.Cells) })
		if err != nil {
			return err
		}
	}
	return nil
}

// writeCells writes a row for each cell. A cell of two groupings, such as id and id:cond, has one row. Rows of levels have the
// parameters that vary by the levels' grouping, and the parameters that all levels of all groupings share.
func writeCells(w io.Writer, columns []string, all []hierarchy.Cell) error {
	out := csv.NewWriter(w)
	out.Write(slices.Concat(columns, []string{"param", "mean", "sd", "q5", "q50", "q95", "at", "levels_mean", "levels_sd", "levels_q5", "levels_q50", "levels_q95", "levels_n"})) // the csv writer remembers its first error
	written, varies := map[string]bool{}, map[string]bool{}
	for i := range all {
		if c := &all[i]; c.By != "" && !c.Shared {
			varies[c.Param] = true
		}
	}
	for i := range all {
		c := &all[i]
		if c.Shared && varies[c.Param] {
			continue
		}
		row := make([]string, len(columns))
		for k, column := range columns {
			row[k] = c.Text(column)
		}
		row = append(row, c.Param)
		key := strings.Join(append(slices.Clone(row), c.At), "\x00")
		if written[key] {
			continue
		}
		written[key] = true
		row = append(append(row, textsOf(c.Figures)...), c.At)
		if c.Levels != nil {
			row = append(append(row, textsOf(*c.Levels)...), strconv.Itoa(c.LevelsN))
		} else {
			row = append(row, make([]string, 6)...)
		}
		out.Write(row)
	}
	out.Flush()
	return out.Error()
}

func textsOf(f hierarchy.Figures) []string {
	return []string{exact(f.Mean), exact(f.SD), exact(f.Q5), exact(f.Q50), exact(f.Q95)}
}

// writeLevels writes a row for each cell of each level of a grouping.
func writeLevels(w io.Writer, by string, columns []string, all []hierarchy.Cell) error {
	var of []string // factors of the levels' cells
	for _, column := range columns {
		if slices.ContainsFunc(all, func(c hierarchy.Cell) bool { return c.By == by && c.HasFactor(column) }) {
			of = append(of, column)
		}
	}
	out := csv.NewWriter(w)
	out.Write(append([]string{by, "param", "mean", "sd", "q5", "q95"}, of...))
	for i := range all {
		c := &all[i]
		if c.By != by || c.At != "" {
			continue
		}
		row := []string{c.Level, c.Param, exact(c.Mean), exact(c.SD), exact(c.Q5), exact(c.Q95)}
		for _, column := range of {
			row = append(row, c.Text(column))
		}
		out.Write(row)
	}
	out.Flush()
	return out.Error()
}
