//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"

	"golang.org/x/tools/go/packages"
)

// together returns changed files, by path, that contain all mutants, so that they are compiled only once. At the beginning of a
// function come the mutants of its body, each in an if that runs the mutant and returns. A further file declares the number
// that selects a mutant.
func together(dir string, mutants []mutant) (changed map[string][]byte, err error) {
	changed = map[string][]byte{}
	order := make([]int, len(mutants))
	for k := range order {
		order[k] = k
	}
	// Files are changed from the end to the beginning, so that earlier positions stay valid.
	slices.SortStableFunc(order, func(i, j int) int { return mutants[j].body.start - mutants[i].body.start })
	name := ""
	for _, k := range order {
		m := mutants[k]
		text, ok := changed[m.file]
		if !ok {
			text = m.source
		}
		changed[m.file] = slices.Insert(slices.Clone(text), m.body.start+1, []byte(m.inside(k+1))...)
		if name == "" {
			tree, err := parser.ParseFile(token.NewFileSet(), m.file, m.source, parser.PackageClauseOnly)
			if err != nil {
				return nil, err
			}
			name = tree.Name.Name
		}
	}
	changed[filepath.Join(dir, "mutant_number.go")] = fmt.Appendf(nil, `package %s

import (
	"os"
	"strconv"
)

var mutantNumber, _ = strconv.Atoi(os.Getenv(%q))
`, name, which)
	return changed, nil
}

// inside returns the mutant's body within an if that runs it when its number is selected. Its labels get the number too,
// because labels of a function must be distinct.
func (m *mutant) inside(number int) string {
	text := string(m.source[m.body.start+1:m.start]) + m.text + string(m.source[m.end:m.body.end])
	for _, label := range m.body.labels {
		uses := regexp.MustCompile(`((?:break|continue|goto) |(?m:^\s*))` + label + `\b`)
		text = uses.ReplaceAllString(text, fmt.Sprintf("${1}%s_%d", label, number))
	}
	if !m.body.results {
		text += "; return"
	}
	return fmt.Sprintf("\nif mutantNumber == %d {%s\n}\n", number, text)
}

// checker finds out, with Go's type checker and without calling the compiler, whether a mutant compiles.
type checker struct {
	set     *token.FileSet
	files   map[string]*ast.File         // the package's files, by path
	imports map[string]*packages.Package // the packages that it imports, by import path
	path    string                       // its import path
	sizes   types.Sizes
}

// newChecker loads a package with the types of its imports.
func newChecker(ctx context.Context, p tested) (*checker, error) {
	set := token.NewFileSet()
	mode := packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesSizes
	found, err := packages.Load(&packages.Config{Context: ctx, Mode: mode | packages.NeedDeps, Fset: set}, p.ImportPath)
	if err != nil {
		return nil, err
	}
	if len(found) != 1 || len(found[0].Errors) > 0 {
		return nil, fmt.Errorf("%s: %v", p.ImportPath, found)
	}
	c := &checker{set, map[string]*ast.File{}, found[0].Imports, p.ImportPath, found[0].TypesSizes}
	for _, tree := range found[0].Syntax {
		c.files[set.Position(tree.Package).Filename] = tree
	}
	return c, nil
}

// Import returns an imported package to the type checker.
func (c *checker) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := c.imports[path]; p != nil {
		return p.Types, nil
	}
	return nil, errors.New(path + " is not imported")
}

// compiles reports whether the package compiles with the mutant in it.
func (c *checker) compiles(m mutant) bool {
	text := slices.Concat(m.source[:m.start], []byte(m.text), m.source[m.end:])
	tree, err := parser.ParseFile(c.set, m.file, text, parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	var files []*ast.File
	for path, original := range c.files {
		if path == m.file {
			original = tree
		}
		files = append(files, original)
	}
	config := types.Config{Importer: c, Sizes: c.sizes}
	_, err = config.Check(c.path, c.set, files, nil)
	return err == nil
}
