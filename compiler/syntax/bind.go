package syntax

import (
	"fmt"
	"math"
	"strings"

	"likc/compiler/expr"
)

// lapse takes the share of lapses.
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

// bind takes the network of a binding function.
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
	if b := r.model.Binding; len(b.Inputs) == 0 || len(b.Shifts) == 0 {
		return errorf(d.Pos, "bind of %d inputs and %d shifts, expected at least one of each", len(b.Inputs), len(b.Shifts))
	}
	return nil
}

// bindItem takes one declaration of a binding. The order is that of the evaluation: inputs, hidden layers, shifts.
func (r *resolver) bindItem(item *BindItem, b *expr.Binding) error {
	switch {
	case item.Input != nil:
		return r.bindInput(item, b)
	case item.Hidden != nil:
		if len(b.Shifts) > 0 {
			return errorf(item.Pos, "hidden after shift, expected it before")
		}
		var layer expr.BindingLayer
		width := b.Width()
		for _, row := range item.Hidden.Rows {
			weights, err := r.bindRow(row, width)
			if err != nil {
				return err
			}
			layer = append(layer, weights)
		}
		if len(layer) == 0 {
			return errorf(item.Pos, "hidden layer without units, expected at least one")
		}
		b.Hidden = append(b.Hidden, layer)
		return nil
	}
	name := item.Shift.Name
	if err := r.bindName(name); err != nil {
		return err
	}
	for _, s := range b.Shifts {
		if s.Param == name.Text {
			return errorf(name.Pos, "bind shifts %s twice, expected once", quote(name.Text))
		}
	}
	weights, err := r.bindRow(item.Shift.Numbers, b.Width())
	b.Shifts = append(b.Shifts, expr.BindingShift{Param: name.Text, Weights: weights})
	return err
}

func (r *resolver) bindInput(item *BindItem, b *expr.Binding) error {
	name := item.Input.Name
	if len(b.Hidden)+len(b.Shifts) > 0 {
		return errorf(item.Pos, "input after hidden or shift, expected it before")
	}
	if err := r.bindName(name); err != nil {
		return err
	}
	if p := r.model.Params[r.model.ParamIndex(name.Text)]; item.Input.Log && !(p.Lower > 0) {
		return errorf(name.Pos, "log of %s, expected a parameter whose range is above 0", quote(name.Text))
	}
	b.Inputs = append(b.Inputs, expr.BindingInput{Param: name.Text, Log: item.Input.Log})
	return nil
}

func (r *resolver) bindName(name *Name) error {
	if !r.model.IsParam(name.Text) {
		return errorf(name.Pos, "bind names %s, expected a declared parameter", quote(name.Text))
	}
	return nil
}

// bindRow reads a constant and one weight for each of the inputs of a unit.
func (r *resolver) bindRow(row *BindRow, inputs int) ([]float64, error) {
	if len(row.Numbers) != inputs+1 {
		return nil, errorf(row.Pos, "a row of %d numbers, expected %d: a constant and %d weights", len(row.Numbers), inputs+1, inputs)
	}
	weights := make([]float64, len(row.Numbers))
	for k, n := range row.Numbers {
		x, err := bound(n)
		if err != nil {
			return nil, err
		}
		weights[k] = x
	}
	return weights, nil
}

// bindBlock writes a binding: a row of numbers is a line.
func bindBlock(b *expr.Binding) string {
	var text strings.Builder
	text.WriteString("{\n")
	for _, in := range b.Inputs {
		word := ""
		if in.Log {
			word = "log "
		}
		fmt.Fprintf(&text, "    input %s%s\n", word, in.Param)
	}
	for _, layer := range b.Hidden {
		text.WriteString("    hidden {\n")
		for _, row := range layer {
			fmt.Fprintf(&text, "      %s;\n", numbers(row))
		}
		text.WriteString("    }\n")
	}
	for _, s := range b.Shifts {
		fmt.Fprintf(&text, "    shift %s { %s }\n", s.Param, numbers(s.Weights))
	}
	return text.String() + "  }"
}

func numbers(row []float64) string {
	var words []string
	for _, x := range row {
		words = append(words, expr.Literal(x))
	}
	return strings.Join(words, " ")
}

// bindPrintable says what keeps a binding from being written.
func bindPrintable(m *expr.Model) error {
	if l := m.Lapse; l != nil && !(l.Probability > 0 && l.Probability < 1 && l.Until > 0 && !math.IsInf(l.Until, 0)) {
		return fmt.Errorf("lapse %v until %v", l.Probability, l.Until)
	}
	if m.Binding == nil {
		return nil
	}
	rows := append([]expr.BindingLayer(nil), m.Binding.Hidden...)
	for _, s := range m.Binding.Shifts {
		rows = append(rows, expr.BindingLayer{s.Weights})
	}
	for _, layer := range rows {
		for _, row := range layer {
			for _, x := range row {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					return fmt.Errorf("bind has the number %v", x)
				}
			}
		}
	}
	return nil
}
