package gotoc

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// own are functions of the package that C has by another name, or that the fixed text in C has.
var own = map[string]string{"logGamma": "lgamma", "digamma": "likc_digamma"}

// maths are functions of Go's package math, and what they are in C.
var maths = map[string]string{"Abs": "fabs", "Cos": "cos", "Erfc": "erfc", "Exp": "exp", "IsNaN": "is_nan", "Log": "log", "Log1p": "log1p", "Pow": "pow", "Sqrt": "sqrt"}

// sliceFunctions are functions of Go's package slices, and the names of the functions in C that stand for them.
var sliceFunctions = map[string]string{"BinarySearch": "search", "Compact": "compact", "Contains": "contains", "Delete": "delete", "Insert": "insert", "Max": "max_of",
	"Min": "min_of", "Replace": "replace", "Sort": "sort"}

// call returns a call, or a conversion to another type.
func (b *body) call(e *ast.CallExpr) string {
	if b.info.Types[e.Fun].IsType() {
		return b.convert(e.Args[0], b.info.TypeOf(e))
	}
	switch f := e.Fun.(type) {
	case *ast.Ident:
		switch of := b.info.Uses[f].(type) {
		case *types.Builtin:
			return b.builtin(f.Name, e)
		case *types.Func:
			return b.apply(of, nil, e.Args)
		}
		return name(f.Name) + "(" + strings.Join(b.args(e.Args, nil), ", ") + ")"
	case *ast.SelectorExpr:
		if s := b.info.Selections[f]; s == nil {
			return b.library(f, e)
		} else if of, ok := s.Obj().(*types.Func); ok {
			return b.apply(of, b.receiver(f, s), e.Args)
		}
		return b.field(f) + "(" + strings.Join(b.args(e.Args, b.info.TypeOf(f).(*types.Signature).Params()), ", ") + ")"
	}
	panic(b.wrong(e, "no such call in C"))
}

// receiver returns what a method is called with.
func (b *body) receiver(f *ast.SelectorExpr, s *types.Selection) []string {
	at := s.Index()
	text, of := b.path(b.expr(f.X), b.info.TypeOf(f.X), at[:len(at)-1])
	_, pointer := of.Underlying().(*types.Pointer)
	_, wanted := s.Obj().(*types.Func).Signature().Recv().Type().(*types.Pointer)
	switch {
	case wanted && !pointer:
		text = "&" + text
	case !wanted && pointer:
		text = "*" + text
	}
	return []string{text}
}

// apply returns a call of a function of the package.
func (b *body) apply(of *types.Func, receiver []string, args []ast.Expr) string {
	id := b.functionName(of)
	all := append(receiver, b.args(args, of.Signature().Params())...)
	if b.heaped[of] {
		all = append([]string{"heap"}, all...)
	}
	return id + "(" + strings.Join(all, ", ") + ")"
}

// args returns arguments. A call that returns several values may be all of them.
func (b *body) args(list []ast.Expr, params *types.Tuple) (all []string) {
	if len(list) == 1 {
		if tuple, ok := b.info.TypeOf(list[0]).(*types.Tuple); ok {
			several := b.several(list[0])
			for i := range tuple.Len() {
				all = append(all, fmt.Sprint(several, ".r", i))
			}
			return all
		}
	}
	for i, x := range list {
		if params != nil {
			all = append(all, b.exprAs(x, params.At(i).Type()))
		} else {
			all = append(all, b.expr(x))
		}
	}
	return all
}

// several keeps the values of a call that returns several.
func (b *body) several(e ast.Expr) string {
	call := b.expr(e)
	id := b.temporary()
	b.before = append(b.before, "const "+b.declare(b.info.TypeOf(e), id)+" = "+call+";")
	return id
}

// convert returns x as a value of another type.
func (b *body) convert(x ast.Expr, to types.Type) string {
	text := b.exprAs(x, to)
	if b.info.Types[x].IsNil() {
		return text
	}
	if p, ok := to.(*types.Pointer); ok { // a pointer to an array that is part of a slice
		return "((" + b.ctype(p) + ")" + text + ".p)"
	}
	if _, ok := x.(*ast.Ident); !ok {
		text = "(" + text + ")"
	}
	return "(" + b.ctype(to) + ")" + text
}

func (b *body) builtin(f string, e *ast.CallExpr) string {
	first := b.info.TypeOf(e.Args[0])
	switch f {
	case "len", "cap":
		if f == "len" {
			f = "n"
		}
		return b.expr(e.Args[0]) + "." + f
	case "min", "max":
		text := b.expr(e.Args[0])
		for _, x := range e.Args[1:] {
			text = f + "_" + mangled(b.info.TypeOf(e)) + "(" + text + ", " + b.expr(x) + ")"
		}
		return text
	case "clear", "copy":
		return b.helper(f, first) + "(" + strings.Join(b.args(e.Args, nil), ", ") + ")"
	case "make":
		return b.helper("make", first) + "(heap, " + b.expr(e.Args[1]) + ")"
	case "append":
		text := b.expr(e.Args[0])
		for _, x := range e.Args[1:] {
			by := "append"
			if e.Ellipsis.IsValid() {
				by = "append_all"
			}
			text = b.helper(by, b.info.TypeOf(e)) + "(heap, " + text + ", " + b.expr(x) + ")"
		}
		return text
	}
	panic(b.wrong(e, "no such function in C"))
}

// library returns a call of a function of Go's packages math and slices.
func (b *body) library(f *ast.SelectorExpr, e *ast.CallExpr) string {
	id := f.Sel.Name
	if f.X.(*ast.Ident).Name == "slices" {
		args := b.args(e.Args, nil)
		if id == "Insert" || id == "Replace" {
			args = append([]string{"heap"}, args...)
		}
		return b.helper(sliceFunctions[id], b.info.TypeOf(e.Args[0])) + "(" + strings.Join(args, ", ") + ")"
	}
	switch {
	case id == "Inf":
		if b.expr(e.Args[0]) == "-1" {
			return "-INFINITY"
		}
		return "INFINITY"
	case id == "NaN":
		return "NAN"
	case id == "IsInf" && b.expr(e.Args[1]) == "-1":
		return "(" + b.expr(e.Args[0]) + " < -DBL_MAX)"
	case id == "IsInf":
		return "(" + b.expr(e.Args[0]) + " > DBL_MAX)"
	}
	if maths[id] == "" {
		panic(b.wrong(e, "no function "+id+" in C"))
	}
	return maths[id] + "(" + strings.Join(b.args(e.Args, nil), ", ") + ")"
}

// helper returns the name of a function on slices, which it defines once for each type of elements.
func (t *translator) helper(f string, of types.Type) string {
	element := of.Underlying().(*types.Slice).Elem()
	id := f + "_" + mangled(element)
	if !t.known[id] {
		t.known[id] = true
		text, ok := t.templates[f]
		if !ok {
			panic("no function of slices " + f)
		}
		if f == "search" {
			t.ctype(types.NewTuple(types.NewVar(0, nil, "", types.Typ[types.Int]), types.NewVar(0, nil, "", types.Typ[types.Int])))
		}
		if f == "insert" {
			t.helper("replace", of)
		}
		if f == "append_all" {
			t.helper("append", of)
		}
		t.helpers.WriteString(strings.NewReplacer("SLICE", t.ctype(of), "ELEMENT ", t.spaced(t.ctype(element), ""), "NAME", mangled(element)).Replace(text))
	}
	return id
}
