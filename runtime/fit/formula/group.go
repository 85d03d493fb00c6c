package formula

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// group returns the columns and levels of a group term.
func (c *coder) group(param string, g GroupTerm) (DesignGroup, error) {
	d := DesignGroup{By: g.Name(), Correlated: g.Correlated}
	if err := c.index(&d, g); err != nil {
		return d, err
	}
	var err error
	d.Terms, err = c.terms(g.Effects, func(t Term) string { return g.Base(param, t) })
	return d, err
}

// Name returns the name of the grouping: g, or g1:g2.
func (g GroupTerm) Name() string { return groupName(g.By) }

// Base returns the base of the names of an effect's coefficients, such as v_theta|subj_idx.
func (g GroupTerm) Base(param string, t Term) string {
	return param + "_" + t.String() + "|" + g.Name()
}

// index finds the levels of a grouping and the level of every row.
func (c *coder) index(d *DesignGroup, g GroupTerm) error {
	levels, known := c.coding.Groups[d.By]
	if !known && !c.learns {
		return errorf(g.By[0].Pos, "grouping %s is not in the coding, expected the coding of this formula", d.By)
	}
	columns, err := c.groupings(g.By)
	if err != nil {
		return err
	}
	labels := joined(columns)
	if !known {
		levels = combinations(columns, labels)
		c.coding.Groups[d.By] = levels
	}
	if len(levels) == 1 {
		return errorf(g.By[0].Pos, "grouping %s has only one level, expected 2 to %d", d.By, MaxGroups)
	}
	if n := len(levels); n < 2 || n > MaxGroups {
		return errorf(g.By[0].Pos, "grouping %s has %d levels, expected 2 to %d", d.By, n, MaxGroups)
	}
	d.Levels = levels
	d.Index, _ = indexIn(levels, labels)
	return nil
}

// groupings returns the labels of each column of a grouping.
func (c *coder) groupings(by []Grouping) ([][]string, error) {
	columns := make([][]string, len(by))
	for i, g := range by {
		column, err := c.table.column(g.Column, g.Pos)
		if err != nil {
			return nil, err
		}
		if columns[i], err = c.table.labels(column, g.Pos); err != nil {
			return nil, err
		}
		if row := slices.IndexFunc(columns[i], hasColon); row >= 0 && len(by) > 1 {
			return nil, errorf(g.Pos, "label %s in row %d has a colon, which joins the labels of several columns", quote(columns[i][row]), c.table.rowNumber(row))
		}
		for row, v := range column.Numeric {
			if v != math.Trunc(v) {
				return nil, errorf(g.Pos, "grouping %s is %v in row %d, expected labels or whole numbers", quote(g.Column), v, c.table.rowNumber(row))
			}
		}
	}
	return columns, nil
}

func hasColon(label string) bool { return strings.Contains(label, ":") }

// joined returns, for each row, its labels in all columns, joined as a:b.
func joined(columns [][]string) []string {
	if len(columns) == 1 {
		return columns[0]
	}
	labels := make([]string, len(columns[0]))
	parts := make([]string, len(columns))
	for row := range labels {
		for i, c := range columns {
			parts[i] = c[row]
		}
		labels[row] = strings.Join(parts, ":")
	}
	return labels
}

// combinations returns the distinct labels, sorted by the level of the first column, then of the second, and so on.
func combinations(columns [][]string, labels []string) []string {
	indices := make([][]int, len(columns))
	for i, c := range columns {
		indices[i], _ = indexIn(levelsOf(c), c)
	}
	rowOf := map[string]int{}
	var distinct []string
	for row, l := range labels {
		if _, ok := rowOf[l]; !ok {
			rowOf[l] = row
			distinct = append(distinct, l)
		}
	}
	slices.SortFunc(distinct, func(a, b string) int {
		for _, index := range indices {
			if order := cmp.Compare(index[rowOf[a]], index[rowOf[b]]); order != 0 {
				return order
			}
		}
		return 0
	})
	return distinct
}

// checkWithin returns an error if an effect varies by group, next to an intercept by group, but is constant within each group.
// Then the data could not distinguish the two. It also returns one if a column is 0 in all rows.
func checkWithin(groups []DesignGroup) error {
	intercept := map[string]bool{}
	for _, g := range groups {
		for _, t := range g.Terms {
			intercept[g.By] = intercept[g.By] || t.Term.IsIntercept()
		}
	}
	for _, g := range groups {
		for _, t := range g.Terms {
			for _, c := range t.Columns {
				if lowest, highest := span(c.Values); lowest == 0 && highest == 0 {
					return errorf(t.Term.Pos, "%s is 0 in every row, expected data that tell its coefficients", c.Name)
				}
				if intercept[g.By] && !t.Term.IsIntercept() && constantWithin(g, c.Values) {
					return errorf(t.Term.Pos, "%s does not vary within any level of %s: it cannot be told from the intercept 1|%s", c.Name, g.By, g.By)
				}
			}
		}
	}
	return nil
}

func constantWithin(g DesignGroup, values []float64) bool {
	first := make([]float64, len(g.Levels))
	seen := make([]bool, len(g.Levels))
	for row, level := range g.Index {
		if !seen[level] {
			seen[level], first[level] = true, values[row]
		} else if values[row] != first[level] {
			return false
		}
	}
	return true
}
