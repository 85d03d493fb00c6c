package csrc_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"likc/compiler/emit"
	"likc/compiler/emit/csrc"
)

var strict = []string{"-std=c99", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror"}
var fast = []string{"-std=c99", "-O3", "-march=native", "-ffast-math", "-Wall", "-Wextra", "-Werror"}

// need skips a test on a machine without a C compiler.
func need(t testing.TB, cc string) {
	t.Helper()
	if _, err := exec.LookPath(cc); err != nil {
		t.Skipf("no %s on this machine: emitted C is not compiled", cc)
	}
}

// write puts files into a new folder.
func write(t testing.TB, files []emit.File) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// run runs a command in a folder and returns what it said.
func run(t testing.TB, dir, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), "LC_ALL=C")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// build compiles a package and its test program with the same flags.
func build(t testing.TB, dir, cc, pkg string, flags []string) string {
	t.Helper()
	run(t, dir, cc, append(append([]string{}, flags...), pkg+".c", pkg+"_test.c", "-o", "program", "-lm")...)
	return filepath.Join(dir, "program")
}

// TestCompiles compiles every model without a warning and runs its cases, plainly and with what may break NaN.
func TestCompiles(t *testing.T) {
	for _, cc := range []string{"gcc", "clang"} {
		t.Run(cc, func(t *testing.T) {
			need(t, cc)
			for _, name := range allModels() {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					_, files := emitted(t, name, "ddmlik")
					dir := write(t, files)
					for _, flags := range [][]string{strict, fast} {
						if said := run(t, dir, build(t, dir, cc, "ddmlik", flags)); !strings.HasPrefix(said, "ok: ") {
							t.Errorf("%v: %s", flags, said)
						}
					}
				})
			}
		})
	}
}

func TestAsWrittenCompiles(t *testing.T) {
	need(t, "gcc")
	for _, name := range allModels() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _ := read(t, name)
			files, err := csrc.AsWritten(m)
			if err != nil {
				t.Fatal(err)
			}
			dir := write(t, files)
			for _, flags := range [][]string{strict, fast} {
				if said := run(t, dir, build(t, dir, "gcc", csrc.AsWrittenName, flags)); !strings.HasPrefix(said, "ok: ") {
					t.Errorf("%v: %s", flags, said)
				}
			}
		})
	}
}
