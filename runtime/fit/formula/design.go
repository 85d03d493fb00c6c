package formula

import "math"

// Design is a formula applied to data. In row r the linear predictor is
//
//	Offset[r] + Σ over common columns of coefficient · Values[r]
//	          + Σ over groups and their columns of the coefficient of level Index[r] · Values[r]
//
// where the last sum leaves out a group whose Index[r] is -1.
type Design struct {
	Param  string
	Rows   int
	Common []DesignTerm
	Groups []DesignGroup // in the order of Formula.Groups
	Offset []float64     // the sum of the offsets, a number a row; nil where there are none
	Coding Coding
}

// DesignTerm is the columns of one term. The interaction of categorical factors may become several terms (see codings).
type DesignTerm struct {
	Term    Term
	Columns []DesignColumn
}

// DesignColumn is one column of a design matrix.
type DesignColumn struct {
	Name   Name
	Values []float64 // a number a row
}

// DesignGroup is the columns whose coefficients vary by group.
type DesignGroup struct {
	By         string   // the grouping's name: g, or g1:g2
	Levels     []string // labels, sorted; of several columns joined by ":"
	Index      []int    // a row's level; -1 for one that is new to Transform
	Correlated bool
	Terms      []DesignTerm
}

// Build applies a formula to the data that it will be fitted to: it learns the levels of categorical columns and the
// constants of center and scale, and makes sure that every coefficient can be told from the others. What is wrong gives an
// *Error with the place in the formula.
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

// Transform applies a formula to new data in the way in which coding says that it was applied before. A level that was not
// among the data then is an error among the terms, and -1 in the Index of a group.
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

// commonName is the base of a common term's name: v_Intercept, v_theta, and plain v for a parameter that does not vary.
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
				return nil, errorf(o.Pos, "sum of the offsets is %v in row %d, expected a finite number", sum[i], c.table.place(i))
			}
		}
	}
	return sum, nil
}
