package formula

import "math"

// Design is a formula applied to data. In row r, the linear predictor is
//
//	Offset[r] + Σ over common columns of coefficient · Values[r]
//	          + Σ over groups and their columns of the coefficient of level Index[r] · Values[r]
//
// where the last sum omits groups whose Index[r] is -1.
type Design struct {
	Param  string
	Rows   int
	Common []DesignTerm
	Groups []DesignGroup // the designs of the group terms, in the order of Formula.Groups
	Offset []float64     // sum of the offsets, a number for each row; nil if there are none
	Coding Coding
}

// DesignTerm holds the columns of one term. An interaction of categorical factors may become several terms (see codings).
type DesignTerm struct {
	Term    Term
	Columns []DesignColumn
}

// DesignColumn is one column of a design matrix.
type DesignColumn struct {
	Name   Name
	Values []float64 // a number for each row
}

// DesignGroup holds the columns whose coefficients vary by group.
type DesignGroup struct {
	By         string   // the grouping's name: g, or g1:g2
	Levels     []string // sorted labels; labels of several columns are joined by ":"
	Index      []int    // the level of each row; -1 for a level that is new to Transform
	Correlated bool
	Terms      []DesignTerm
}

// Build applies a formula to the data to which it will be fitted. It determines the levels of categorical columns and the
// constants of center and scale, and checks that all coefficients are identifiable. An error is an *Error with the position in
// the formula.
func Build(f *Formula, t Table) (*Design, error) {
	coding := Coding{Factors: map[string]FactorCoding{}, Groups: map[string][]string{}}
	d, err := build(f, &coder{table: t, coding: coding, learns: true, done: map[string]*values{}})
	if err != nil {
		return nil, err
	}
	if err := checkRank(d.Common, t.Rows); err != nil {
		return nil, err
	}
	return d, checkWithin(d.Groups)
}

// Transform applies a formula to new data, coded as Build coded the earlier data. If the earlier data did not have a level, a
// common term with it is an error, and in a group its Index is -1.
func Transform(f *Formula, coding Coding, t Table) (*Design, error) {
	return build(f, &coder{table: t, coding: coding, done: map[string]*values{}})
}

func build(f *Formula, c *coder) (*Design, error) {
	if err := c.table.check(); err != nil {
		return nil, err
	}
	d := &Design{Param: f.Param, Rows: c.table.Rows}
	var err error
	if d.Offset, err = c.offset(f.Offsets); err != nil {
		return nil, err
	}
	base := func(t Term) string { return commonName(f, t) }
	if d.Common, err = c.terms(f.Common, base); err != nil {
		return nil, err
	}
	for _, g := range f.Groups {
		group, err := c.group(f.Param, g)
		if err != nil {
			return nil, err
		}
		d.Groups = append(d.Groups, group)
	}
	d.Coding = c.coding
	return d, nil
}

// commonName returns the base of a common term's name: v_Intercept or v_theta, or v for a parameter that has only an intercept.
func commonName(f *Formula, t Term) string {
	switch {
	case !t.IsIntercept():
		return f.Param + "_" + t.String()
	case len(f.Common)+len(f.Groups)+len(f.Offsets) == 1:
		return f.Param
	}
	return f.Param + "_Intercept"
}

func (c *coder) offset(offsets []*Arith) ([]float64, error) {
	var sum []float64
	for _, o := range offsets {
		more, err := c.arith(o)
		if err != nil {
			return nil, err
		}
		if sum == nil {
			sum = make([]float64, c.table.Rows)
		}
		for i, v := range more {
			if sum[i] += v; math.IsInf(sum[i], 0) {
				return nil, errorf(o.Pos, "sum of the offsets is %v in row %d, expected a finite number", sum[i], c.table.rowNumber(i))
			}
		}
	}
	return sum, nil
}
