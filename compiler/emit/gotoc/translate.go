// Package gotoc writes functions of a package in Go as C99. It knows the part of Go in which the solver of numerical densities is written: numbers,
// slices, arrays, structures, pointers, functions and methods. It knows no closures over variables, maps, interfaces, goroutines or deferred calls,
// and fails at what it does not know.
package gotoc

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"likc/compiler/emit"
)

//go:embed slices.c.txt
var slicesInC string

// translator writes functions of a package in C, with the types and constants that they need.
type translator struct {
	set    *token.FileSet
	info   *types.Info
	pkg    *types.Package
	decls  map[types.Object]*ast.FuncDecl
	vars   map[types.Object]ast.Expr // the values of the package's variables
	about  map[types.Object]string   // the comments of fields and constants
	notes  map[*ast.File]ast.CommentMap
	files  map[types.Object]*ast.File
	heaped map[types.Object]bool // functions that need the heap

	templates map[string]string // functions on slices
	known     map[string]bool   // names that have been defined
	later     []*types.Named    // types that must be defined in the end
	tables    []table           // variables that are computed
	state     map[types.Object]int

	constants, types, variables, helpers, functions strings.Builder
}

// table is a variable of the package that is computed: its declaration, and the statement that computes it.
type table struct{ declaration, statement string }

// Translate returns functions of a package in C, with all that they need. Entries are their names in C: see [translator.functionName]. Tables are
// the variables of the package that entries or their callers use directly.
func Translate(files []emit.File, entries, tables []string) (text string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("gotoc: %v", r)
		}
	}()
	t, err := load(files)
	if err != nil {
		return "", err
	}
	return t.program(entries, tables), nil
}

// load checks the types of a package.
func load(files []emit.File) (*translator, error) {
	t := &translator{set: token.NewFileSet(), decls: map[types.Object]*ast.FuncDecl{}, vars: map[types.Object]ast.Expr{}, about: map[types.Object]string{},
		notes: map[*ast.File]ast.CommentMap{}, files: map[types.Object]*ast.File{}, heaped: map[types.Object]bool{}, templates: map[string]string{}, known: map[string]bool{}, state: map[types.Object]int{}}
	t.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	var trees []*ast.File
	for _, f := range files {
		tree, err := parser.ParseFile(t.set, f.Name, f.Data, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		trees = append(trees, tree)
	}
	check := types.Config{Importer: importer.ForCompiler(t.set, "source", nil)}
	var err error
	if t.pkg, err = check.Check("solver", t.set, trees, t.info); err != nil {
		return nil, err
	}
	for _, tree := range trees {
		t.notes[tree] = ast.NewCommentMap(t.set, tree, tree.Comments)
		t.comments(tree)
		t.declarations(tree)
	}
	for _, part := range strings.Split(slicesInC, "/* function ")[1:] {
		head, text, _ := strings.Cut(part, " */\n")
		t.templates[head] = text
	}
	t.findHeaped()
	return t, nil
}

// declarations notes the functions, variables and constants of a file.
func (t *translator) declarations(tree *ast.File) {
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			t.decls[t.info.Defs[d.Name]], t.files[t.info.Defs[d.Name]] = d, tree
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				v, ok := spec.(*ast.ValueSpec)
				if !ok {
					continue
				}
				for i, id := range v.Names {
					if i < len(v.Values) && d.Tok == token.VAR {
						t.vars[t.info.Defs[id]] = v.Values[i]
					}
					t.about[t.info.Defs[id]] = strings.TrimSpace(v.Comment.Text())
				}
			}
		}
	}
}

// computed reports whether a variable of the package is computed rather than written down.
func (t *translator) computed(v types.Object) bool {
	_, ok := t.vars[v].(*ast.CallExpr)
	return ok
}

// findHeaped finds the functions that take memory or use computed variables, themselves or through others.
func (t *translator) findHeaped() {
	for changed := true; changed; {
		changed = false
		for f, d := range t.decls {
			if d.Body == nil || t.heaped[f] || t.functionName(f.(*types.Func)) == "arena_reset" {
				continue
			}
			ast.Inspect(d.Body, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if lit, address := n.(*ast.UnaryExpr); address && lit.Op == token.AND {
					_, made := lit.X.(*ast.CompositeLit)
					t.heaped[f] = t.heaped[f] || made
				}
				if !ok {
					return true
				}
				u := t.info.Uses[id]
				_, builtin := u.(*types.Builtin)
				takes := builtin && (id.Name == "append" || id.Name == "make") || id.Name == "Insert" || id.Name == "Replace"
				if of, method := u.(*types.Func); method && of.Pkg() == t.pkg && t.functionName(of) == "arena_take" {
					takes = true
				}
				t.heaped[f] = t.heaped[f] || takes || t.heaped[u] || t.computed(u)
				return true
			})
			changed = changed || t.heaped[f]
		}
	}
}

// functionName returns the name of a function in C.
func (t *translator) functionName(f *types.Func) string {
	if id := own[f.Name()]; id != "" {
		return id
	}
	if recv := f.Signature().Recv(); recv != nil {
		of := recv.Type()
		if p, ok := of.(*types.Pointer); ok {
			of = p.Elem()
		}
		return name(of.(*types.Named).Obj().Name()) + "_" + snake(f.Name())
	}
	return name(f.Name())
}

// global returns a variable of the package. One that is computed is a field of the heap's tables.
func (t *translator) global(v *types.Var) string {
	id := name(v.Name())
	code := id
	if t.computed(v) {
		code = "heap->tables->" + id
	}
	if t.known["variable "+id] {
		return code
	}
	t.known["variable "+id] = true
	b := &body{translator: t, id: id, depth: 1}
	if t.computed(v) {
		for _, f := range t.calls(t.vars[v]) {
			t.write(f)
		}
		t.tables = append(t.tables, table{t.declare(v.Type(), id), code + " = " + b.expr(t.vars[v]) + ";"})
		return code
	}
	typ := t.declare(v.Type(), id)
	fmt.Fprintf(&t.variables, "static const %s = %s;\n", typ, b.literal(t.vars[v].(*ast.CompositeLit), v.Type()))
	return code
}

// calls returns the functions of the package that are called in a node.
func (t *translator) calls(n ast.Node) (all []types.Object) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if f, ok := t.info.Uses[id].(*types.Func); ok && t.decls[f] != nil && own[f.Name()] == "" {
				all = append(all, f)
			}
		}
		return true
	})
	return all
}

// arena are the methods of an arena in C, where all memory is the heap.
var arena = map[string]string{
	"arena_take": `/* arena_take returns n zeros from the heap. */
static struct double_slice arena_take(struct heap *heap, struct arena *a, int n)
{
	struct double_slice s = {obtain(heap, n, sizeof *s.p), n, n};
	(void)a;
	return s;
}

`,
	"arena_reset": `/* arena_reset does nothing: the heap is free again after an evaluation. */
static void arena_reset(struct arena *a)
{
	(void)a;
}

`}

const (
	begun = 1
	ended = 2
)

// write writes a function, after those that it calls. A function that calls itself through others is declared before.
func (t *translator) write(of types.Object) {
	f := of.(*types.Func)
	if t.state[f] != 0 {
		if t.state[f] == begun && !t.known["declared "+t.functionName(f)] {
			t.known["declared "+t.functionName(f)] = true
			t.functions.WriteString(t.head(f) + ";\n\n")
		}
		return
	}
	if text := arena[t.functionName(f)]; text != "" {
		t.state[f] = ended
		t.ctype(f.Signature().Recv().Type())
		t.functions.WriteString(text)
		return
	}
	t.state[f] = begun
	d := t.decls[f]
	for _, called := range t.calls(d.Body) {
		t.write(called)
	}
	b := &body{translator: t, id: t.functionName(f), signature: f.Signature(), depth: 1, notes: t.notes[t.files[f]]}
	b.whole(d.Body)
	if d.Doc != nil {
		fmt.Fprintf(&t.functions, "/* %s */\n", t.told(d.Doc.Text(), f))
	}
	fmt.Fprintf(&t.functions, "%s\n{\n%s}\n\n", t.head(f), b.out.String())
	t.state[f] = ended
}

// told returns the comment of a function, with its name in C.
func (t *translator) told(text string, f *types.Func) string {
	text = strings.ReplaceAll(strings.TrimSpace(text), "\n", " ")
	return regexp.MustCompile(`^`+f.Name()+`\b`).ReplaceAllString(text, t.functionName(f))
}

// head returns the first line of a function.
func (t *translator) head(f *types.Func) string {
	var params []string
	if t.heaped[f] {
		params = append(params, "struct heap *heap")
	}
	s := f.Signature()
	if r := s.Recv(); r != nil {
		id := name(r.Name())
		if id == "" || id == "_" {
			id = "of"
		}
		params = append(params, t.declare(r.Type(), id))
	}
	params = append(params, t.params(s)...)
	if params == nil {
		params = []string{"void"}
	}
	return "static " + t.spaced(t.result(s), t.functionName(f)) + "(" + strings.Join(params, ", ") + ")"
}

// whole writes the body of a function.
func (b *body) whole(s *ast.BlockStmt) {
	r := b.signature.Results()
	for i := range r.Len() {
		if n := r.At(i).Name(); n != "" && n != "_" && b.uses(s, r.At(i)) {
			b.line("%s = %s;", b.declare(r.At(i).Type(), name(n)), b.zero(r.At(i).Type()))
		}
	}
	var unused []*types.Var
	for i := range b.signature.Params().Len() {
		unused = append(unused, b.signature.Params().At(i))
	}
	if recv := b.signature.Recv(); recv != nil {
		unused = append(unused, recv)
	}
	for i, v := range unused {
		switch id := name(v.Name()); {
		case b.uses(s, v):
		case id == "_" || id == "":
			b.line("(void)unused%d;", i)
		default:
			b.line("(void)%s;", id)
		}
	}
	b.block(s.List)
}

// uses reports whether statements use a variable, or return without saying what.
func (b *body) uses(s ast.Stmt, v *types.Var) (found bool) {
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.Ident:
			found = found || b.info.Uses[n] == v
		case *ast.ReturnStmt:
			found = found || n.Results == nil && b.signature.Results().Len() > 0 && v.Kind() == types.ResultVar
		}
		return true
	})
	return found
}

// lift writes a function within another as one of its own, and returns its name.
func (b *body) lift(e *ast.FuncLit) string {
	b.number++
	id := fmt.Sprint(b.id, "_", b.number)
	s := b.info.TypeOf(e).(*types.Signature)
	ast.Inspect(e, func(n ast.Node) bool {
		if x, ok := n.(*ast.Ident); ok {
			v, ok := b.info.Uses[x].(*types.Var)
			if ok && !v.IsField() && v.Parent() != b.pkg.Scope() && (v.Pos() < e.Pos() || v.Pos() > e.End()) {
				panic(b.wrong(e, "a function within another uses its variable "+x.Name))
			}
		}
		return true
	})
	inner := &body{translator: b.translator, id: id, signature: s, depth: 1, notes: b.notes}
	inner.whole(e.Body)
	fmt.Fprintf(&b.functions, "static %s(%s)\n{\n%s}\n\n", b.spaced(b.result(s), id), strings.Join(b.params(s), ", "), inner.out.String())
	return id
}

// program returns the whole text.
func (t *translator) program(entries, tables []string) string {
	byName := map[string]types.Object{}
	for f := range t.decls {
		byName[t.functionName(f.(*types.Func))] = f
	}
	for _, id := range entries {
		t.write(byName[id])
	}
	for _, id := range tables {
		t.global(t.pkg.Scope().Lookup(id).(*types.Var))
	}
	for len(t.later) > 0 {
		of := t.later[0]
		t.later = t.later[1:]
		t.ctype(of)
	}
	var fields, values string
	for _, of := range t.tables {
		fields += "\t" + of.declaration + ";\n"
		values += "\t" + of.statement + "\n"
	}
	return "/* The following is translated from Go. */\n" + t.constants.String() + "\n" + t.types.String() +
		"/* Tables are computed once for a data set. */\nstruct tables {\n" + fields + "};\n\n" + t.variables.String() + "\n" + t.helpers.String() + t.functions.String() +
		"/* set_tables computes the tables of a heap. */\nstatic void set_tables(struct heap *heap)\n{\n\theap->tables = obtain(heap, 1, sizeof *heap->tables);\n" + values + "}\n"
}
