package text

import (
	"fmt"
	"slices"
	"strings"

	"likc/compiler/diff"
	"likc/compiler/emit"
	"likc/compiler/emit/plan"
	"likc/compiler/expr"
)

// bindingPage holds the values that a template uses for a binding function. Texts are in the target language.
type bindingPage struct {
	At        *page    // the log density as a function of the bound parameters and of log Z
	Term      *page    // the log of a term of the integral: its columns are the time since the onset and the log of the weight
	Values    []string // names of the function's values, for a comment
	Inputs    []string
	BySlope   []string // for each input, its derivatives in the model's parameters, separated by commas
	Places    []string // for each polynomial, the index of the value that it is added to, counted from 0
	Positions []string // the elements of Places plus 1, for languages that count from 1
	Degrees   []string // for each product, its degrees, as "1, 0, 2"
	Factors   [][]factor
	Coefs     []string // for each product, its coefficient in each polynomial
	Tail      string   // the values as arguments, for a language in which they are a vector that counts from 1
	U, LogW   []string // the grid's times and the logs of their weights
	Codes     []string // the codes of the choices; "0" for a model without choice
	Typical   string
	Tilt      bool
	Powers    int // the number of Chebyshev polynomials of an input that are needed, at least 2
}

// factor is a Chebyshev polynomial in a product: of which input, counted from 1, and its degree, which is not 0.
type factor struct{ Input, Degree int }

// factorsOf returns the factors of a product with the given degrees.
func factorsOf(degrees []int) (list []factor) {
	for i, d := range degrees {
		if d > 0 {
			list = append(list, factor{i + 1, d})
		}
	}
	return list
}

// bind completes the page of a model with a binding function. The page has the model's declarations already.
func (p *page) bind(cfg emit.Config, target expr.Target, lang *language, w *writer) (err error) {
	b := newBindingPage(plan.BindingOf(cfg.Binding), lang, w)
	if b.At, err = partPage(cfg, cfg.Binding.Given, target, lang); err != nil {
		return err
	}
	term := cfg.Binding.Log
	if lang.taped {
		term = floored(term)
	}
	if b.Term, err = partPage(cfg, term, target, lang); err != nil {
		return err
	}
	for i := range b.At.Params {
		b.Tail += fmt.Sprintf(", binding_values[%d]", i+1)
	}
	b.At.Returns += ", at values of the binding function and log Z"
	b.Term.Returns = "the log of each term of the integral, less the shift"
	p.Binding, p.Bodies = b, w.bodies
	for _, part := range []*page{b.At, b.Term} {
		for _, body := range part.Bodies {
			if !slices.Contains(p.Bodies, body) {
				p.Bodies = append(p.Bodies, body)
			}
		}
	}
	return w.err
}

// farBelow stands for the log of 0. It is a number, so that a term of the integral with it has derivatives of 0.
const farBelow = -1e300

// floored returns a model of the log of an integral's terms in which no log is that of 0, where all exponentials vanish: a language that
// differentiates all values would find 0/0 = NaN.
func floored(m *expr.Model) *expr.Model {
	out := *m
	out.LogLik = expr.Map(m.LogLik, func(n *expr.Expr, args []*expr.Expr) *expr.Expr {
		if n = n.With(args); n.Op != expr.Log {
			return n
		}
		if expr.Vanishing(n.Args[0]) != nil {
			return expr.New(expr.If, n.Args[0], n, expr.Num(farBelow)) // an undefined number is not 0, and stays
		}
		return n
	})
	return &out
}

// partPage returns the page of a second function in the same file: the density or the integral's term of the model m.
func partPage(cfg emit.Config, m *expr.Model, target expr.Target, lang *language) (*page, error) {
	cfg.Binding, cfg.Model = nil, m
	return newPage(cfg, target, lang)
}

// newBindingPage returns the tables of a binding function as texts.
func newBindingPage(t *plan.Binding, lang *language, w *writer) *bindingPage {
	b := &bindingPage{Values: t.Values, Typical: lang.number(t.Typical), Tilt: t.Model.Binding.Tilt != nil, Powers: max(2, t.Degree+1),
		U: lang.numbers(t.U), LogW: lang.numbers(t.LogWeight), Codes: lang.numbers(t.Choices)}
	if len(b.Codes) == 0 {
		b.Codes = []string{lang.number(0)}
	}
	for _, x := range t.Inputs {
		b.Inputs = append(b.Inputs, w.text(x))
		if lang.index == nil {
			continue
		}
		var slopes []string
		for _, d := range diff.Gradient(x, t.Model.ParamNames()) {
			slopes = append(slopes, w.text(d))
		}
		b.BySlope = append(b.BySlope, strings.Join(slopes, ", "))
	}
	for _, at := range t.Places {
		b.Places, b.Positions = append(b.Places, fmt.Sprint(at)), append(b.Positions, fmt.Sprint(at+1))
	}
	for _, product := range t.Products {
		b.Degrees, b.Factors = append(b.Degrees, plan.Listed(product.Degrees)), append(b.Factors, factorsOf(product.Degrees))
		b.Coefs = append(b.Coefs, strings.Join(lang.numbers(product.Coefficients), ", "))
	}
	return b
}

func (l *language) numbers(xs []float64) (list []string) {
	for _, x := range xs {
		list = append(list, l.number(x))
	}
	return list
}
