// Package process finds the processes that make trials: built-in processes by name, and processes that models in the language define by
// their text.
package process

import (
	"fmt"
	"slices"
	"strings"

	"likc/compiler/expr"
	"likc/compiler/syntax"
	"likc/runtime/model/evidence"
	"likc/runtime/model/ssm"
)

// Of returns the built-in process with the given name if text is "". Otherwise text must hold one model with this name, and Of returns
// its process; see [OfModel].
func Of(name, text string) (*ssm.Model, error) {
	if text == "" {
		return ssm.Lookup(name)
	}
	models, err := syntax.Read("text of model "+name, strings.NewReader(text))
	switch {
	case err != nil:
		return nil, err
	case len(models) != 1 || models[0].Name != name:
		return nil, fmt.Errorf("model %s: its text holds other models; want that model alone", name)
	}
	return OfModel(models[0])
}

// OfModel returns the process of a model: the one that it declares as evidence, or, without a density, the one that its simulator
// names. If the model declares neither, an external program draws its trials. Trials have only a response time and a choice, so OfModel
// fails for a process that depends on other trial columns.
func OfModel(m *expr.Model) (p *ssm.Model, err error) {
	switch {
	case m.Evidence != nil:
		p, err = evidence.Process(m)
	case len(m.Roots()) > 0:
		return nil, fmt.Errorf("model %s: it has a loglik; want a model with evidence, or without both", m.Name)
	case len(m.Trials) > 1:
		return nil, fmt.Errorf("model %s: its trials have the columns %s; want response times and choices alone", m.Name, strings.Join(m.Trials, ", "))
	case m.Simulator != nil:
		p, err = derived(m)
	default:
		p, err = outside(m)
	}
	if err != nil {
		return nil, err
	}
	p.Text, p.Weak = syntax.Format(m), m.Weak
	return p, nil
}

// outside returns a process whose trials an external program draws. The process knows only what the model declares.
func outside(m *expr.Model) (*ssm.Model, error) {
	p := &ssm.Model{Name: m.Name, Process: "a program draws its trials", Choices: m.Codes(), Outside: true}
	if p.Choices == nil {
		p.Choices = []float64{1}
	}
	p.Lopsided = m.Choice != "" && m.Choices == 0 && m.Lower == nil
	for _, q := range m.Params {
		p.Params = append(p.Params, ssm.Param{Name: q.Name, Lower: q.Lower, Upper: q.Upper})
		p.Example = append(p.Example, (q.Lower+q.Upper)/2)
	}
	for _, a := range m.Lower {
		mirror, ok := mirrorOf(a)
		if !ok {
			return nil, fmt.Errorf("model %s: lower %s = %s; want %[2]s, -%[2]s or 1 - %[2]s where a program draws trials", m.Name, a.Param, a.Value)
		}
		p.Params[p.Index(a.Param)].Mirror = mirror
	}
	for _, s := range m.Support {
		if !(s.Left.Op == expr.Sym && m.IsParam(s.Left.Name) && s.Right.Op == expr.Sym && slices.Contains(m.Trials, s.Right.Name) && p.Onset == "") {
			return nil, fmt.Errorf("model %s: support %s < %s; want one parameter before %s where a program draws trials", m.Name, s.Left, s.Right, m.Trials[0])
		}
		p.Onset = s.Left.Name
		p.Params[p.Index(p.Onset)].Domain = ssm.NonNegative
	}
	return p, nil
}

// mirrorOf returns the change of a parameter under the reflection, given its declaration; false if the change is not known.
func mirrorOf(a expr.Assign) (ssm.Mirror, bool) {
	x := expr.Var(a.Param)
	for mirror, value := range map[ssm.Mirror]*expr.Expr{
		ssm.Same: x, ssm.Negate: expr.New(expr.Neg, x), ssm.Complement: expr.New(expr.Sub, expr.Num(1), x)} {
		if a.Value.Equal(value) {
			return mirror, true
		}
	}
	return ssm.Same, false
}
