package hierarchy

import (
	"math"
	"slices"

	"likc/runtime/chains"
)

// Level is what the draws say of one parameter of one level of a grouping, on the parameter's own scale.
type Level struct {
	By, Level, Param string
	Mean, SD         float64
	Q5, Q95          float64
	Low, High        float64 // ends of what the parameter can be, as the level's trials leave them; infinite for none
}

// Levels returns a Level for each level of a grouping and each parameter of the model, in this order; d are the study's draws.
// Where a parameter differs among the trials of a level, it is that of the mean row: columns of the formula have their means
// over the level's trials.
func (s *Study) Levels(d *chains.Draws) []Level {
	var all []Level
	var done []string
	for _, g := range s.groups {
		if slices.Contains(done, g.by) {
			continue
		}
		done = append(done, g.by)
		all = append(all, s.levelsOf(g, d)...)
	}
	return all
}

func (s *Study) levelsOf(g *group, d *chains.Draws) []Level {
	values, all := s.meanRows(g)
	drawn := values.draws(d, 1)
	for i := range all {
		sorted := slices.Concat(drawn[i]...)
		slices.Sort(sorted)
		all[i].Mean, all[i].SD = chains.Mean(drawn[i]), chains.SD(drawn[i])
		all[i].Q5, all[i].Q95 = chains.Quantile(sorted, 0.05), chains.Quantile(sorted, 0.95)
	}
	return all
}

// meanRows returns the predictors of all parameters at the mean row of each level of a grouping, and a Level for each.
func (s *Study) meanRows(g *group) (values predictors, all []Level) {
	for level, rows := range membersOf(g) {
		for _, l := range s.params {
			inside, offset := s.meanRow(l, rows)
			link := s.inverse(l, rows)
			values.add(inside, s.meanOutside(l, rows), offset, link)
			low, high := l.ends(link)
			all = append(all, Level{By: g.by, Level: g.levels[level], Param: l.Name, Low: low, High: high})
		}
	}
	return values, all
}

// ends are those of what the parameter can be behind a link, without what is added outside it.
func (l *linear) ends(link inverse) (low, high float64) {
	switch {
	case !l.varies && l.offset == nil: // one number
		return l.Lower, l.Upper
	case link.link == Logit:
		return link.low, link.low + link.width
	case link.link == Log:
		return 0, math.Inf(1)
	}
	return math.Inf(-1), math.Inf(1)
}

// membersOf returns the rows of each level.
func membersOf(g *group) [][]int {
	rows := make([][]int, len(g.levels))
	for row, level := range g.index {
		rows[level] = append(rows[level], row)
	}
	return rows
}

// meanRow is the mean linear predictor of some rows.
func (s *Study) meanRow(l *linear, rows []int) (mean combination, offset float64) {
	for _, row := range rows {
		offset += l.offsetOf(row) / float64(len(rows))
	}
	return meanOf(func(row int) combination { return rowOf(&l.inside, row) }, rows), offset
}

func (s *Study) meanOutside(l *linear, rows []int) combination {
	return meanOf(func(row int) combination { return rowOf(&l.outside, row) }, rows)
}

func meanOf(of func(row int) combination, rows []int) (mean combination) {
	at := map[int]int{}
	for _, row := range rows {
		c := of(row)
		for k, column := range c.columns {
			i, known := at[column]
			if !known {
				i = len(mean.columns)
				at[column] = i
				mean.columns, mean.values = append(mean.columns, column), append(mean.values, 0)
			}
			mean.values[i] += c.values[k] / float64(len(rows))
		}
	}
	return mean
}
