package fit

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"likc/runtime/fit"
	"likc/runtime/num/notation"
)

// mostCells is the number of cells that a fit prints.
const mostCells = 40

// printCells writes a row for each cell of a study's design. The argument where names the file that has all cells.
func printCells(w io.Writer, all []fit.CellSummary, where string) error {
	shown := all[:min(len(all), mostCells)]
	var grouped []string // the groupings over whose levels cells vary
	for _, c := range shown {
		if c.Levels != nil {
			grouped = append(grouped, c.LevelsOf)
		}
	}
	differ := fit.LevelsDiffer(shown)
	scale, varies := "on the parameters' own scale", grouped != nil
	if varies {
		scale += ", for a typical " + groupings(grouped) + " (offsets 0)"
	}
	fmt.Fprintf(w, "cells of the design, %s:\n", scale)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "\tmean\tsd\t5%\t95%\t")
	if varies {
		fmt.Fprintf(t, "mean over %s\tsd\t", groupings(grouped))
	}
	if differ {
		fmt.Fprint(t, "n\t")
	}
	fmt.Fprintln(t)
	for _, c := range shown {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t", c.Cell, short(float64(c.Mean)), short(float64(c.SD)), short(float64(c.Q5)), short(float64(c.Q95)))
		switch {
		case c.Levels != nil:
			fmt.Fprintf(t, "%s\t%s\t", short(float64(c.Levels.Mean)), short(float64(c.Levels.SD)))
			if differ {
				fmt.Fprintf(t, "%d\t", c.LevelsN)
			}
		case varies:
			fmt.Fprint(t, "\t\t")
			if differ {
				fmt.Fprint(t, "\t")
			}
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if rest := len(all) - len(shown); rest > 0 {
		fmt.Fprintf(w, "and %s: %s\n", notation.Count(rest, "further cell"), where)
	}
	for _, line := range fit.MeansText(shown) {
		fmt.Fprintln(w, line)
	}
	if differ {
		fmt.Fprintf(w, "n: those %s in the data that have the cell, over which its mean is; likc contrast compares cells over those that have both\n", groupings(grouped))
	}
	_, err := fmt.Fprintln(w, "\ncoefficients, on the scale of the links:")
	return err
}

// printModeCells writes a row for each cell of a design, at the posterior mode. The argument where names the file that
// has all cells.
func printModeCells(w io.Writer, all []fit.ModeCell, where string) error {
	shown := all[:min(len(all), mostCells)]
	fmt.Fprintln(w, "cells of the design, on the parameters' own scale:")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tat the mode\t")
	for _, c := range shown {
		fmt.Fprintf(t, "%s\t%s\t\n", c.Cell, short(float64(c.Mode)))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if rest := len(all) - len(shown); rest > 0 {
		fmt.Fprintf(w, "and %s: %s\n", notation.Count(rest, "further cell"), where)
	}
	for _, line := range fit.ModeMeansText(shown) {
		fmt.Fprintln(w, line)
	}
	_, err := fmt.Fprintln(w, "\ncoefficients, on the scale of the links:")
	return err
}

// groupings lists the names of groupings, each once.
func groupings(names []string) string {
	names = slices.Clone(names)
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}
