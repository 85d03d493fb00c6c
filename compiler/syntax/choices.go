package syntax

import (
	"fmt"
	"strings"

	"likc/compiler/expr"

	"github.com/alecthomas/participle/v2/lexer"
)

// This file resolves models of numbered choices. A declaration with an index declares one thing for each choice, and sums and
// products go over the choices.

// numbered checks that the codes of a choice are 0, 1, … in order.
func numbered(c *Choice) error {
	if n := len(c.Codes); n == 1 || n > MaxChoices {
		return errorf(c.Codes[n-1].Pos, "number of choices is %d, expected 2 to %d", n, MaxChoices)
	}
	for k, code := range c.Codes {
		if v, err := number(code); err != nil || v != float64(k) {
			return errorf(code.Pos, "choice %s, expected %d: choices are numbered 0, 1, … in order", quote(code.Text), k)
		}
	}
	return nil
}

// codes returns the text that declares the codes of a model's choices.
func codes(m *expr.Model) string {
	if m.Choices == 0 {
		return "+1 and -1"
	}
	var list []string
	for _, c := range m.Codes() {
		list = append(list, expr.Literal(c))
	}
	return "{" + strings.Join(list, ", ") + "}"
}

// numberedOnly returns an error if the model has no numbered choices, which `what` needs.
func (r *resolver) numberedOnly(pos lexer.Position, what string) error {
	if r.model.Choices > 0 {
		return nil
	}
	return errorf(pos, "%s in a model without numbered choices, expected a declaration such as choice c in {0, 1, 2} above", what)
}

// perChoice declares NAME0, NAME1, …, and NAME for all of them.
func (r *resolver) perChoice(p *Param, declare func(*Name) error) error {
	if err := r.numberedOnly(p.Index.Pos, "an index"); err != nil {
		return err
	}
	if p.Index.Text != r.model.Choice {
		return errorf(p.Index.Pos, "index %s of a param, expected the choice %s", quote(p.Index.Text), quote(r.model.Choice))
	}
	for k := range r.model.Choices {
		if err := declare(nameOf(p.Name, k)); err != nil {
			return err
		}
	}
	return r.declareSeveral(p.Name)
}

// nameOf returns the name of an indexed declaration for choice k, such as v0.
func nameOf(n *Name, k int) *Name { return &Name{n.Pos, fmt.Sprint(n.Text, k)} }

// declareSeveral declares an indexed name, which stands for NAME0, NAME1, …. These are declared already.
func (r *resolver) declareSeveral(n *Name) error {
	var all []*expr.Expr
	for k := range r.model.Choices {
		all = append(all, r.symbols[nameOf(n, k).Text])
	}
	r.several[n.Text] = all
	return r.declare(n, expr.Num(0))
}

// letPerChoice declares a let for each choice.
func (r *resolver) letPerChoice(a *Let) error {
	if err := r.numberedOnly(a.Index.Pos, "an index"); err != nil {
		return err
	}
	s := scope{symbols: r.symbols, caller: r}
	s.forEach(a.Index, func(k int) {
		value := s.expr(a.Value)
		n := nameOf(a.Name, k)
		if s.err == nil {
			s.err = r.declare(n, value)
		}
		r.model.Lets = append(r.model.Lets, expr.Let{Name: n.Text, Value: value})
	})
	if s.err != nil {
		return s.err
	}
	return r.declareSeveral(a.Name)
}

// forEach calls f for every choice k. During the call, the name index stands for k.
func (s *scope) forEach(index *Name, f func(k int)) {
	_, declared := s.symbols[index.Text]
	if _, outer := s.index[index.Text]; declared || outer {
		s.fail(errorf(index.Pos, "index %s is declared already, expected a new name", quote(index.Text)))
		return
	}
	if s.index == nil {
		s.index = map[string]int{}
	}
	for k := 0; k < s.caller.model.Choices && s.err == nil; k++ {
		s.index[index.Text] = k
		f(k)
	}
	delete(s.index, index.Text)
}

// indexed resolves NAME[INDEX]: the expression for the choice that the index stands for, or for the trial's choice.
func (s *scope) indexed(ref *Ref) *expr.Expr {
	if s.caller == nil || s.caller.several[ref.Name] == nil || len(ref.Args) > 0 {
		return s.fail(errorf(ref.Pos, "%s has no index, expected one only after a name that was declared with one", quote(ref.Name)))
	}
	all := s.caller.several[ref.Name]
	k, bound := s.index[ref.Index.Text]
	switch {
	case bound:
		return all[k]
	case ref.Index.Text == s.caller.model.Choice:
		return byChoice(s.symbols[ref.Index.Text], all)
	}
	return s.fail(errorf(ref.Index.Pos, "unknown index %s, expected the choice %s or the index of a let, sum or product", quote(ref.Index.Text), quote(s.caller.model.Choice)))
}

// byChoice returns the expression that selects the value of the trial's choice.
func byChoice(choice *expr.Expr, values []*expr.Expr) *expr.Expr {
	last := len(values) - 1
	x := values[last]
	for k := last - 1; k >= 0; k-- {
		x = expr.New(expr.If, expr.New(expr.LessEqual, choice, expr.Num(float64(k))), values[k], x)
	}
	return x
}

// folds maps the words for sums and products over the choices to operators.
var folds = map[string]expr.Op{"sum": expr.Add, "product": expr.Mul}

// fold resolves sum(INDEX: EXPR) and sum(INDEX != EXCEPT: EXPR), where EXCEPT is the trial's choice or an index around it.
func (s *scope) fold(call *Ref) *expr.Expr {
	op, ok := folds[call.Name]
	arg := call.Args[0]
	index := arg.Cond.name()
	switch {
	case !ok || index == nil:
		return s.fail(errorf(call.Pos, "an index in the call of %s, expected it in sum(INDEX: EXPR) or product(INDEX: EXPR)", quote(call.Name)))
	case s.caller == nil:
		return s.fail(errorf(call.Pos, "%s over choices, expected parameters and numbers without", call.Name))
	}
	if err := s.caller.numberedOnly(call.Pos, call.Name+" over choices"); err != nil {
		return s.fail(err)
	}
	var all []*expr.Expr
	s.forEach(&Name{index.Pos, index.Name}, func(int) { all = append(all, s.cond(arg.Each)) })
	if s.err != nil {
		return expr.Num(0)
	}
	if arg.Except == nil {
		return foldOf(op, all, -1)
	}
	return s.foldExcept(op, all, arg.Except)
}

// foldExcept joins the values of all choices except one: the choice of the trial, or the index of an enclosing sum.
func (s *scope) foldExcept(op expr.Op, all []*expr.Expr, except *Name) *expr.Expr {
	if k, bound := s.index[except.Text]; bound {
		return foldOf(op, all, k)
	}
	if except.Text != s.caller.model.Choice {
		return s.fail(errorf(except.Pos, "unknown index %s, expected the choice %s or the index around it", quote(except.Text), quote(s.caller.model.Choice)))
	}
	var without []*expr.Expr
	for k := range all {
		without = append(without, foldOf(op, all, k))
	}
	return byChoice(s.symbols[except.Text], without)
}

// foldOf joins all values except the one with index except by an operator; with -1 it joins all.
func foldOf(op expr.Op, values []*expr.Expr, except int) (x *expr.Expr) {
	for k, v := range values {
		switch {
		case k == except:
		case x == nil:
			x = v
		default:
			x = expr.New(op, x, v)
		}
	}
	return x
}
