package gosrc_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"likc/compiler"
	"likc/compiler/emit"
	"likc/compiler/emit/gosrc"
)

// names lists texts in order.
func names() []string {
	var list []string
	for name := range texts {
		list = append(list, name)
	}
	sort.Strings(list)
	return list
}

// write puts files into a folder.
func write(t testing.TB, folder string, files ...emit.File) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(folder, f.Name), f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// goCommand runs the go command in a folder without a network; it skips the test where there is none.
// With -trimpath the packages in a new temporary folder are those of the last run, so that Go's cache knows what has not changed.
func goCommand(t testing.TB, folder string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -trimpath", "GOPROXY=off", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// module starts a module in a temporary folder.
func module(t testing.TB) string {
	folder := t.TempDir()
	if keep := os.Getenv("LIKC_KEEP"); keep != "" {
		folder = filepath.Join(keep, t.Name())
	}
	write(t, folder, emit.File{Name: "go.mod", Data: []byte("module gen\n\ngo 1.24\n")})
	return folder
}

// TestEmittedPackages vets and tests the packages of all texts. The packages' own tests compare them with the model as written. The
// forms that are not separated are tested only in the long suite, because TestBatchAgainstInterpreter builds them too.
func TestEmittedPackages(t *testing.T) {
	folder := module(t)
	for _, name := range names() {
		for _, whole := range []bool{false, true} {
			if whole && os.Getenv("LIKC_LONG") == "" {
				continue
			}
			m := read(t, name)
			u, err := compiler.Compile(m, compiler.Options{NoSeparate: whole, Loops: !whole})
			if err != nil {
				t.Fatal(err)
			}
			cfg := config(u)
			if cfg.Package += "whole"; !whole {
				cfg.Package = "p" + name
			}
			files, err := gosrc.Emitter{}.Emit(u.Program, cfg)
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(folder, cfg.Package), files...)
		}
	}
	goCommand(t, folder, "vet", "./...")
	goCommand(t, folder, "test", "-vet=off", "./...")
	out, err := exec.Command("gofmt", "-l", folder).CombinedOutput()
	if err == nil && len(out) > 0 {
		t.Errorf("not formatted:\n%s", out)
	}
}
