package syntax

import (
	"fmt"
	"math"
	"strings"

	"likc/compiler/expr"
)

// lapse resolves the declaration of lapses.
func (r *resolver) lapse(d *Decl) error {
	if r.lapses != nil {
		return errorf(d.Pos, "lapse after lapse at %d:%d, expected at most one", r.lapses.Line, r.lapses.Column)
	}
	p, err := number(d.Lapse.Probability)
	if err != nil {
		return err
	}
	until, err := number(d.Lapse.Until)
	switch {
	case err != nil:
		return err
	case !(p > 0 && p < 1):
		return errorf(d.Lapse.Probability.Pos, "lapse %s, expected a probability above 0 and below 1", expr.Literal(p))
	case until == 0:
		return errorf(d.Lapse.Until.Pos, "lapse until 0, expected a time in seconds above 0")
	}
	r.lapses, r.model.Lapse = &d.Pos, &expr.Lapse{Probability: p, Until: until}
	return nil
}

// bind resolves the declaration of a binding function.
func (r *resolver) bind(d *Decl) error {
	if r.binding != nil {
		return errorf(d.Pos, "bind after bind at %d:%d, expected at most one", r.binding.Line, r.binding.Column)
	}
	r.binding, r.model.Binding = &d.Pos, &expr.Binding{}
	for _, item := range d.Bind.Items {
		if err := r.bindItem(item, r.model.Binding); err != nil {
			return err
		}
	}
	if b := r.model.Binding; len(b.Inputs) == 0 || len(b.Polynomials()) == 0 {
		return errorf(d.Pos, "bind of %d inputs and %d polynomials, expected at least one of each", len(b.Inputs), len(b.Polynomials()))
	}
	return nil
}

// bindItem resolves one item of a binding function: an input, a shift or the tilt. Inputs come first.
func (r *resolver) bindItem(item *BindItem, b *expr.Binding) (err error) {
	switch {
	case item.Input != nil && len(b.Polynomials()) > 0:
		return errorf(item.Pos, "input after shift or tilt, expected it before")
	case item.Input != nil:
		in, err := r.paramExpr("input", item.Input)
		b.Inputs = append(b.Inputs, in)
		return err
	case item.Shift != nil:
		return r.bindShift(item.Shift, b)
	case b.Tilt != nil:
		return errorf(item.Pos, "a second tilt, expected at most one")
	}
	b.Tilt, err = r.bindTerms(item.Tilt, len(b.Inputs))
	return err
}

// bindShift adds the shift of a parameter to the binding function.
func (r *resolver) bindShift(shift *BindShift, b *expr.Binding) error {
	name := shift.Name
	if !r.model.IsParam(name.Text) {
		return errorf(name.Pos, "bind names %s, expected a declared parameter", quote(name.Text))
	}
	for _, s := range b.Shifts {
		if s.Param == name.Text {
			return errorf(name.Pos, "bind shifts %s twice, expected once", quote(name.Text))
		}
	}
	terms, err := r.bindTerms(shift.Rows, len(b.Inputs))
	b.Shifts = append(b.Shifts, expr.BindingShift{Param: name.Text, Terms: terms})
	return err
}

// bindTerms reads the terms of a polynomial.
func (r *resolver) bindTerms(rows *BindRows, inputs int) (terms []expr.BindingTerm, err error) {
	if len(rows.Rows) == 0 {
		return nil, errorf(rows.Pos, "a polynomial without terms, expected at least one")
	}
	for _, row := range rows.Rows {
		if len(row.Numbers) != inputs+1 {
			return nil, errorf(row.Pos, "a term of %d numbers, expected %d: a coefficient and a degree of each input", len(row.Numbers), inputs+1)
		}
		var t expr.BindingTerm
		if t.Coefficient, err = bound(row.Numbers[0]); err != nil {
			return nil, err
		}
		for _, n := range row.Numbers[1:] {
			d, err := bound(n)
			if err != nil {
				return nil, err
			}
			if d != math.Trunc(d) || d < 0 || d > expr.MostDegree {
				return nil, errorf(n.Number.Pos, "degree %s, expected a whole number from 0 to %d", expr.Literal(d), expr.MostDegree)
			}
			t.Degrees = append(t.Degrees, int(d))
		}
		terms = append(terms, t)
	}
	return terms, nil
}

// termsOfLine is the number of terms of a polynomial that are printed on a line.
const termsOfLine = 8

// bindBlock returns the text of a binding function.
func bindBlock(b *expr.Binding) string {
	var text strings.Builder
	text.WriteString("{\n")
	for _, in := range b.Inputs {
		fmt.Fprintf(&text, "    input %s\n", in)
	}
	for _, s := range b.Shifts {
		fmt.Fprintf(&text, "    shift %s {%s }\n", s.Param, bindRows(s.Terms))
	}
	if b.Tilt != nil {
		fmt.Fprintf(&text, "    tilt {%s }\n", bindRows(b.Tilt))
	}
	return text.String() + "  }"
}

// bindRows returns the text of a polynomial: each term's coefficient and degrees.
func bindRows(terms []expr.BindingTerm) string {
	var text strings.Builder
	for i, t := range terms {
		switch {
		case i > 0 && i%termsOfLine == 0:
			text.WriteString(";\n     ")
		case i > 0:
			text.WriteString(";")
		}
		text.WriteString(" " + expr.Literal(t.Coefficient))
		for _, d := range t.Degrees {
			fmt.Fprintf(&text, " %d", d)
		}
	}
	return text.String()
}

// bindPrintable returns an error if the language cannot write the model's binding function.
func bindPrintable(m *expr.Model) error {
	if l := m.Lapse; l != nil && !(l.Probability > 0 && l.Probability < 1 && l.Until > 0 && !math.IsInf(l.Until, 0)) {
		return fmt.Errorf("lapse %v until %v", l.Probability, l.Until)
	}
	if m.Binding == nil {
		return nil
	}
	for _, terms := range m.Binding.Polynomials() {
		for _, t := range terms {
			if math.IsNaN(t.Coefficient) || math.IsInf(t.Coefficient, 0) {
				return fmt.Errorf("bind has the number %v", t.Coefficient)
			}
		}
	}
	return nil
}
