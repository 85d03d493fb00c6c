package gotoc

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// expr returns an expression in C. Statements that must come before it are added to b.before.
func (b *body) expr(e ast.Expr) string {
	if tv := b.info.Types[e]; tv.Value != nil {
		return b.constant(e, tv)
	}
	switch e := e.(type) {
	case *ast.Ident:
		return b.ident(e)
	case *ast.ParenExpr:
		return "(" + b.expr(e.X) + ")"
	case *ast.SelectorExpr:
		return b.field(e)
	case *ast.IndexExpr:
		return b.elements(e.X) + "[" + b.expr(e.Index) + "]"
	case *ast.SliceExpr:
		return b.slice(e)
	case *ast.StarExpr:
		return "(*" + b.expr(e.X) + ")"
	case *ast.UnaryExpr:
		return b.unary(e)
	case *ast.BinaryExpr:
		return b.binary(e)
	case *ast.CallExpr:
		return b.call(e)
	case *ast.CompositeLit:
		return "(" + b.ctype(b.info.TypeOf(e)) + ")" + b.literal(e, b.info.TypeOf(e))
	case *ast.FuncLit:
		return b.lift(e)
	}
	panic(b.wrong(e, "no such expression in C"))
}

func (t *translator) wrong(n ast.Node, why string) string {
	return fmt.Sprintf("%v: %s: %T", t.set.Position(n.Pos()), why, n)
}

// constant returns a constant: by its name where it has one.
func (b *body) constant(e ast.Expr, tv types.TypeAndValue) string {
	basic, _ := tv.Type.Underlying().(*types.Basic)
	switch x := e.(type) {
	case *ast.Ident:
		if c, ok := b.info.Uses[x].(*types.Const); ok && c.Parent() == b.pkg.Scope() {
			return b.named(c)
		}
	case *ast.BinaryExpr:
		if basic.Info()&types.IsInteger != 0 {
			return b.expr(x.X) + " " + x.Op.String() + " " + b.expr(x.Y)
		}
	case *ast.ParenExpr:
		return "(" + b.expr(x.X) + ")"
	}
	return value(tv.Value, basic.Info()&types.IsFloat != 0)
}

// value returns a number as C writes it.
func value(v constant.Value, float bool) string {
	if v.Kind() == constant.Bool {
		return map[bool]string{true: "1", false: "0"}[constant.BoolVal(v)]
	}
	if x, _ := constant.Float64Val(constant.ToFloat(v)); float {
		text := strconv.FormatFloat(x, 'g', -1, 64)
		if !strings.ContainsAny(text, ".e") {
			text += ".0"
		}
		return text
	}
	return v.ExactString()
}

// named defines a constant of the package, once, and returns its name.
func (t *translator) named(c *types.Const) string {
	id := strings.ToUpper(name(c.Name()))
	if !t.known[id] {
		t.known[id] = true
		about := ""
		if text := t.about[c]; text != "" {
			about = " /* " + text + " */"
		}
		if c.Val().Kind() == constant.Float {
			fmt.Fprintf(&t.constants, "static const double %s = %s;%s\n", id, value(c.Val(), true), about)
		} else {
			fmt.Fprintf(&t.constants, "enum { %s = %s };%s\n", id, value(c.Val(), false), about)
		}
	}
	return id
}

// exprAs returns an expression that is assigned to a variable of a type.
func (b *body) exprAs(e ast.Expr, of types.Type) string {
	if id, ok := e.(*ast.Ident); ok && id.Name == "nil" {
		if _, ok := of.Underlying().(*types.Slice); ok {
			return "(" + b.ctype(of) + "){NULL, 0, 0}"
		}
		return "NULL"
	}
	return b.expr(e)
}

func (b *body) ident(e *ast.Ident) string {
	if e.Name == "nil" {
		return "NULL"
	}
	if v, ok := b.info.Uses[e].(*types.Var); ok && v.Parent() == b.pkg.Scope() {
		return b.global(v)
	}
	return name(e.Name)
}

// field returns a field of a structure, which may belong to structures that are embedded in it.
func (b *body) field(e *ast.SelectorExpr) string {
	s := b.info.Selections[e]
	text, _ := b.path(b.expr(e.X), b.info.TypeOf(e.X), s.Index())
	return text
}

// path follows the indexes of fields from a structure, or a pointer to one.
func (b *body) path(text string, of types.Type, indexes []int) (string, types.Type) {
	for _, i := range indexes {
		by := "."
		if p, ok := of.Underlying().(*types.Pointer); ok {
			of, by = p.Elem(), "->"
		}
		f := of.Underlying().(*types.Struct).Field(i)
		text, of = text+by+name(f.Name()), f.Type()
	}
	return text, of
}

// elements returns the array of elements of a slice or an array.
func (b *body) elements(x ast.Expr) string {
	switch u := b.info.TypeOf(x).Underlying().(type) {
	case *types.Slice:
		return b.expr(x) + ".p"
	case *types.Pointer:
		return b.expr(x) + "->a"
	case *types.Array:
		return b.expr(x) + ".a"
	default:
		panic(b.wrong(x, fmt.Sprint("no elements in ", u)))
	}
}

// slice returns a part of a slice or an array.
func (b *body) slice(e *ast.SliceExpr) string {
	out := b.info.TypeOf(e)
	whole := ""
	switch u := b.info.TypeOf(e.X).Underlying().(type) {
	case *types.Slice:
		whole = b.expr(e.X)
	case *types.Array:
		whole = fmt.Sprintf("(%s){%s, %d, %d}", b.ctype(out), b.elements(e.X), u.Len(), u.Len())
	case *types.Pointer:
		n := u.Elem().Underlying().(*types.Array).Len()
		whole = fmt.Sprintf("(%s){%s, %d, %d}", b.ctype(out), b.elements(e.X), n, n)
	}
	switch {
	case e.Low == nil && e.High == nil:
		return whole
	case e.High == nil:
		return b.helper("after", out) + "(" + whole + ", " + b.expr(e.Low) + ")"
	case e.Low == nil:
		return b.helper("between", out) + "(" + whole + ", 0, " + b.expr(e.High) + ")"
	}
	return b.helper("between", out) + "(" + whole + ", " + b.expr(e.Low) + ", " + b.expr(e.High) + ")"
}

func (b *body) unary(e *ast.UnaryExpr) string {
	if lit, ok := e.X.(*ast.CompositeLit); ok && e.Op == token.AND {
		of := b.info.TypeOf(lit)
		p := b.temporary()
		b.before = append(b.before, fmt.Sprintf("%s *%s = obtain(heap, 1, sizeof *%s);", b.ctype(of), p, p), fmt.Sprintf("*%s = %s;", p, b.expr(lit)))
		return p
	}
	x := b.expr(e.X)
	if _, ok := e.X.(*ast.BinaryExpr); ok || strings.HasPrefix(x, "-") {
		x = "(" + x + ")"
	}
	return e.Op.String() + x
}

func (b *body) binary(e *ast.BinaryExpr) string {
	x, y := b.expr(e.X), b.expr(e.Y)
	if _, ok := b.info.TypeOf(e.X).Underlying().(*types.Slice); ok { // compared with nil
		x, y = x+".p", "NULL"
	}
	if inner, ok := e.X.(*ast.BinaryExpr); ok && e.Op == token.LOR && inner.Op == token.LAND {
		x = "(" + x + ")"
	}
	if inner, ok := e.Y.(*ast.BinaryExpr); ok && e.Op == token.LOR && inner.Op == token.LAND {
		y = "(" + y + ")"
	}
	return x + " " + e.Op.String() + " " + y
}

// literal returns the values of a structure, an array or a slice, in braces.
func (b *body) literal(e *ast.CompositeLit, of types.Type) string {
	var list []string
	switch u := of.Underlying().(type) {
	case *types.Struct:
		for i, x := range e.Elts {
			f := u.Field(i)
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				f, x = b.info.Uses[kv.Key.(*ast.Ident)].(*types.Var), kv.Value
			}
			list = append(list, "."+name(f.Name())+" = "+b.inner(x, f.Type()))
		}
		if list == nil {
			return "{0}"
		}
		return "{" + strings.Join(list, ", ") + "}"
	case *types.Array:
		for _, x := range e.Elts {
			list = append(list, b.inner(x, u.Elem()))
		}
		if list == nil {
			return "{0}"
		}
		return "{{" + strings.Join(list, ", ") + "}}"
	}
	panic(b.wrong(e, "no such literal in C"))
}

// inner returns a value within a literal, whose type may be left out.
func (b *body) inner(x ast.Expr, of types.Type) string {
	if lit, ok := x.(*ast.CompositeLit); ok {
		return b.literal(lit, of)
	}
	return b.exprAs(x, of)
}
