package hierarchy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"likc/runtime/fit/formula"
	"likc/runtime/num/chains"
)

// Levels says over which levels of a grouping, such as the study's participants, a contrast is averaged.
type Levels struct {
	By     string // name of the grouping
	N, Of  int    // number of levels in the average, and of all levels
	Differ bool   // whether the cells of the contrast are averaged over different levels, because no level has all cells
}

// String describes the levels, for example "7 of 12 levels of id that have all its cells".
func (l Levels) String() string {
	switch {
	case l.Differ:
		return fmt.Sprintf("%d of %d levels of %s, not the same ones in each cell, because none has all its cells", l.N, l.Of, l.By)
	case l.N == l.Of:
		return fmt.Sprintf("all %d levels of %s", l.N, l.By)
	}
	return fmt.Sprintf("%d of %d levels of %s that have all its cells", l.N, l.Of, l.By)
}

// LevelsOf returns, for each grouping, the levels over which ContrastOfLevels averages. It returns nil if no parameter of the
// contrast varies by group.
func (r *Record) LevelsOf(c *formula.Contrast) (all []Levels, err error) {
	cells, err := r.averagedCells(c)
	if err != nil {
		return nil, err
	}
	first := map[string][]string{}
	used := map[string]map[string]bool{}
	for _, of := range cells {
		i := slices.IndexFunc(all, func(l Levels) bool { return l.By == of.by })
		if i < 0 {
			i = len(all)
			all = append(all, Levels{By: of.by, Of: len(of.param.Formula.Coding.Groups[of.by])})
			first[of.by], used[of.by] = of.levels, map[string]bool{}
		}
		for _, level := range of.levels {
			used[of.by][level] = true
		}
		all[i].N = len(used[of.by])
		all[i].Differ = all[i].Differ || !slices.Equal(first[of.by], of.levels)
	}
	return all, nil
}

// averagedCell is a cell of a contrast whose parameter is averaged over levels of its first grouping.
type averagedCell struct {
	at      *formula.Condition // the contrast's condition from which the cell comes
	param   *ParamRecord       // the parameter of the condition
	by      string             // name of the grouping
	table   formula.Table      // the columns' values in the cell, in one row
	between string             // values of the factors that never vary within a level
	levels  []string           // the levels over which the cell is averaged
}

// keys returns two keys for sets of cells. All cells of the contrast with the same grouping have the same first key. The second
// key also holds the values of the factors that vary only between levels.
func (c *averagedCell) keys() [2][2]string {
	return [2][2]string{{c.by}, {c.by, "between: " + c.between}}
}

// averagedCells returns the cells of a contrast whose parameters vary by group, each with the levels over which it is averaged.
// These are the levels that have all cells of the contrast, so that a difference of cells is a difference within levels. If no
// level has all cells, for example because a factor varies between participants, they are the levels that have all cells with the
// same values of such factors. If there are none of these either, they are the levels that have the cell itself. A cell without
// any level is averaged over the levels of the other cells, or over all levels.
func (r *Record) averagedCells(c *formula.Contrast) (all []averagedCell, err error) {
	for _, at := range c.Conditions() {
		p := r.param(at.Name)
		if p == nil || !p.hasLevels() {
			continue
		}
		tables, err := r.tables(p, at)
		if err != nil {
			return nil, err
		}
		for _, t := range tables {
			of := averagedCell{at: at, param: p, by: p.grouping().Name(), table: t}
			of.between, of.levels = r.between(p, t), r.levelsWith(p, t)
			all = append(all, of)
		}
	}
	haveAll := map[[2]string][]string{} // by key, the levels that have all cells with this key
	for _, of := range all {
		if of.levels != nil {
			for _, key := range of.keys() {
				haveAll[key] = inBoth(haveAll[key], of.levels)
			}
		}
	}
	for i := range all {
		of := &all[i]
		keys := of.keys()
		for _, levels := range [][]string{haveAll[keys[0]], haveAll[keys[1]], of.levels, of.param.Formula.Coding.Groups[of.by]} {
			if len(levels) > 0 {
				of.levels = levels
				break
			}
		}
	}
	return all, nil
}

// inBoth returns the texts that are in both lists, in the order of the second list. If before is nil, it returns the whole list.
func inBoth(before, list []string) []string {
	both := []string{}
	for _, text := range list {
		if before == nil || slices.Contains(before, text) {
			both = append(both, text)
		}
	}
	return both
}

// cellFactors returns the factors whose values are recorded for each cell of a parameter. Older versions of likc did not treat
// columns of two numbers as factors.
func (r *Record) cellFactors(p *ParamRecord) []*ColumnRecord {
	all := r.columnsOf(r.index(p.Name), true)
	if len(p.Cells) > 0 && len(p.Cells[0].Values) < len(all) {
		all = slices.DeleteFunc(all, func(c *ColumnRecord) bool { return c.Labels == nil && !c.Factor })
	}
	return all
}

// factorTexts returns the values of factors in a table of one row; "" for a number that is none of the factor's values.
func factorTexts(factors []*ColumnRecord, t formula.Table) []string {
	texts := make([]string, len(factors))
	for k, c := range factors {
		i := slices.IndexFunc(t.Columns, func(of formula.DataColumn) bool { return of.Name == c.Name })
		if column := t.Columns[i]; column.Labels != nil {
			texts[k] = column.Labels[0]
		} else if slices.Contains(c.Values, column.Numeric[0]) {
			texts[k] = textOf(column.Numeric[0])
		}
	}
	return texts
}

// between returns the values, in a table's cell, of the factors that never vary within a level of the parameter's first grouping,
// as one text.
func (r *Record) between(p *ParamRecord, t formula.Table) string {
	factors := r.cellFactors(p)
	var parts []string
	for k, text := range factorTexts(factors, t) {
		known, varies := map[int]string{}, false
		for _, cell := range p.Cells {
			for _, level := range cell.Levels {
				before, seen := known[level]
				varies = varies || seen && before != cell.Values[k]
				known[level] = cell.Values[k]
			}
		}
		if !varies {
			parts = append(parts, factors[k].Name+"="+strconv.Quote(text))
		}
	}
	return strings.Join(parts, ",")
}

// levelsWith returns the levels of the parameter's first grouping that have trials in the cell of a table; nil if no level has any.
func (r *Record) levelsWith(p *ParamRecord, t formula.Table) (have []string) {
	texts := factorTexts(r.cellFactors(p), t)
	with := map[int]bool{}
	for _, cell := range p.Cells {
		if slices.EqualFunc(cell.Values, texts, func(value, text string) bool { return text == "" || value == text }) {
			for _, level := range cell.Levels {
				with[level] = true
			}
		}
	}
	for level, label := range p.Formula.Coding.Groups[p.grouping().Name()] {
		if with[level] {
			have = append(have, label)
		}
	}
	return have
}

// drawsOfLevels returns the mean of a parameter over levels of its first grouping, in the cell of a table of one row.
func (r *Record) drawsOfLevels(p *ParamRecord, t formula.Table, levels []string, d *chains.Draws) ([][]float64, error) {
	known := map[string]string{}
	factors := r.columnsOf(r.index(p.Name), true)
	for k, text := range factorTexts(factors, t) {
		known[factors[k].Name] = text
	}
	points := make([]point, len(levels))
	for i, level := range levels {
		at := levelColumns(p.grouping(), level)
		for column, text := range known {
			if _, has := at[column]; !has {
				at[column] = text
			}
		}
		points[i] = point{t, at}
	}
	values, err := p.predictors(points, indexOf(d))
	if err != nil {
		return nil, err
	}
	return meanOf(values, d), nil
}
