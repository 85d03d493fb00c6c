package text

import (
	"fmt"
	"strings"

	"likc/compiler/emit"
	"likc/compiler/emit/plan"
	"likc/compiler/expr"
)

// bindingPage is what a template is told of a binding function: At is the page of the log density as a function of the bound parameters and
// of log Z, and Term that of the log of the integral's terms, whose columns are the time since the onset and the log of the weight.
type bindingPage struct {
	At, Term    *page
	Values      []string // of the function, for a comment
	Inputs      []string
	Places      []string // from 0
	Degrees     []string // by product: "1, 0, 2"
	Coefs       []string // by product
	U, LogW     []string
	Codes       []string // "0" for a model without choice
	Typical     string
	Tilt        bool
	Powers      int // 1 + the highest degree
	Polynomials int
}

// bind completes the page of a model with a binding function, of which it has the declarations.
func (p *page) bind(cfg emit.Config, target expr.Target, lang *language, w *writer) error {
	t := plan.BindingOf(cfg.Binding)
	b := &bindingPage{Values: t.Values, Typical: lang.number(cfg.Binding.Typical), Tilt: len(t.Values) > len(p.Params), Powers: t.Degree + 1,
		Polynomials: len(t.Places), U: lang.numbers(t.U), LogW: lang.numbers(t.LogWeight), Codes: lang.numbers(t.Choices)}
	if len(b.Codes) == 0 {
		b.Codes = []string{lang.number(0)}
	}
	for _, x := range t.Inputs {
		b.Inputs = append(b.Inputs, w.text(x))
	}
	for _, at := range t.Places {
		b.Places = append(b.Places, fmt.Sprint(at))
	}
	for _, product := range t.Products {
		b.Degrees = append(b.Degrees, strings.Trim(strings.Join(strings.Fields(fmt.Sprint(product.Degrees)), ", "), "[]"))
		b.Coefs = append(b.Coefs, strings.Join(lang.numbers(product.Coefficients), ", "))
	}
	part := func(m *expr.Model) (*page, error) {
		sub := cfg
		sub.Binding, sub.Model = nil, m
		return newPage(sub, target, lang)
	}
	var err error
	if b.At, err = part(cfg.Binding.Given); err != nil {
		return err
	}
	if b.Term, err = part(cfg.Binding.Log); err != nil {
		return err
	}
	p.Binding, p.Bodies = b, w.bodies
	for _, part := range []*page{b.At, b.Term} {
		for _, body := range part.Bodies {
			p.addBody(body)
		}
		part.Bodies = nil
	}
	return w.err
}

// addBody adds what an operator needs defined, once.
func (p *page) addBody(body string) {
	for _, known := range p.Bodies {
		if known == body {
			return
		}
	}
	p.Bodies = append(p.Bodies, body)
}

func (l *language) numbers(xs []float64) (list []string) {
	for _, x := range xs {
		list = append(list, l.number(x))
	}
	return list
}
