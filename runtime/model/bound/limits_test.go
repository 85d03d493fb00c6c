package bound

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sources calls visit for the Go files of the module that are neither tests nor generated. Paths are relative to the module.
func sources(t *testing.T, visit func(path string, files *token.FileSet, f *ast.File)) {
	t.Helper()
	root := filepath.Join("..", "..", "..")
	for _, room := range []string{"compiler", "runtime", "search", "cmd"} {
		err := filepath.WalkDir(filepath.Join(root, room), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() == "testdata" {
				if err == nil {
					err = filepath.SkipDir
				}
				return err
			}
			if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			files := token.NewFileSet()
			f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err == nil {
				relative, _ := filepath.Rel(root, path)
				visit(filepath.ToSlash(relative), files, f)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// checks are the files of package kernel that only tests need.
var checks = []string{"runtime/model/kernel/check.go", "runtime/model/kernel/checkrows.go", "runtime/model/kernel/sumrows.go",
	"runtime/model/kernel/raced.go", "runtime/model/kernel/unraced.go"}

// The test limits how many forms of a bound likelihood the code has. Besides [Bound], only kernels, normalised likelihoods
// and the posterior of a hierarchy may have a gradient.
func TestLimitsOfTheBoundForm(t *testing.T) {
	const mostLikelihoods, mostInterfaces, mostLines, longestChoice = 11, 10, 450, 45
	var likelihoods []string
	interfaces, lines := 0, 0
	sources(t, func(path string, files *token.FileSet, f *ast.File) {
		if slices.Contains(checks, path) {
			return
		}
		isContract := strings.HasPrefix(path, "runtime/model/kernel/")
		if isContract {
			text, err := os.ReadFile(filepath.Join("..", "..", "..", path))
			if err != nil {
				t.Fatal(err)
			}
			lines += strings.Count(string(text), "\n")
		}
		for _, i := range f.Imports {
			if i.Path.Value == `"reflect"` && (isContract || strings.HasPrefix(path, "runtime/model/bound/")) {
				t.Errorf("%s uses reflection", path)
			}
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil && d.Name.Name == "LogLikGrad" {
					likelihoods = append(likelihoods, path)
				}
				if path == "runtime/model/bound/choose.go" && d.Name.Name == "choose" {
					if n := files.Position(d.End()).Line - files.Position(d.Pos()).Line + 1; n > longestChoice {
						t.Errorf("choose has %d lines, at most %d are wanted", n, longestChoice)
					}
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok && isContract {
						if _, is := s.Type.(*ast.InterfaceType); is {
							interfaces++
						}
					}
				}
			}
		}
	})
	if len(likelihoods) > mostLikelihoods {
		t.Errorf("%d types have a LogLikGrad, at most %d are wanted: %s", len(likelihoods), mostLikelihoods, strings.Join(likelihoods, ", "))
	}
	if interfaces > mostInterfaces || lines > mostLines {
		t.Errorf("package kernel has %d interfaces in %d lines, at most %d in %d are wanted", interfaces, lines, mostInterfaces, mostLines)
	}
}
