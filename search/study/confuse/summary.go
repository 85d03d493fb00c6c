package confuse

import (
	"context"
	"fmt"

	"likc/runtime/fit/figure"
	"likc/runtime/num/finite"
	"likc/search/study"
	"likc/search/study/recovery"
)

// Summary is the confusion matrix.
type Summary struct {
	Models         []string `json:"models"`
	study.Settings          // Subjects: number of subjects of each model
	Rows           []Row    `json:"rows"` // one row for each model from which data were simulated

	Confusion [][]finite.Number `json:"confusion"` // [model simulated][model preferred]: share of the simulated subjects
	Inversion [][]finite.Number `json:"inversion"` // [model simulated][model preferred]: share of the subjects for which the model is preferred; null if it never is
}

// Row counts which models were preferred for the subjects that one model simulated.
type Row struct {
	Model     string `json:"model"`
	Preferred []int  `json:"preferred"`       // number of subjects for each model
	Clear     []int  `json:"clear"`           // number of subjects for which each model is clearly better than the next one
	Failed    int    `json:"failed"`          // number of subjects without a preferred model, which the shares ignore
	Why       string `json:"why,omitempty"`   // reason of the first failure
	KBad      int    `json:"k_bad_subjects"`  // number of subjects whose elpd may be far off
	RhatHigh  int    `json:"rhat_above_1.01"` // number of subjects with a fit whose R-hat is high
	Divergent int    `json:"divergent"`       // number of subjects with a fit that has divergent transitions
}

// fitted returns the number of the row's subjects that have a preferred model.
func (r *Row) fitted() (n int) {
	for _, k := range r.Preferred {
		n += k
	}
	return n
}

// Clearness returns the share of subjects for which some model is clearly preferred, and the share of these for which it is the
// model that simulated them, whose index is own. A share of no subjects is NaN.
func (r *Row) Clearness(own int) (clear, right finite.Number) {
	n := 0
	for _, k := range r.Clear {
		n += k
	}
	return finite.Number(float64(n) / float64(r.fitted())), finite.Number(float64(r.Clear[own]) / float64(n))
}

// Run fits all subjects with all models, and counts. It writes the check's files. It fails if no subject of a model has a preferred model.
func (p *Plan) Run(ctx context.Context, check *study.Check) (Summary, error) {
	all, err := study.Run(ctx, check, p, p, p.compare)
	return study.Conclude(check, all, err, p.summarise, (*Summary).draw)
}

// summarise counts the subjects for which each model is preferred.
func (p *Plan) summarise(all []Subject) (Summary, error) {
	out := Summary{Settings: p.Settings}
	for k, m := range p.models {
		row := Row{Model: m.Name, Preferred: make([]int, len(p.models)), Clear: make([]int, len(p.models))}
		for i := range p.Subjects {
			row.add(&all[k*p.Subjects+i])
		}
		if row.fitted() == 0 {
			return out, fmt.Errorf("no subject of %s could be compared: %s", m.Name, row.Why)
		}
		out.Models, out.Rows = append(out.Models, m.Name), append(out.Rows, row)
	}
	out.share()
	return out, nil
}

func (r *Row) add(s *Subject) {
	if s.Error != "" {
		if r.Failed++; r.Why == "" {
			r.Why = s.Error
		}
		return
	}
	r.Preferred[s.Best]++
	if s.Clear() {
		r.Clear[s.Best]++
	}
	if s.KBad > 0 {
		r.KBad++
	}
	if !(s.Rhat <= recovery.HighRhat) {
		r.RhatHigh++
	}
	if s.Divergences > 0 {
		r.Divergent++
	}
}

// share divides the counts by the sums of their rows and of their columns.
func (s *Summary) share() {
	columns := make([]int, len(s.Rows))
	for _, r := range s.Rows {
		for j, n := range r.Preferred {
			columns[j] += n
		}
	}
	for _, r := range s.Rows {
		var ofRow, ofColumn []finite.Number
		for j, n := range r.Preferred {
			ofRow = append(ofRow, finite.Number(float64(n)/float64(r.fitted())))
			ofColumn = append(ofColumn, finite.Number(float64(n)/float64(columns[j])))
		}
		s.Confusion, s.Inversion = append(s.Confusion, ofRow), append(s.Inversion, ofColumn)
	}
}

// draw draws both matrices.
func (s *Summary) draw() (study.Drawing, error) {
	return figure.Matrices([]figure.Matrix{
		{Title: "share of a row: which model is preferred?", Rows: s.Models, Columns: s.Models, Shares: floats(s.Confusion)},
		{Title: "share of a column: which model was simulated?", Rows: s.Models, Columns: s.Models, Shares: floats(s.Inversion)},
	}, "simulated", "preferred")
}

func floats(x [][]finite.Number) [][]float64 {
	var out [][]float64
	for _, row := range x {
		out = append(out, finite.Floats(row))
	}
	return out
}
