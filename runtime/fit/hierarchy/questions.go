package hierarchy

import (
	"slices"

	"likc/runtime/fit/formula"
)

// Question is a typical question about a regression: whether two levels differ, or whether a slope is 0. The answer is no if the
// contrast is 0.
type Question struct {
	Name       string // v_theta, or a_cond[B] - a_cond[A]
	Contrast   *formula.Contrast
	Difference bool // whether it is a difference of levels; otherwise it is a slope
}

// mostPairs is the largest number of levels for which every pair is compared. If there are more, each is compared with the first
// one.
const mostPairs = 4

// Questions returns questions about all common coefficients: slopes, and differences between levels. It asks nothing about a
// single level or intercept, because the meaning of 0 depends on the link: with a log link, it is a = 1.
func (r *Record) Questions() (all []Question, err error) {
	for i := range r.Params {
		p := &r.Params[i]
		if p.stale || len(p.Highs) > 0 { // the same coefficient means different values in different cells
			continue
		}
		ends, ok := r.ends(p)
		if !ok {
			continue
		}
		for _, d := range []*DesignRecord{p.Formula, p.Outside} {
			if d == nil {
				continue
			}
			of, err := d.questions(ends)
			if err != nil {
				return nil, err
			}
			all = append(all, of...)
		}
	}
	return all, nil
}

// ends returns a table for the columns that a parameter's formulas name, with a row for each combination of values. The values are the
// labels of a column, or its lowest and highest number. ends returns false if there are too many combinations.
func (r *Record) ends(p *ParamRecord) (t formula.Table, ok bool) {
	t.Rows = 1
	for _, c := range r.Columns {
		if !p.reads(c.Name) {
			continue
		}
		if t.Rows *= c.ends(); t.Rows > mostAverages {
			return t, false
		}
	}
	repeat := 1 // number of rows after which a column has its next value
	for _, c := range r.Columns {
		if !p.reads(c.Name) {
			continue
		}
		column := formula.DataColumn{Name: c.Name}
		for row := range t.Rows {
			if c.Labels != nil {
				column.Labels = append(column.Labels, c.Labels[row/repeat%len(c.Labels)])
			} else {
				column.Numeric = append(column.Numeric, []float64{float64(c.Low), float64(c.High)}[row/repeat%2])
			}
		}
		repeat *= c.ends()
		t.Columns = append(t.Columns, column)
	}
	return t, true
}

// ends returns how many values of the column [Record.ends] uses: the number of labels, or 2 for numbers.
func (c *ColumnRecord) ends() int {
	if c.Labels == nil {
		return 2
	}
	return len(c.Labels)
}

// questions returns the questions about the coefficients of one formula.
func (r *DesignRecord) questions(t formula.Table) (all []Question, err error) {
	whole, err := formula.Parse(r.Text)
	if err != nil {
		return nil, err
	}
	built, err := r.transform(whole, whole.Common, whole.Offsets, t)
	if err != nil {
		return nil, err
	}
	names := r.Coefficients
	for _, term := range built.Common {
		own := names[:min(len(term.Columns), len(names))]
		names = names[len(own):]
		switch roleOf(term) {
		case slope:
			for _, name := range own {
				all = append(all, Question{name, coefficient(name), isOfLabels(term, t)})
			}
		case level:
			for i := range own {
				for j := range i {
					if j == 0 || len(own) <= mostPairs {
						all = append(all, Question{own[i] + " - " + own[j],
							&formula.Contrast{Op: formula.OpSubtract, Left: coefficient(own[i]), Right: coefficient(own[j])}, true})
					}
				}
			}
		}
	}
	return all, nil
}

// isOfLabels reports whether a term names only columns of labels.
func isOfLabels(term formula.DesignTerm, t formula.Table) bool {
	of := formula.Formula{Common: []formula.Term{term.Term}}
	names := of.Columns()
	return !slices.ContainsFunc(t.Columns, func(c formula.DataColumn) bool { return c.Labels == nil && slices.Contains(names, c.Name) })
}

// coefficient returns the contrast that is one coefficient.
func coefficient(name string) *formula.Contrast {
	return &formula.Contrast{Op: formula.OpColumn, At: &formula.Condition{Name: name}}
}
