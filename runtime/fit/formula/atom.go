package formula

import (
	"math"
	"strconv"
	"strings"
)

// expandAtom expands what stands between operators: a 0 or 1, a column, a call, a sum in parentheses or a group term in parentheses.
func expandAtom(a *atomTree) (*effects, error) {
	switch {
	case a.Number == "0", a.Number == "1":
		return &effects{intercept: &intercept{pos: at(a.Pos), with: a.Number == "1"}}, nil
	case a.Number != "":
		return nil, errorf(at(a.Pos), "unexpected %s, the only numbers among terms are 0 and 1", quote(a.Number))
	case a.Paren == nil:
		return expandRef(a.Ref)
	case a.Paren.Bar == "":
		return expandSum(a.Paren.Sum)
	}
	return expandGroup(a)
}

func expandRef(r *refTree) (*effects, error) {
	text, err := name(r.Name)
	if err != nil {
		return nil, err
	}
	f := Factor{Pos: at(r.Name.Pos), Column: text}
	if r.Call != nil {
		if text == "offset" {
			return expandOffset(r)
		}
		if f, err = call(f.Pos, text, r.Call); err != nil {
			return nil, err
		}
	}
	return &effects{terms: []effect{{Term: Term{f.Pos, []Factor{f}}, written: true}}}, nil
}

func expandOffset(r *refTree) (*effects, error) {
	value, err := arithmetic(r.Call, "offset")
	if err != nil {
		return nil, err
	}
	return &effects{offsets: []*Arith{value}}, nil
}

// call reads a factor that is a function of columns.
func call(pos Pos, function string, c *callTree) (Factor, error) {
	kinds := map[string]Kind{"I": Arithmetic, "center": Center, "scale": Scale}
	kind, ok := kinds[function]
	switch {
	case function == "C":
		return category(pos, c)
	case !ok:
		return Factor{}, errorf(pos, "unknown function %s, expected C, I, center, offset or scale", quote(function))
	}
	value, err := arithmetic(c, function)
	return Factor{Pos: pos, Kind: kind, Value: value}, err
}

// category reads the arguments of C(column, reference="LEVEL").
func category(pos Pos, c *callTree) (Factor, error) {
	value, err := readArith(c.Arg)
	if err != nil {
		return Factor{}, err
	}
	if value.Op != OpColumn {
		return Factor{}, errorf(value.Pos, "C takes a column, expected a column's name")
	}
	f := Factor{Pos: pos, Kind: Category, Column: value.Column}
	if len(c.Options) > 1 {
		return Factor{}, errorf(at(c.Options[1].Name.Pos), "C has one option, reference")
	}
	if len(c.Options) == 1 {
		f.Reference, err = reference(c.Options[0])
	}
	return f, err
}

// reference reads reference="LEVEL", Treatment(reference="LEVEL") or Treatment("LEVEL").
func reference(o *optionTree) (string, error) {
	word, key, level := "reference", o.Name, o.Level
	if o.Call != nil {
		word, level = "Treatment", o.Call.Level
	}
	if key.Text == word && o.Call != nil && o.Call.Name != nil { // Treatment(reference=…): the inner name must be right too
		word, key = "reference", o.Call.Name
	}
	if key.Text != word {
		return "", errorf(at(key.Pos), `unexpected %s, expected reference="LEVEL" or Treatment(reference="LEVEL")`, quote(key.Text))
	}
	text := level.Text
	if text[0] == '"' || text[0] == '\'' {
		text = text[1 : len(text)-1]
	}
	if text == "" {
		return "", errorf(at(level.Pos), "level is empty")
	}
	return text, nil
}

// arithmetic reads the one argument of a function.
func arithmetic(c *callTree, function string) (*Arith, error) {
	if o := c.Options; len(o) > 0 {
		return nil, errorf(at(o[0].Name.Pos), "%s has one argument", function)
	}
	value, err := readArith(c.Arg)
	if err != nil {
		return nil, err
	}
	if len(value.columns()) == 0 {
		return nil, errorf(value.Pos, "argument of %s is a constant, expected a column in it", function)
	}
	return value, nil
}

// name returns the text of a name without its backquotes.
func name(n *nameTree) (string, error) {
	text := strings.Trim(n.Text, "`")
	if strings.TrimSpace(text) == "" {
		return "", errorf(at(n.Pos), "name is empty")
	}
	return text, nil
}

// number reads a literal.
func number(text string, pos Pos) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, errorf(pos, "number %s is too large for a float64", quote(text))
	}
	return v, nil
}
