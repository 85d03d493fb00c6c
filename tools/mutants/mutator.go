//go:build unix

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
)

// mutate returns every mutant of a file; generated files have none.
func mutate(file string) ([]mutant, error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	m := mutator{file: file, source: source, set: token.NewFileSet()}
	tree, err := parser.ParseFile(m.set, file, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(tree) {
		return nil, err
	}
	ast.Inspect(tree, m.visit)
	return m.all, nil
}

// mutator collects the mutants of a file.
type mutator struct {
	file   string
	source []byte
	set    *token.FileSet
	around *body // the body of the function that the walk has reached
	all    []mutant
}

// visit adds the mutants of a node. It reports whether the nodes inside it are to be visited.
func (m *mutator) visit(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.FuncDecl:
		m.enter(n.Type, n.Body)
	case *ast.FuncLit:
		m.enter(n.Type, n.Body)
	case *ast.CallExpr:
		return !message(n) // a change of a message's arguments changes only the message
	case ast.Expr:
		m.expression(n)
	case *ast.ReturnStmt:
		return m.result(n)
	case ast.Stmt:
		m.statement(n)
	}
	return true
}

// expression changes an operator, a number, or a name that has a counterpart.
func (m *mutator) expression(node ast.Expr) {
	switch n := node.(type) {
	case *ast.Ident:
		if counterpart, ok := extremes[n.Name]; ok {
			m.replace(n.Pos(), n.End(), counterpart)
		}
	case *ast.BinaryExpr:
		m.swap(n.OpPos, n.Op)
	case *ast.UnaryExpr:
		if n.Op == token.SUB || n.Op == token.NOT {
			m.replace(n.OpPos, n.X.Pos(), "")
		}
	case *ast.BasicLit:
		if n.Kind == token.INT || n.Kind == token.FLOAT && strings.Trim(n.Value, "0.") == "" {
			m.replace(n.Pos(), n.End(), "("+n.Value+"+1)")
		} else if n.Kind == token.FLOAT {
			m.replace(n.Pos(), n.End(), "(2*"+n.Value+")")
		}
	}
}

// statement negates a condition, changes an assignment, or leaves out a statement of a block.
func (m *mutator) statement(node ast.Stmt) {
	switch n := node.(type) {
	case *ast.LabeledStmt:
		m.around.labels = append(m.around.labels, n.Label.Name)
	case *ast.IfStmt:
		m.replace(n.Cond.Pos(), n.Cond.End(), "!("+m.code(n.Cond)+")")
	case *ast.IncDecStmt:
		m.swap(n.TokPos, n.Tok)
	case *ast.AssignStmt:
		m.swap(n.TokPos, n.Tok)
	case *ast.BlockStmt:
		m.drop(n.List)
	case *ast.CaseClause:
		m.drop(n.Body)
	}
}

// result adds a mutant that returns nil or true in place of an error or false. It reports whether callers read the other results: they do
// not read a number that is returned with an error or with false.
func (m *mutator) result(n *ast.ReturnStmt) (read bool) {
	last := len(n.Results) - 1
	if last < 0 {
		return true
	}
	text := m.code(n.Results[last])
	if text == "err" {
		m.replace(n.Results[last].Pos(), n.Results[last].End(), "nil")
	}
	_, number := n.Results[0].(*ast.BasicLit)
	return last == 0 || text == "nil" || text == "true" || !number
}

// enter begins an outermost function.
func (m *mutator) enter(f *ast.FuncType, b *ast.BlockStmt) {
	if b != nil && (m.around == nil || m.offset(b.Pos()) > m.around.end) {
		m.around = &body{start: m.offset(b.Lbrace), end: m.offset(b.Rbrace), results: f.Results != nil}
	}
}

func (m *mutator) offset(pos token.Pos) int { return m.set.Position(pos).Offset }

// code returns the text of a node.
func (m *mutator) code(n ast.Node) string {
	return string(m.source[m.offset(n.Pos()):m.offset(n.End())])
}

// replace adds a mutant, if the place lies in a function.
func (m *mutator) replace(from, to token.Pos, text string) {
	position := m.set.Position(from)
	if m.around != nil && position.Offset > m.around.start && position.Offset < m.around.end {
		m.all = append(m.all, mutant{m.file, m.source, position.Offset, m.offset(to), text, position, m.around})
	}
}

// swap adds the mutant in which an operator is replaced by its counterpart, if it has one.
func (m *mutator) swap(pos token.Pos, op token.Token) {
	if counterpart, ok := swaps[op]; ok {
		m.replace(pos, pos+token.Pos(len(op.String())), counterpart)
	}
}

// drop leaves out each statement that declares nothing.
func (m *mutator) drop(list []ast.Stmt) {
	for _, statement := range list {
		switch s := statement.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.DeferStmt, *ast.BranchStmt:
		case *ast.ReturnStmt:
			if s.Results != nil {
				continue
			}
		default:
			continue
		}
		m.replace(statement.Pos(), statement.End(), "")
	}
}

// message reports whether a call only makes the text of an error.
func message(call *ast.CallExpr) bool {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name == "panic"
	case *ast.SelectorExpr:
		name, ok := f.X.(*ast.Ident)
		return ok && (name.Name == "fmt" && f.Sel.Name == "Errorf" || name.Name == "errors" && f.Sel.Name == "New")
	}
	return false
}
