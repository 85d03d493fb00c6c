package hierarchy

import (
	"math"
	"slices"

	"likc/compiler/formula"
	"likc/runtime/finite"
)

// Record is what summary.json keeps of a study: enough to compute its parameters at any values of the columns from the draws.
type Record struct {
	Params  []ParamRecord  `json:"params"`  // in the model's order
	Columns []ColumnRecord `json:"columns"` // that the formulas name among common terms and offsets
}

// ParamRecord is one parameter of the model.
type ParamRecord struct {
	Name    string        `json:"name"`
	Formula *DesignRecord `json:"formula,omitempty"` // behind the link; nil for a parameter that is one number
	Outside *DesignRecord `json:"outside,omitempty"` // added on the parameter's own scale
	Link    Link          `json:"link,omitempty"`
	Low     finite.Number `json:"low,omitempty"` // of a logit: where it begins and ends, the mean over the trials
	High    finite.Number `json:"high,omitempty"`
	OwnEnds bool          `json:"own_ends,omitempty"` // the logit ends elsewhere in each cell: a time, at the cell's fastest trial
	Fixed   finite.Number `json:"fixed,omitempty"`    // of a parameter that is not estimated
	IsFixed bool          `json:"is_fixed,omitempty"`
}

// DesignRecord is a formula, the coding of its columns, and the names of its common coefficients, one a column.
type DesignRecord struct {
	Text         string         `json:"text"`
	Coding       formula.Coding `json:"coding"`
	Coefficients []string       `json:"coefficients"`
}

// ColumnRecord is a column of the data: numbers with their mean and their ends, or labels.
type ColumnRecord struct {
	Name   string        `json:"name"`
	Mean   finite.Number `json:"mean,omitempty"`
	Low    finite.Number `json:"low,omitempty"`
	High   finite.Number `json:"high,omitempty"`
	Labels []string      `json:"labels,omitempty"` // distinct, sorted; none for numbers
}

// Record returns the study's record.
func (s *Study) Record() *Record {
	r := &Record{}
	for _, l := range s.params {
		p := ParamRecord{Name: l.Name}
		switch {
		case l.varies:
			p.Formula, p.Outside, p.Link = s.designRecord(&l.designs[0]), s.designRecord(&l.designs[1]), l.link
			if l.link == Logit {
				low, high := s.meanRange(l)
				p.Low, p.High = finite.Number(low), finite.Number(high)
				p.OwnEnds = s.model.IsBoundByTrials(l.Name)
			}
		case l.offset != nil:
			p.Fixed, p.IsFixed = finite.Number(l.offset[0]), true
		}
		r.Params = append(r.Params, p)
	}
	for _, c := range s.data.Table.Columns {
		if r.names(c.Name) {
			r.Columns = append(r.Columns, columnRecord(c))
		}
	}
	return r
}

func (s *Study) designRecord(d *design) *DesignRecord {
	if d.formula == nil {
		return nil
	}
	out := &DesignRecord{Text: d.formula.String(), Coding: d.coding}
	out.Coding.Groups = nil
	for _, c := range d.common {
		out.Coefficients = append(out.Coefficients, s.coords[c].Name)
	}
	return out
}

// meanRange is the range of a logit, averaged over the trials: it ends at each participant's fastest where the support says so.
func (s *Study) meanRange(l *linear) (low, high float64) {
	var p predictors
	for _, at := range s.cells(l, &p) {
		low += p.inverse[at].low / float64(s.Trials())
		high += (p.inverse[at].low + p.inverse[at].width) / float64(s.Trials())
	}
	return low, high
}

// names reports whether the common part of a formula names a column.
func (r *Record) names(column string) bool {
	for _, p := range r.Params {
		for _, d := range []*DesignRecord{p.Formula, p.Outside} {
			if d == nil {
				continue
			}
			if f, err := d.common(); err == nil && slices.Contains(f.Columns(), column) {
				return true
			}
		}
	}
	return false
}

// common returns the formula without its groups.
func (d *DesignRecord) common() (*formula.Formula, error) {
	f, err := formula.Parse(d.Text)
	if err == nil {
		f.Groups = nil
	}
	return f, err
}

func columnRecord(c formula.DataColumn) ColumnRecord {
	r := ColumnRecord{Name: c.Name}
	if c.Labels == nil && len(c.Numeric) > 0 {
		r.Low, r.High = finite.Number(slices.Min(c.Numeric)), finite.Number(slices.Max(c.Numeric))
	}
	for _, x := range c.Numeric {
		r.Mean += finite.Number(x / float64(len(c.Numeric)))
	}
	if c.Labels != nil {
		r.Labels = slices.Clone(c.Labels)
		slices.Sort(r.Labels)
		r.Labels = slices.Compact(r.Labels)
	}
	if math.Abs(float64(r.Mean)) < 1e-12 {
		r.Mean = 0
	}
	return r
}
