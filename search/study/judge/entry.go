package judge

import (
	"path/filepath"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/front"
	"likc/search/study/bank"
)

// Entry is a candidate of a run: a model, and the name that its verdict gives it.
type Entry struct {
	Name  string
	Model *catalog.Model
}

// line returns the line of the front that the entry comes from, or nil.
func (e Entry) line() *front.Line { return e.Model.Origin.Line }

// Check returns an error for the first entry that does not fit the bank. Its choices may differ, or the bank may lack the true
// values of a parameter, or a column.
func Check(entries []Entry, b *bank.Bank) error {
	for _, e := range entries {
		if err := checkChoices(e, b); err != nil {
			return err
		}
		if _, err := truthColumns(Candidate{Name: e.Name, Params: e.Model.ParamNames()}, b); err != nil {
			return err
		}
		if err := checkColumns(e, b); err != nil {
			return err
		}
	}
	return nil
}

// form returns a text that is the same for entries with the same likelihood, which have the same fits.
func (e Entry) form() string {
	if m, ok := e.Model.Expression(); ok {
		return front.Canonical(m)
	}
	return "exact: " + e.Name + e.Model.Origin.Sum + calledText(e.Model)
}

// Duplicates returns, for each entry, the index of the first entry with the same canonical form.
func Duplicates(entries []Entry) (of []int) {
	first := map[string]int{}
	of = make([]int, len(entries))
	for i, e := range entries {
		key := e.form()
		at, seen := first[key]
		if !seen {
			at, first[key] = i, i
		}
		of[i] = at
	}
	return of
}

// describe sets the fields of a verdict that do not depend on the fits, for entry i.
func (r *run) describe(v *Verdict, i int, p *bound.Built) *Verdict {
	e := r.Entries[i]
	v.Candidate, v.Model = i+1, e.Name
	if p.Unit != nil {
		v.Simplified, v.Tier = p.Unit.SimplifiedText(), string(p.Tier)
	}
	v.identify(e)
	return v
}

// copy returns, for entry i, a copy of the verdict on the first entry with the same form.
func (r *run) copy(i int) *Verdict {
	v := *r.verdicts[r.first[i]]
	v.Candidate, v.Duplicate, v.Model, v.Timing = i+1, r.first[i]+1, r.Entries[i].Name, Timing{}
	v.identify(r.Entries[i])
	return &v
}

// identify sets the fields that say where an entry comes from.
func (v *Verdict) identify(e Entry) {
	v.File, v.Line, v.Lambda, v.Seed, v.Search, v.Teacher = "", 0, undefined(), 0, nil, e.Model.Origin.Sum
	v.Text = calledText(e.Model)
	if m, ok := e.Model.Expression(); ok {
		v.Expr, v.Size = m.LogLik.String(), m.LogLik.Size()
	}
	if l := e.line(); l != nil {
		v.File, v.Line, v.Lambda, v.Seed, v.Expr, v.Size = fileLabel(l.File), l.At, l.Lambda, l.Seed, l.Expr, l.Size
		v.Search = &front.Search{Line: *l}
	}
}

// calledText returns the SHA-256 of the text of a model with calls or states; "" for other models. Other models are identified by
// their expression.
func calledText(m *catalog.Model) string {
	if m.Called == nil {
		return ""
	}
	return m.Origin.SHA256()
}

// fileLabel returns the name of a file as verdicts write it. It does not depend on where the run's folder is.
func fileLabel(file string) string {
	if filepath.IsAbs(file) {
		return filepath.Base(file)
	}
	return filepath.ToSlash(file)
}
