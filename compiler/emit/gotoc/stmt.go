package gotoc

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// body is the body of a function that is being written.
type body struct {
	*translator
	id        string // the name of the function
	signature *types.Signature
	out       strings.Builder
	before    []string // statements that must come before the one that is being written
	depth     int
	number    int // count of temporary variables and of functions within this one
	notes     ast.CommentMap
}

func (b *body) temporary() string {
	b.number++
	return fmt.Sprint("t", b.number)
}

// line writes a line, after the statements that must come before it.
func (b *body) line(format string, args ...any) {
	lines := append(b.before, fmt.Sprintf(format, args...))
	b.before = nil
	for _, l := range lines {
		b.out.WriteString(strings.Repeat("\t", b.depth) + l + "\n")
	}
}

func (b *body) open(format string, args ...any) {
	b.line(format, args...)
	b.depth++
}

func (b *body) close() {
	b.depth--
	b.line("}")
}

func (b *body) block(list []ast.Stmt) {
	for _, s := range list {
		for _, group := range b.notes[s] {
			b.line("/* %s */", strings.ReplaceAll(strings.TrimSpace(group.Text()), "\n", " "))
		}
		b.statement(s)
	}
}

func (b *body) statement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		b.line("%s;", b.expr(s.X))
	case *ast.AssignStmt:
		b.assign(s)
	case *ast.IncDecStmt:
		b.line("%s%s;", b.expr(s.X), s.Tok)
	case *ast.DeclStmt:
		b.variables(s.Decl.(*ast.GenDecl))
	case *ast.ReturnStmt:
		b.leave(s)
	case *ast.BranchStmt:
		b.line("%s;", s.Tok)
	case *ast.BlockStmt:
		b.open("{")
		b.block(s.List)
		b.close()
	case *ast.IfStmt:
		b.condition(s)
	case *ast.ForStmt:
		b.loop(s)
	case *ast.RangeStmt:
		b.each(s)
	case *ast.SwitchStmt:
		b.choose(s)
	default:
		panic(b.wrong(s, "no such statement in C"))
	}
}

// variables declares variables, which are 0. Constants are defined where they are used.
func (b *body) variables(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		if v, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR {
			for _, id := range v.Names {
				b.line("%s = %s;", b.declare(b.info.TypeOf(id), name(id.Name)), b.zero(b.info.TypeOf(id)))
			}
		}
	}
}

func (b *body) zero(of types.Type) string {
	switch of.Underlying().(type) {
	case *types.Slice:
		return "{NULL, 0, 0}"
	case *types.Struct, *types.Array:
		return "{0}"
	case *types.Pointer:
		return "NULL"
	}
	return "0"
}

// assign writes assignments and definitions of variables.
func (b *body) assign(s *ast.AssignStmt) {
	if len(s.Lhs) > 1 && len(s.Rhs) == 1 {
		several := b.several(s.Rhs[0])
		for i, x := range s.Lhs {
			b.set(x, fmt.Sprint(several, ".r", i), s.Tok)
		}
		return
	}
	var values []string
	for i, x := range s.Rhs {
		text := b.exprAs(x, b.info.TypeOf(s.Lhs[i]))
		if b.mentions(x, s.Lhs[i]) && s.Tok == token.DEFINE || len(s.Rhs) > 1 && b.depends(s, i) {
			id := b.temporary()
			b.before = append(b.before, "const "+b.declare(b.info.TypeOf(x), id)+" = "+text+";")
			text = id
		}
		values = append(values, text)
	}
	for i, x := range s.Lhs {
		b.set(x, values[i], s.Tok)
	}
}

// depends reports whether value i of an assignment of several might be changed by an assignment before.
func (b *body) depends(s *ast.AssignStmt, i int) bool {
	if i == 0 {
		return false
	}
	_, number := s.Rhs[i].(*ast.BasicLit)
	if s.Tok == token.ASSIGN {
		return !number
	}
	return slices.ContainsFunc(s.Lhs[:i], func(x ast.Expr) bool { return b.mentions(s.Rhs[i], x) })
}

// mentions reports whether x uses a variable of the name of another expression.
func (b *body) mentions(x, of ast.Expr) (found bool) {
	id, ok := of.(*ast.Ident)
	if !ok {
		return false
	}
	ast.Inspect(x, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			found = found || b.mentions(s.X, of)
			return false
		}
		if other, ok := n.(*ast.Ident); ok && other.Name == id.Name {
			found = true
		}
		return true
	})
	return found
}

// set assigns a value, or defines a variable with it.
func (b *body) set(x ast.Expr, value string, tok token.Token) {
	id, ok := x.(*ast.Ident)
	switch {
	case ok && id.Name == "_":
		b.line("(void)%s;", value)
	case tok == token.DEFINE && b.info.Defs[id] != nil:
		b.line("%s = %s;", b.declare(b.info.TypeOf(id), name(id.Name)), value)
	case tok == token.DEFINE:
		b.line("%s = %s;", b.expr(x), value)
	default:
		b.line("%s %s %s;", b.expr(x), tok, value)
	}
}

// leave writes a return.
func (b *body) leave(s *ast.ReturnStmt) {
	results := b.signature.Results()
	var list []string
	for i, x := range s.Results {
		list = append(list, b.exprAs(x, results.At(i).Type()))
	}
	if s.Results == nil {
		for i := range results.Len() {
			list = append(list, name(results.At(i).Name()))
		}
	}
	switch {
	case len(list) == 0:
		b.line("return;")
	case len(list) == 1:
		b.line("return %s;", list[0])
	default:
		b.line("return (%s){%s};", b.ctype(results), strings.Join(list, ", "))
	}
}

// condition writes an if statement.
func (b *body) condition(s *ast.IfStmt) {
	if s.Init != nil {
		b.open("{")
		defer b.close()
		b.statement(s.Init)
	}
	b.open("if (%s) {", b.expr(s.Cond))
	b.block(s.Body.List)
	if s.Else != nil {
		b.depth--
		b.open("} else {")
		if e, ok := s.Else.(*ast.BlockStmt); ok {
			b.block(e.List)
		} else {
			b.statement(s.Else)
		}
	}
	b.close()
}

// loop writes a for statement.
func (b *body) loop(s *ast.ForStmt) {
	if s.Init != nil {
		b.open("{")
		defer b.close()
		b.statement(s.Init)
	}
	cond, post := "", ""
	if s.Cond != nil {
		cond = b.expr(s.Cond)
	}
	if s.Post != nil {
		inner := &body{translator: b.translator, signature: b.signature}
		inner.statement(s.Post)
		post = strings.TrimSuffix(inner.out.String(), ";\n")
	}
	if len(b.before) > 0 || strings.Contains(post, "\n") {
		panic(b.wrong(s, "the condition of this loop needs statements in C"))
	}
	b.open("for (; %s; %s) {", cond, post)
	b.block(s.Body.List)
	b.close()
}

// each writes a loop over numbers or elements.
func (b *body) each(s *ast.RangeStmt) {
	x, of := b.expr(s.X), b.info.TypeOf(s.X).Underlying()
	key := b.temporary()
	if id, ok := s.Key.(*ast.Ident); ok && id.Name != "_" {
		key = name(id.Name)
	}
	n, element := x, ""
	switch u := of.(type) {
	case *types.Slice:
		if _, plain := s.X.(*ast.Ident); !plain || b.mentions(s.X, s.Key) {
			t := b.temporary()
			b.before = append(b.before, "const "+b.declare(b.info.TypeOf(s.X), t)+" = "+x+";")
			x = t
		}
		n, element = x+".n", x+".p["+key+"]"
	case *types.Array:
		if _, literal := s.X.(*ast.CompositeLit); literal {
			t := b.temporary()
			b.before = append(b.before, "const "+b.declare(b.info.TypeOf(s.X), t)+" = "+x+";")
			x = t
		}
		n, element = fmt.Sprint(u.Len()), x+".a["+key+"]"
	case *types.Pointer:
		n, element = fmt.Sprint(u.Elem().Underlying().(*types.Array).Len()), x+"->a["+key+"]"
	}
	if strings.ContainsAny(n, "(.>") && element == "" || strings.HasPrefix(n, key+".") {
		t := b.temporary()
		b.before = append(b.before, "const int "+t+" = "+n+";")
		n = t
	}
	b.open("for (int %s = 0; %s < %s; %s++) {", key, key, n, key)
	if id, ok := s.Value.(*ast.Ident); ok && id.Name != "_" {
		b.line("%s = %s;", b.declare(b.info.TypeOf(id), name(id.Name)), element)
	}
	b.block(s.Body.List)
	b.close()
}

// choose writes a switch statement as conditions.
func (b *body) choose(s *ast.SwitchStmt) {
	b.open("{")
	defer b.close()
	if s.Init != nil {
		b.statement(s.Init)
	}
	tag := ""
	if s.Tag != nil {
		tag = b.temporary()
		b.line("const %s = %s;", b.declare(b.info.TypeOf(s.Tag), tag), b.expr(s.Tag))
	}
	for i, c := range s.Body.List {
		clause := c.(*ast.CaseClause)
		var tests []string
		for _, x := range clause.List {
			test := b.expr(x)
			if tag != "" {
				test = tag + " == " + test
			}
			tests = append(tests, test)
		}
		head := "if (" + strings.Join(tests, " || ") + ") {"
		switch {
		case i > 0 && tests == nil:
			head = "} else {"
		case i > 0:
			head = "} else " + head
		}
		b.open("%s", head)
		b.block(clause.Body)
		b.depth--
	}
	b.line("}")
}
