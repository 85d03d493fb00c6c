package main

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
)

// renamer replaces a module's path in one file.
type renamer struct {
	from, to string
	patterns []*regexp.Regexp // each with the groups before, path, after
}

// newRenamer returns a renamer of the import path from, and all paths inside it, to the path to.
func newRenamer(root, from, to string) *renamer {
	path := regexp.QuoteMeta(from)
	return &renamer{from: from, to: to, patterns: []*regexp.Regexp{
		// likc/runtime/model/load: a package of the module. A folder such as cmd/likc/testdata has something before likc.
		regexp.MustCompile(`(^|[^\w./~@-])(` + path + `)(/(?:` + strings.Join(folders(root), "|") + `)\b)`),
		// import "likc", go get likc, require likc v1.0.0, replace likc => ../likc: the module itself.
		regexp.MustCompile(`(\bimport[ \t]+(?:\w+[ \t]+)?"|\bgo get |\brequire |\breplace )(` + path + `)(["@ \n]|$)`),
		// "likc" on a line of its own in a list of imports.
		regexp.MustCompile(`(?m)(^[/ \t]*(?:\w+ )?")(` + path + `)("$)`),
	}}
}

// folders lists the folders of the root that can hold packages.
func folders(root string) []string {
	var names []string
	entries, _ := os.ReadDir(root)
	for _, e := range entries {
		if e.IsDir() && !skipped(root, filepath.Join(root, e.Name())) {
			names = append(names, regexp.QuoteMeta(e.Name()))
		}
	}
	return names
}

// editor returns the function that renames in a file, nil for a kind of file that never names the module. In the root's testdata it
// changes only Go files, because the other files are data with recorded hashes.
func (r *renamer) editor(root, file string) func([]byte) ([]byte, error) {
	name := filepath.Base(file)
	switch {
	case name == "go.mod":
		return r.gomod
	case strings.HasSuffix(name, ".go"):
		return r.source
	case strings.HasPrefix(file, filepath.Join(root, "testdata")+string(filepath.Separator)):
		return nil
	case strings.HasSuffix(name, ".md"), strings.HasSuffix(name, ".txt"), strings.HasSuffix(name, ".txtar"), name == "Makefile":
		return r.text
	}
	return nil
}

// gomod renames in the module line and in the requirements and replacements of modules that use this one.
func (r *renamer) gomod(old []byte) ([]byte, error) {
	f, err := modfile.Parse("go.mod", old, nil)
	if err != nil {
		return nil, err
	}
	if f.Module != nil {
		path, err := strconv.Unquote(r.imported(strconv.Quote(f.Module.Mod.Path))) // the module's path, or a path inside the module
		if err != nil {
			return nil, err
		}
		if err := f.AddModuleStmt(path); err != nil {
			return nil, err
		}
	}
	for _, line := range lines(f.Syntax) {
		for i, word := range line.Token {
			if word == r.from && (i == 0 || line.Token[i-1] == "require" || line.Token[i-1] == "replace") {
				line.Token[i] = r.to
			}
		}
	}
	return modfile.Format(f.Syntax), nil
}

// lines lists the statements of a module file, those in blocks too.
func lines(f *modfile.FileSyntax) []*modfile.Line {
	var all []*modfile.Line
	for _, s := range f.Stmt {
		switch s := s.(type) {
		case *modfile.Line:
			all = append(all, s)
		case *modfile.LineBlock:
			all = append(all, s.Line...)
		}
	}
	return all
}

// source renames in the imports and comments of a Go file. A file that is no Go, as a golden file can be, is text.
func (r *renamer) source(old []byte) ([]byte, error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "", old, parser.ParseComments)
	if err != nil {
		return r.text(old)
	}
	var b bytes.Buffer
	copied := 0
	put := func(n ast.Node, text string) {
		start, end := files.Position(n.Pos()).Offset, files.Position(n.End()).Offset
		b.Write(old[copied:start])
		b.WriteString(text)
		copied = end
	}
	for _, n := range inOrder(f) {
		start, end := files.Position(n.Pos()).Offset, files.Position(n.End()).Offset
		if spec, ok := n.(*ast.BasicLit); ok {
			put(n, r.imported(spec.Value))
		} else {
			text, _ := r.text(old[start:end])
			put(n, string(text))
		}
	}
	b.Write(old[copied:])
	if bytes.Equal(b.Bytes(), old) {
		return old, nil
	}
	return format.Source(b.Bytes()) // format.Source sorts the imports by their new paths
}

// inOrder lists the import paths and the comments of a file by position.
func inOrder(f *ast.File) []ast.Node {
	var all []ast.Node
	for _, s := range f.Imports {
		all = append(all, s.Path)
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b ast.Node) int { return int(a.Pos() - b.Pos()) })
	return all
}

// imported renames in a quoted import path.
func (r *renamer) imported(quoted string) string {
	path, err := strconv.Unquote(quoted)
	rest, ours := strings.CutPrefix(path, r.from)
	if err != nil || !ours || rest != "" && rest[0] != '/' || r.done(path) {
		return quoted
	}
	return strconv.Quote(r.to + rest)
}

// done reports whether a path has the new name already: an earlier run was cut short, and the new name continues the old one.
func (r *renamer) done(path string) bool {
	return strings.HasPrefix(r.to, r.from+"/") && (path == r.to || strings.HasPrefix(path, r.to+"/"))
}

// text renames wherever one of the patterns matches.
func (r *renamer) text(old []byte) ([]byte, error) {
	for _, pattern := range r.patterns {
		old = pattern.ReplaceAll(old, []byte("${1}"+r.to+"${3}"))
	}
	return old, nil
}
