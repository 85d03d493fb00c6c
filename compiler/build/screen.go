package build

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"path"
	"slices"

	"likc/compiler/emit"
)

// screen drops candidates before anything is compiled: those that do not parse, and those that declare the name of an earlier
// candidate. For a name that is declared twice, the compiler would report errors in both candidates and in every user of the
// name.
func (j *job) screen() {
	taken := map[string]string{"Candidates": indexName}
	for _, f := range j.batch.Shared {
		if parsed, err := parse(f, sharedFolder); err == nil {
			for name := range declared(parsed) {
				taken[name] = f.Name
			}
		}
	}
	blamed := map[string]CandidateError{}
	for _, c := range j.alive {
		if e := c.screen(taken); e != nil {
			blamed[c.Name] = *e
		}
	}
	j.drop(blamed)
}

// screen adds to taken the names that a candidate declares in the shared package. If one of them is taken already, or a file
// does not parse, it adds none and returns the error.
func (c Candidate) screen(taken map[string]string) *CandidateError {
	added := map[string]string{}
	for _, f := range c.Files {
		if path.Ext(f.Name) != ".go" || !compiled(f.Name) {
			continue
		}
		parsed, err := parse(f, c.folder())
		if err != nil {
			return c.syntaxError(f, err)
		}
		if c.Package != "" {
			continue
		}
		names := declared(parsed)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if other, clash := taken[name]; clash {
				return &CandidateError{Name: c.Name, File: f.Name, Line: names[name], Why: fmt.Sprintf("%s is declared in %s too", name, other)}
			}
			added[name] = f.Name
		}
	}
	maps.Copy(taken, added)
	return nil
}

// syntaxError returns the error for a file of the candidate that Go's parser rejects, with the line of the first mistake.
func (c Candidate) syntaxError(f emit.File, err error) *CandidateError {
	e := &CandidateError{Name: c.Name, File: f.Name, Line: 1, Why: err.Error()}
	var list scanner.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		e.Line, e.Why = list[0].Pos.Line, list[0].Msg
	}
	return e
}

// parsedFile is the syntax of a Go file, with the file set that knows its line numbers.
type parsedFile struct {
	*ast.File
	lines *token.FileSet
}

// parse parses a Go file that must belong to the package of its folder.
func parse(f emit.File, folder string) (parsedFile, error) {
	lines := token.NewFileSet()
	file, err := parser.ParseFile(lines, f.Name, f.Data, parser.SkipObjectResolution)
	if err == nil && file.Name.Name != folder {
		err = fmt.Errorf("package %s: want %s", file.Name.Name, folder)
	}
	return parsedFile{file, lines}, err
}

// declared returns the names that a file declares at package level and their lines.
func declared(f parsedFile) map[string]int {
	names := map[string]int{}
	add := func(ids ...*ast.Ident) {
		for _, id := range ids {
			if id.Name != "_" && id.Name != "init" {
				names[id.Name] = f.lines.Position(id.Pos()).Line
			}
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(spec.Name)
				case *ast.ValueSpec:
					add(spec.Names...)
				}
			}
		}
	}
	return names
}
