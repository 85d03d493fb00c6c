package fit

import (
	"likc/runtime/finite"
	"likc/runtime/hierarchy"
)

// CellSummary is a cell of a study's design in summary.json: one parameter on its own scale for the typical level of each grouping.
type CellSummary struct {
	Cell   string            `json:"cell"` // as a contrast names it: v[conf=HC]
	Param  string            `json:"param"`
	Values []hierarchy.Value `json:"values,omitempty"` // of the columns on which the parameter depends
	At     string            `json:"at,omitempty"`     // where a numeric column is that is not at its mean, as "x + 1 sd"
	CellFigures
	Levels   *CellFigures `json:"levels,omitempty"`    // of the mean over the levels of the first grouping; nil where the parameter has none
	LevelsOf string       `json:"levels_of,omitempty"` // the first grouping
}

// CellFigures are [hierarchy.Figures] in JSON.
type CellFigures struct {
	Mean finite.Number `json:"mean"`
	SD   finite.Number `json:"sd"`
	Q5   finite.Number `json:"q5"`
	Q50  finite.Number `json:"q50"`
	Q95  finite.Number `json:"q95"`
}

// FiguresJSON are figures as JSON writes them.
func FiguresJSON(f hierarchy.Figures) CellFigures {
	return CellFigures{finite.Number(f.Mean), finite.Number(f.SD), finite.Number(f.Q5), finite.Number(f.Q50), finite.Number(f.Q95)}
}

// setCells computes the cells of the design, and keeps those of the typical level in the summary, without fixed parameters.
func (r *Result) setCells() {
	study := r.Hierarchy.Study
	cells, err := study.Cells(r.Draws.Common())
	if err != nil {
		r.Summary.Warnings = append(r.Summary.Warnings, "there is no table of cells: "+err.Error())
		return
	}
	r.Hierarchy.Cells = cells
	for i := range cells {
		c := &cells[i]
		if c.By != "" || c.Fixed {
			continue
		}
		one := CellSummary{Cell: c.String(), Param: c.Param, Values: c.Values, At: c.At, CellFigures: FiguresJSON(c.Figures)}
		if c.Levels != nil {
			levels := FiguresJSON(*c.Levels)
			one.Levels, one.LevelsOf = &levels, c.LevelsOf
		}
		r.Summary.Cells = append(r.Summary.Cells, one)
	}
}
