//go:build unix

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/cover"
)

// mutant is one change of one file: the bytes from start to end become text.
type mutant struct {
	file       string
	source     []byte
	start, end int
	text       string
	at         token.Position
	body       *body // that the change lies in
}

// body is the outermost function around a change: the bytes from its opening brace to its closing one.
type body struct {
	start, end int
	results    bool
	labels     []string
}

// String returns the place and the change in one line.
func (m mutant) String() string {
	line := strings.Split(string(m.source), "\n")[m.at.Line-1]
	text := m.text
	if text == "" {
		text = "nothing"
	}
	return fmt.Sprintf("%s:%d:%d: %s for %s in: %s", filepath.Base(m.file), m.at.Line, m.at.Column, text,
		strings.Join(strings.Fields(string(m.source[m.start:m.end])), " "), strings.TrimSpace(line))
}

// swaps holds what each operator is replaced by.
var swaps = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==",
	token.ADD: "-", token.SUB: "+", token.MUL: "/", token.QUO: "*", token.REM: "*", token.LAND: "||", token.LOR: "&&",
	token.AND: "|", token.OR: "&", token.SHL: ">>", token.SHR: "<<",
	token.ADD_ASSIGN: "-=", token.SUB_ASSIGN: "+=", token.MUL_ASSIGN: "/=", token.QUO_ASSIGN: "*=",
	token.INC: "--", token.DEC: "++",
}

// extremes holds the calls that are replaced by each other.
var extremes = map[string]string{"min": "max", "max": "min", "Min": "Max", "Max": "Min"}

// reached returns the mutants of files in blocks that the tests run.
func reached(profile string, p tested) ([]mutant, error) {
	profiles, err := cover.ParseProfiles(profile)
	if err != nil {
		return nil, err
	}
	blocks := map[string][]cover.ProfileBlock{}
	for _, p := range profiles {
		blocks[filepath.Base(p.FileName)] = p.Blocks
	}
	var all []mutant
	for _, file := range p.GoFiles {
		mutants, err := mutate(filepath.Join(p.Dir, file))
		if err != nil {
			return nil, err
		}
		for _, m := range mutants {
			if covered(blocks[file], m.at) {
				all = append(all, m)
			}
		}
	}
	return all, nil
}

func covered(blocks []cover.ProfileBlock, at token.Position) bool {
	for _, b := range blocks {
		after := at.Line > b.StartLine || at.Line == b.StartLine && at.Column >= b.StartCol
		before := at.Line < b.EndLine || at.Line == b.EndLine && at.Column < b.EndCol
		if b.Count > 0 && after && before {
			return true
		}
	}
	return false
}

// mutate returns every mutant of a file; generated files have none.
func mutate(file string) ([]mutant, error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(tree) {
		return nil, err
	}
	var all []mutant
	var around *body
	enter := func(f *ast.FuncType, b *ast.BlockStmt) {
		if b != nil && (around == nil || set.Position(b.Pos()).Offset > around.end) {
			around = &body{start: set.Position(b.Lbrace).Offset, end: set.Position(b.Rbrace).Offset, results: f.Results != nil}
		}
	}
	replace := func(from, to token.Pos, text string) {
		at := set.Position(from)
		if around != nil && at.Offset > around.start && at.Offset < around.end {
			all = append(all, mutant{file, source, at.Offset, set.Position(to).Offset, text, at, around})
		}
	}
	code := func(n ast.Node) string {
		return string(source[set.Position(n.Pos()).Offset:set.Position(n.End()).Offset])
	}
	swap := func(pos token.Pos, op token.Token) {
		if by, ok := swaps[op]; ok {
			replace(pos, pos+token.Pos(len(op.String())), by)
		}
	}
	ast.Inspect(tree, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.FuncDecl:
			enter(n.Type, n.Body)
		case *ast.FuncLit:
			enter(n.Type, n.Body)
		case *ast.LabeledStmt:
			around.labels = append(around.labels, n.Label.Name)
		case *ast.CallExpr:
			return !message(n) // a change of a message's arguments changes only the message
		case *ast.Ident:
			if by, ok := extremes[n.Name]; ok {
				replace(n.Pos(), n.End(), by)
			}
		case *ast.BinaryExpr:
			swap(n.OpPos, n.Op)
		case *ast.UnaryExpr:
			if n.Op == token.SUB || n.Op == token.NOT {
				replace(n.OpPos, n.X.Pos(), "")
			}
		case *ast.IfStmt:
			replace(n.Cond.Pos(), n.Cond.End(), "!("+code(n.Cond)+")")
		case *ast.BasicLit:
			if n.Kind == token.INT || n.Kind == token.FLOAT && strings.Trim(n.Value, "0.") == "" {
				replace(n.Pos(), n.End(), "("+n.Value+"+1)")
			} else if n.Kind == token.FLOAT {
				replace(n.Pos(), n.End(), "(2*"+n.Value+")")
			}
		case *ast.IncDecStmt:
			swap(n.TokPos, n.Tok)
		case *ast.AssignStmt:
			swap(n.TokPos, n.Tok)
		case *ast.ReturnStmt:
			k := len(n.Results) - 1
			if k >= 0 && code(n.Results[k]) == "err" {
				replace(n.Results[k].Pos(), n.Results[k].End(), "nil")
			}
			if k > 0 && code(n.Results[k]) != "nil" && code(n.Results[k]) != "true" {
				_, number := n.Results[0].(*ast.BasicLit)
				return !number // beside an error or false nobody reads it
			}
		case *ast.BlockStmt:
			drop(n.List, replace)
		case *ast.CaseClause:
			drop(n.Body, replace)
		}
		return true
	})
	return all, nil
}

// drop leaves out each statement that declares nothing.
func drop(list []ast.Stmt, replace func(from, to token.Pos, text string)) {
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
		replace(statement.Pos(), statement.End(), "")
	}
}

// message reports whether a call only puts words together.
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
