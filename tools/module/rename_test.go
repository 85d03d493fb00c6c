package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/modfile"
)

const elsewhere = "example.org/you/likelihoods"

// small is a module with its path in every kind of text that names it, and with texts that only look like the path.
var small = map[string]string{
	"go.mod":           "module likc\n\ngo 1.26.0\n\nrequire github.com/x/y v1.0.0 // likc is no path here\n",
	"compiler/a.go":    "// Package compiler: see likc/runtime/b, and cmd/likc/main.go.\npackage compiler\n\nimport (\n\t\"fmt\"\n\n\t\"github.com/x/y\"\n\t\"likc\"\n\tb \"likc/runtime/b\"\n)\n\nconst name = \"likc\" // likc itself\n\nvar _ = fmt.Sprint(y.Y, b.B, likc.L, \"likc: why\")\n",
	"runtime/b/b.go":   "package b\n\nconst B = \"the preset likc\"\n",
	"docs/use.md":      "Run `go get likc@v1` or `go run likc/compiler`.\n\n```go\nimport \"likc\"\n\nimport (\n\t\"likc\"\n)\n```\nlikc/other and cmd/likc stay; so does the word likc.\n",
	"user/go.mod":      "module user\n\nrequire likc v0.0.0\n\nreplace likc => ../likc\n",
	"tools/go.mod":     "module likc/tools\n\nrequire likc v0.0.0\n\nreplace likc => ../\n",
	"Makefile":         "all:\n\tgo build -o bin/likc ./cmd/likc\n",
	"testdata/a.go":    "package testdata\n\nimport _ \"likc/runtime/b\"\n",
	"testdata/data.md": "likc/runtime/b in data with a hash stays\n",
}

// renamed has the files of small that change, with their texts under the new path. In a.go, the order of the imports changes.
var renamed = map[string]string{
	"go.mod":        "module example.org/you/likelihoods\n\ngo 1.26.0\n\nrequire github.com/x/y v1.0.0 // likc is no path here\n",
	"compiler/a.go": "// Package compiler: see example.org/you/likelihoods/runtime/b, and cmd/likc/main.go.\npackage compiler\n\nimport (\n\t\"fmt\"\n\n\t\"example.org/you/likelihoods\"\n\tb \"example.org/you/likelihoods/runtime/b\"\n\t\"github.com/x/y\"\n)\n\nconst name = \"likc\" // likc itself\n\nvar _ = fmt.Sprint(y.Y, b.B, likc.L, \"likc: why\")\n",
	"docs/use.md":   "Run `go get example.org/you/likelihoods@v1` or `go run example.org/you/likelihoods/compiler`.\n\n```go\nimport \"example.org/you/likelihoods\"\n\nimport (\n\t\"example.org/you/likelihoods\"\n)\n```\nlikc/other and cmd/likc stay; so does the word likc.\n",
	"testdata/a.go": "package testdata\n\nimport _ \"example.org/you/likelihoods/runtime/b\"\n",
	"user/go.mod":   "module user\n\nrequire example.org/you/likelihoods v0.0.0\n\nreplace example.org/you/likelihoods => ../likc\n",
	"tools/go.mod":  "module example.org/you/likelihoods/tools\n\nrequire example.org/you/likelihoods v0.0.0\n\nreplace example.org/you/likelihoods => ../\n",
}

func TestRename(t *testing.T) {
	root := t.TempDir()
	write(t, root, small)
	if n, err := rename(root, elsewhere); err != nil || n != len(renamed) {
		t.Fatalf("%d files, %v; want %d", n, err, len(renamed))
	}
	want := map[string]string{}
	for name, text := range small {
		want[name] = text
		if text, ok := renamed[name]; ok {
			want[name] = text
		}
	}
	if d := cmp.Diff(want, read(t, root)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if n, err := rename(root, elsewhere); n != 0 || err != nil {
		t.Errorf("again: %d files, %v", n, err)
	}
	if n, err := rename(root, "likc"); n != len(renamed) || err != nil {
		t.Errorf("back: %d files, %v", n, err)
	}
	if d := cmp.Diff(small, read(t, root)); d != "" {
		t.Errorf("back: -want +got:\n%s", d)
	}
}

// TestRenameAfterCut: an earlier run was cut short after all files but go.mod, and the new path begins with the old one.
func TestRenameAfterCut(t *testing.T) {
	whole, cut := t.TempDir(), t.TempDir()
	write(t, whole, small)
	if _, err := rename(whole, "likc/more"); err != nil {
		t.Fatal(err)
	}
	want := read(t, whole)
	write(t, cut, want)
	write(t, cut, map[string]string{"go.mod": small["go.mod"]})
	if n, err := rename(cut, "likc/more"); n != 1 || err != nil {
		t.Errorf("%d files, %v; want go.mod alone", n, err)
	}
	if d := cmp.Diff(want, read(t, cut)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestRefusedPaths(t *testing.T) {
	root := t.TempDir()
	write(t, root, small)
	for _, path := range []string{"", "/likc", "example.org/you/", "a b", "https://example.org/likc", "../likc", "runtime", "math/likc", "cmd/likc"} {
		if _, err := rename(root, path); err == nil {
			t.Errorf("%q is accepted", path)
		}
	}
	if d := cmp.Diff(small, read(t, root)); d != "" {
		t.Errorf("a refused path changed files:\n%s", d)
	}
}

// TestNoPathInStrings: no string of the program may contain the module's path, because renaming does not change strings. Programs get the path
// from version.Module.
func TestNoPathInStrings(t *testing.T) {
	root := filepath.Join("..", "..")
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	packages := newRenamer(root, modfile.ModulePath(gomod), elsewhere).patterns[0]
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && skipped(root, file):
			return filepath.SkipDir
		case !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		imports := map[*ast.BasicLit]bool{}
		for _, s := range f.Imports {
			imports[s.Path] = true
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && !imports[lit] {
				if text, _ := strconv.Unquote(lit.Value); packages.MatchString(text) {
					t.Errorf("%s: %s: take the path from version.Module", files.Position(lit.Pos()), lit.Value)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestRenamedModule renames a copy of this module, vets it, runs tests that depend on the path, and takes everything back. The
// tests of the root run the library's examples from another module, under the new path.
func TestRenamedModule(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("set LIKC_LONG=1: it compiles the whole module under another path")
	}
	root := t.TempDir()
	if err := os.CopyFS(root, tracked{os.DirFS(filepath.Join("..", ".."))}); err != nil {
		t.Fatal(err)
	}
	before := read(t, root)
	run := func(command string, args ...string) {
		t.Helper()
		cmd := exec.Command(command, args...)
		cmd.Dir, cmd.Env = root, append(os.Environ(), "LIKC_LONG=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %s: %v\n%s", command, strings.Join(args, " "), err, out)
		}
	}
	run("make", "module", "MODULE="+elsewhere)
	run("go", "vet", "./...")
	run("go", "test", "-C", "tools", "./module")
	run("go", "test", ".", "./runtime/sys/version", "./runtime/model/load", "./compiler/build", "./templates/...", "./generated/expr2")
	run("go", "test", "-run", "TestGeneratedIsUpToDate|TestScripts/(compile|eval|version)$", "./cmd/likc")
	if from := modfile.ModulePath([]byte(before["go.mod"])); from != elsewhere {
		run("make", "module", "MODULE="+from)
	}
	if err := os.RemoveAll(filepath.Join(root, "bin")); err != nil { // make has written the program there
		t.Fatal(err)
	}
	if d := cmp.Diff(before, read(t, root)); d != "" {
		t.Errorf("there and back is not the same: -before +after:\n%s", d)
	}
}

// tracked is a file system without hidden files, programs and results.
type tracked struct{ fs.FS }

func (t tracked) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(t.FS, name)
	var kept []fs.DirEntry
	for _, e := range all {
		if !strings.HasPrefix(e.Name(), ".") && !(name == "." && (e.Name() == "bin" || e.Name() == "dist" || e.Name() == "runs")) {
			kept = append(kept, e)
		}
	}
	return kept, err
}

func write(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// read returns the text of each file below root, by its path relative to root.
func read(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(file)
		name, _ := filepath.Rel(root, file)
		files[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
