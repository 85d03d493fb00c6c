package hierarchy

import (
	"math"
	"slices"

	"likc/runtime/model/bound"
	"likc/runtime/num/chains"
)

// Cells returns all parameters in all cells of the design that occur in the data. First come those of the typical level, whose offsets
// are 0, then those of each level of each grouping. d holds the study's draws. A parameter has a cell for each combination of the factors
// on which it depends. If it depends on numeric columns, it has further cells in which one of them is a standard deviation from its mean. A
// numeric column with two values counts as a factor.
func (s *Study) Cells(d *chains.Draws) ([]Cell, error) {
	l := s.layout()
	var all []Cell
	for i := range l.record.Params {
		cells := l.typical(i)
		if err := l.setFigures(i, cells, d); err != nil {
			return nil, err
		}
		if err := l.setLevelFigures(i, cells, d); err != nil {
			return nil, err
		}
		all = append(all, cells...)
	}
	var done []string
	for _, g := range s.groups {
		if slices.Contains(done, g.by) {
			continue
		}
		done = append(done, g.by)
		levels, err := l.levels(g, d)
		if err != nil {
			return nil, err
		}
		all = append(all, levels...)
	}
	return all, nil
}

// CellColumns returns the names of the columns that distinguish cells: those of groupings, then factors, then numbers.
func (s *Study) CellColumns() (groupings, factors, numbers []string) {
	r := s.Record()
	for _, g := range s.groups {
		for _, c := range r.Params[g.param].groupingOf(g.by).By {
			if !slices.Contains(groupings, c.Column) {
				groupings = append(groupings, c.Column)
			}
		}
	}
	for i := range r.Columns {
		switch c := &r.Columns[i]; {
		case slices.Contains(groupings, c.Name):
		case c.isFactor():
			factors = append(factors, c.Name)
		default:
			numbers = append(numbers, c.Name)
		}
	}
	return groupings, factors, numbers
}

// typical returns the cells of a parameter for the typical level. Their figures are not computed.
func (l *layout) typical(param int) (all []Cell) {
	rows := make([]int, l.study.Trials())
	for row := range rows {
		rows[row] = row
	}
	for _, c := range l.combined(param, rows) {
		all = append(all, l.cellsAt(param, c.values, rows, Cell{})...)
	}
	return all
}

// ofLevel returns the cells of a parameter for a level of a grouping, such as a participant. The cells' figures are not computed. rows
// holds the indices of the level's trials.
func (l *layout) ofLevel(param int, g *group, level int, rows []int) (all []Cell) {
	own := slices.ContainsFunc(l.study.groups, func(of *group) bool { return of.param == param && of.by == g.by })
	by := l.record.Params[g.param].groupingOf(g.by)
	cell := Cell{By: g.by, Level: g.levels[level], Shared: !own}
	known := levelColumns(by, cell.Level)
	for _, x := range by.By {
		cell.Values = append(cell.Values, Value{x.Column, known[x.Column], ofGrouping})
	}
	for _, c := range l.combined(param, rows) {
		all = append(all, l.cellsAt(param, c.values, rows, cell)...)
	}
	if !own {
		all = slices.DeleteFunc(all, func(c Cell) bool { return c.At != "" })
	}
	return all
}

// CellDraws returns the draws of one of the cells that [Study.Cells] returns, with a slice for each chain.
func (r *Record) CellDraws(c *Cell, d *chains.Draws) ([][]float64, error) {
	at, err := r.pointOf(c)
	if err != nil {
		return nil, err
	}
	values, err := r.param(c.Param).predictors([]point{at}, indexOf(d))
	if err != nil {
		return nil, err
	}
	return drawsOf(values, d, 1)[0], nil
}

// mostTogether is the largest number of cells whose draws are in memory at the same time.
const mostTogether = 256

// setFigures computes the figures of a parameter's cells.
func (l *layout) setFigures(param int, cells []Cell, d *chains.Draws) error {
	p, index := &l.record.Params[param], indexOf(d)
	for some := range slices.Chunk(cells, mostTogether) {
		points, err := l.record.pointsOf(some)
		if err != nil {
			return err
		}
		if p.Formula == nil {
			points = points[:1] // the parameter is one number in all cells
		}
		values, err := p.predictors(points, index)
		if err != nil {
			return err
		}
		drawn := drawsOf(values, d, 1)
		for i := range some {
			k := min(i, len(points)-1)
			if some[i].Figures = some[k].Figures; k == i {
				some[i].Figures = FiguresOf(drawn[k])
			}
			some[i].Low, some[i].High = l.study.params[param].ends(values.Inverse[k])
		}
	}
	return nil
}

// setLevelFigures sets, for cells of the typical level, the figures of the mean over the levels that have the cell.
func (l *layout) setLevelFigures(param int, cells []Cell, d *chains.Draws) error {
	p := &l.record.Params[param]
	if !p.hasLevels() {
		return nil
	}
	for i := range cells {
		at, err := l.record.pointOf(&cells[i])
		if err != nil {
			return err
		}
		have := l.record.levelsWith(p, at.table)
		x, err := l.record.drawsOfLevels(p, at.table, have, d)
		if err != nil {
			return err
		}
		figures := FiguresOf(x)
		cells[i].Levels, cells[i].LevelsOf, cells[i].LevelsN = &figures, p.grouping().Name(), len(have)
	}
	return nil
}

// levels returns the cells of each level of a grouping, ordered by parameter.
func (l *layout) levels(g *group, d *chains.Draws) (all []Cell, err error) {
	members := membersOf(g)
	each := make([][]Cell, len(l.record.Params)) // the grouping's cells, by parameter
	counts := make([][]int, len(l.record.Params))
	for i := range l.record.Params {
		for level, rows := range members {
			own := l.ofLevel(i, g, level, rows)
			each[i], counts[i] = append(each[i], own...), append(counts[i], len(own))
		}
		if err := l.setFigures(i, each[i], d); err != nil {
			return nil, err
		}
	}
	for level := range members {
		for i := range each {
			n := counts[i][level]
			all, each[i] = append(all, each[i][:n]...), each[i][n:]
		}
	}
	return all, nil
}

// ends returns the bounds of a parameter that is the inverse link of its linear predictor, without terms that are added outside
// the link.
func (l *linear) ends(link bound.Inverse) (low, high float64) {
	switch {
	case !l.varies && l.offset == nil: // the parameter is one number
		return l.Lower, l.Upper
	case link.Link == Logit:
		return link.Low, link.Low + link.Width
	case link.Link == Log:
		return 0, math.Inf(1)
	}
	return math.Inf(-1), math.Inf(1)
}
