package fit

import (
	"fmt"
	"slices"
	"strconv"

	"likc/runtime/fit/hierarchy"
	"likc/runtime/num/chains"
	"likc/runtime/num/finite"
)

// CellSummary is one entry of "cells" in summary.json: a parameter in one cell of a study's design, on the parameter's own scale and
// for the typical level of each grouping.
type CellSummary struct {
	Cell   string            `json:"cell"` // name of the cell, as in a contrast: v[conf=HC]
	Param  string            `json:"param"`
	Values []hierarchy.Value `json:"values,omitempty"` // values of the columns on which the parameter depends
	At     string            `json:"at,omitempty"`     // position of a numeric column that is not at its mean, such as "x + 1 sd"
	CellFigures
	Levels   *CellFigures `json:"levels,omitempty"`    // figures of the mean over the levels of the first grouping; nil if the parameter has no grouping
	LevelsOf string       `json:"levels_of,omitempty"` // the first grouping
	LevelsN  int          `json:"levels_n,omitempty"`  // number of levels that have the cell

	AtMean []hierarchy.Value `json:"at_mean,omitempty"` // numeric columns that are at their mean over the trials
}

// MeansText lists the means at which numeric columns are held in a table of cells, one line for each column.
func MeansText(all []CellSummary) []string {
	var held []hierarchy.Value
	for _, c := range all {
		held = append(held, c.AtMean...)
	}
	return meansText(held)
}

// ModeMeansText does the same as MeansText, for cells at a posterior mode.
func ModeMeansText(all []ModeCell) []string {
	var held []hierarchy.Value
	for _, c := range all {
		held = append(held, c.AtMean...)
	}
	return meansText(held)
}

func meansText(held []hierarchy.Value) (lines []string) {
	for _, v := range held {
		x, _ := strconv.ParseFloat(v.Text, 64)
		line := fmt.Sprintf("%s is at its mean %.4g unless a row says otherwise", v.Column, x)
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// LevelsDiffer reports whether different cells of a table are averaged over different numbers of levels.
func LevelsDiffer(all []CellSummary) bool {
	numbers := map[string]int{} // numbers of levels, by grouping
	for _, c := range all {
		if n, known := numbers[c.LevelsOf]; c.Levels != nil && known && n != c.LevelsN {
			return true
		}
		numbers[c.LevelsOf] = c.LevelsN
	}
	return false
}

// CellFigures are [hierarchy.Figures] in JSON.
type CellFigures struct {
	Mean finite.Number `json:"mean"`
	SD   finite.Number `json:"sd"`
	Q5   finite.Number `json:"q5"`
	Q50  finite.Number `json:"q50"`
	Q95  finite.Number `json:"q95"`
}

// FiguresJSON converts figures for JSON.
func FiguresJSON(f hierarchy.Figures) CellFigures {
	return CellFigures{finite.Number(f.Mean), finite.Number(f.SD), finite.Number(f.Q5), finite.Number(f.Q50), finite.Number(f.Q95)}
}

// setCells computes the cells of the design. It stores those of the typical level in the summary, except for fixed parameters.
func (r *Result) setCells() {
	cells, err := r.Study.Cells(r.Draws.Common())
	if err != nil {
		r.Summary.Warnings = append(r.Summary.Warnings, "there is no table of cells: "+err.Error())
		return
	}
	r.Cells = cells
	for i := range cells {
		c := &cells[i]
		if c.By != "" || c.Fixed {
			continue
		}
		one := CellSummary{Cell: c.String(), Param: c.Param, Values: c.Values, At: c.At, CellFigures: FiguresJSON(c.Figures), AtMean: c.AtMean()}
		if c.Levels != nil {
			levels := FiguresJSON(*c.Levels)
			one.Levels, one.LevelsOf, one.LevelsN = &levels, c.LevelsOf, c.LevelsN
		}
		r.Summary.Cells = append(r.Summary.Cells, one)
	}
}

// ModeCell is a parameter in one cell of a study's design, at the posterior mode of the coefficients.
type ModeCell struct {
	Cell   string            `json:"cell"` // name of the cell, as in a contrast: v[conf=HC]
	Param  string            `json:"param"`
	Values []hierarchy.Value `json:"values,omitempty"`  // values of the columns on which the parameter depends
	Mode   finite.Number     `json:"mode"`              // the parameter's value at the mode, on its own scale
	AtMean []hierarchy.Value `json:"at_mean,omitempty"` // numeric columns that are at their mean over the trials
}

// modeCells returns the cells of the design at given coefficients, except those of fixed parameters.
func modeCells(study *hierarchy.Study, coefs []float64) (all []ModeCell, err error) {
	one := &chains.Draws{Names: study.Names(), Chains: []chains.Chain{{ID: 1, Trace: chains.NewTrace(len(coefs), 1)}}}
	for i, x := range coefs {
		one.Chains[0].Params[i] = append(one.Chains[0].Params[i], x)
	}
	one = one.Common()
	cells, err := study.Cells(one)
	for i := range cells {
		if c := &cells[i]; c.By == "" && !c.Fixed {
			all = append(all, ModeCell{c.String(), c.Param, c.Values, finite.Number(c.Mean), c.AtMean()})
		}
	}
	return all, err
}
