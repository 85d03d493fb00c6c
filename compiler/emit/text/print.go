package text

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"likc/compiler/expr"
)

// writer writes expressions in a target language.
type writer struct {
	target  expr.Target
	lang    *language
	symbols map[string]string     // the identifier of each symbol of the model
	named   map[*expr.Expr]string // values that have a name, which is written instead of the expression
	bodies  []string              // definitions that the operators written so far need
	inner   map[*expr.Expr]string // the names of lets that only branches need
	local   []string              // definitions of inner lets in the current branch, as "name := value"
	nodes   int                   // the number of nodes that are written so far
	most    int                   // the largest number of nodes that are written
	shares  bool                  // values that are used more than once get a name
	used    *[]string             // names that the current integrand needs; nil outside integrands
	err     error
	vectors *elementwise // nil: trial columns are numbers

	integrals *integrals
}

// Precedences that the context of an expression demands: none for a whole expression, or at least that of a sign or of a call.
var (
	whole   = expr.Add.Info().Prec
	sign    = expr.Neg.Info().Prec
	primary = expr.Exp.Info().Prec
)

// text returns the code of an expression, without parentheses around it.
func (w *writer) text(e *expr.Expr) string { return w.write(e, whole) }

// write returns the code of an expression, in parentheses if it binds less tightly than prec.
func (w *writer) write(e *expr.Expr, prec int) string {
	if w.nodes++; w.nodes > w.most {
		w.err = fmt.Errorf("the expression has more than %d nodes written out: it cannot be printed for %s", w.most, w.target)
		return ""
	}
	text, precedence := w.bare(e)
	if precedence < prec {
		return w.lang.parentheses[0] + text + w.lang.parentheses[1]
	}
	return text
}

// bare returns the code of an expression and its precedence.
func (w *writer) bare(e *expr.Expr) (text string, prec int) {
	if w.lang.arrays {
		e = folded(e)
	}
	if name := w.named[e]; name != "" {
		return w.use(name), primary
	}
	text, prec = w.unnamed(e)
	if name := w.inner[e]; name != "" {
		w.local, w.named[e] = append(w.local, name+" := "+text), name
		return w.use(name), primary
	}
	return text, prec
}

// unnamed returns the code of an expression itself, not the name that it may have, and its precedence.
func (w *writer) unnamed(e *expr.Expr) (text string, prec int) {
	switch e.Op {
	case expr.Sym:
		return w.use(w.symbols[e.Name]), primary
	case expr.NodeSum:
		if w.vectors != nil {
			w.err = errElementwise // the function takes numbers only
			return "", primary
		}
		return w.overNodes(e), primary
	case expr.Const:
		text = w.lang.number(e.Value)
		if text[0] == '-' || strings.Contains(text, `\cdot`) { // 1.5 \cdot 10^{-7} needs parentheses too, as the base of a power
			return text, sign
		}
		return text, primary
	}
	if w.lang.taped || w.lang.arrays {
		e = undivided(e)
	}
	if w.vectors.isVector(e) {
		return w.overVectors(e)
	}
	return w.operator(e)
}

// undivided returns a quotient with a product by exp(-u) in place of a division by exp(u). Where exp(u) overflows, Stan, torch
// and jax would find a derivative of 0·Inf = NaN.
func undivided(e *expr.Expr) *expr.Expr {
	if e.Op != expr.Div && e.Op != expr.Inv {
		return e
	}
	by := e.Args[len(e.Args)-1]
	number, exponent, rest := expr.Factors(by)
	if exponent.IsNum(0) {
		return e
	}
	x := expr.New(expr.Exp, expr.Negative(exponent))
	if e.Op == expr.Div {
		x = expr.New(expr.Mul, e.Args[0], x)
	}
	return expr.Over(x, expr.Times(expr.Num(number), rest))
}

// folded returns the value of an expression without symbols, as a constant.
func folded(e *expr.Expr) *expr.Expr {
	if e.Op == expr.NodeSum || len(e.Args) == 0 || len(expr.Symbols(e)) > 0 {
		return e
	}
	value, _ := expr.NewTape(nil, e).Eval(nil, nil)
	return expr.Num(value[0])
}

// operator returns the code of an operator with its arguments, from the operator table, and its precedence.
func (w *writer) operator(e *expr.Expr) (text string, prec int) {
	s, info := w.spelling(e.Op), e.Op.Info()
	w.need(s.Body)
	switch s.Kind {
	case expr.Binary:
		return w.write(e.Args[0], info.Prec) + " " + s.Text + " " + w.write(e.Args[1], info.Prec+1), info.Prec
	case expr.Unary:
		return s.Text + w.write(e.Args[0], info.Prec+1), info.Prec
	case expr.Function:
		var args []string
		for _, a := range e.Args {
			args = append(args, w.text(a))
		}
		return s.Text + w.lang.parentheses[0] + strings.Join(args, ", ") + w.lang.parentheses[1], primary
	case expr.Form:
		if strings.Contains(s.Text, "#") {
			return w.branches(s.Text, e.Args), primary
		}
		prec = info.Prec
		if info.Notation == expr.Call {
			prec = primary
		}
		return w.form(s.Text, e.Args), prec
	case expr.Truth:
		return fmt.Sprintf(w.lang.truth, w.form(s.Text, e.Args)), primary
	}
	w.err = fmt.Errorf("operator %s has no spelling in %s", e.Op, w.target)
	return "", primary
}

// spelling returns an operator's spelling.
func (w *writer) spelling(op expr.Op) expr.Spelling {
	return w.lang.spelling(op, w.target, w.integrals.stem)
}

// need adds to the file the paragraphs of source that it does not have yet.
func (w *writer) need(source string) {
	for paragraph := range strings.SplitSeq(source, "\n\n") {
		if paragraph != "" && !slices.Contains(w.bodies, paragraph) {
			w.bodies = append(w.bodies, paragraph)
		}
	}
}

// condition returns the code of a condition. A number is turned into the condition that it is not 0.
func (w *writer) condition(e *expr.Expr) string {
	if s := e.Op.In(w.target); s.Kind == expr.Truth && w.named[e] == "" {
		return w.form(s.Text, e.Args)
	}
	return w.write(e, primary) + " " + w.lang.unequal + " " + w.lang.number(0)
}

// branches returns a form with its arguments. In the form, # stands for the names that its branches use: the second and third
// argument.
func (w *writer) branches(text string, args []*expr.Expr) string {
	first, names := w.branch(args[1])
	second, more := w.branch(args[2])
	for _, name := range more {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		w.use(name)
	}
	return strings.NewReplacer("?1", w.condition(args[0]), "$2", first, "$3", second, "#", strings.Join(names, ", ")).Replace(text)
}

// branch returns the code of a branch with the inner lets that it needs, and the names that it uses from outside.
func (w *writer) branch(e *expr.Expr) (text string, names []string) {
	outer := *w
	w.used, w.local, w.named = &names, nil, maps.Clone(w.named)
	if text = w.text(e); len(w.local) > 0 {
		text = "(" + strings.Join(w.local, ", ") + ", " + text + ")[-1]"
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return slices.ContainsFunc(w.local, func(let string) bool { return strings.HasPrefix(let, name+" := ") })
	})
	w.used, w.local, w.named = outer.used, outer.local, outer.named
	return text, names
}

// placeholder matches the mark of an argument in a form: $1 for the bare text, @1 for parentheses where needed, ?1 for a
// condition.
var placeholder = regexp.MustCompile(`[$@?][1-3]`)

// form returns a form of the operator table in which the marks are replaced by the code of the arguments.
func (w *writer) form(text string, args []*expr.Expr) string {
	return placeholder.ReplaceAllStringFunc(text, func(p string) string {
		arg := args[p[1]-'1']
		switch p[0] {
		case '$':
			return w.text(arg)
		case '?':
			return w.condition(arg)
		}
		return w.write(arg, primary)
	})
}
