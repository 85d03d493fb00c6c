package csrc_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"likc/compiler/emit"
	"likc/compiler/emit/csrc"
)

// strict and fast are the flags with which emitted C is compiled: warnings are errors, and fast lets the compiler change arithmetic. plain
// is strict without optimisation, and quick is fast with less of it.
var (
	strict = []string{"-std=c99", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror"}
	fast   = []string{"-std=c99", "-O3", "-march=native", "-ffast-math", "-Wall", "-Wextra", "-Werror"}
	plain  = []string{"-std=c99", "-O0", "-Wall", "-Wextra", "-Wpedantic", "-Werror"}
	quick  = []string{"-std=c99", "-O1", "-march=native", "-ffast-math", "-Wall", "-Wextra", "-Werror"}
)

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

// run runs a command in a folder and returns its output.
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

// program compiles a package with flags, and its test program without them. It returns the path of the program.
func program(t testing.TB, dir, cc, pkg string, flags []string) string {
	t.Helper()
	run(t, dir, cc, append(append([]string{}, flags...), "-c", pkg+".c", "-o", "likelihood.o")...)
	run(t, dir, cc, "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", pkg+"_test.c", "likelihood.o", "-o", "program", "-lm")
	return filepath.Join(dir, "program")
}

// TestCompiles compiles every model without a warning and runs its cases. It does so with strict flags, and with -ffast-math, under which a
// compiler may assume that no NaN occurs.
func TestCompiles(t *testing.T) {
	for _, cc := range []string{"gcc", "clang"} {
		t.Run(cc, func(t *testing.T) {
			need(t, cc)
			for _, name := range allModels() {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					_, files := emitted(t, name, "ddmlik")
					dir := write(t, files)
					both := [][]string{strict, fast}
					if len(file(t, files, "ddmlik.c")) > 100_000 && os.Getenv("LIKC_LONG") == "" { // a race takes -O1 two seconds, and -O3 several
						both = [][]string{plain, quick}
					}
					for _, flags := range both {
						if said := run(t, dir, program(t, dir, cc, "ddmlik", flags)); !strings.HasPrefix(said, "ok: ") {
							t.Errorf("%v: %s", flags, said)
						}
					}
				})
			}
		})
	}
}

// TestAsWrittenCompiles does the same for the files of AsWritten. The long suite tests all models.
func TestAsWrittenCompiles(t *testing.T) {
	need(t, "gcc")
	names := []string{"expr2", "entangled", "lognormal", "guarded"}
	if os.Getenv("LIKC_LONG") != "" {
		names = slices.DeleteFunc(allModels(), func(name string) bool { return name == "equalEnds" }) // AsWritten refuses equalEnds
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _ := read(t, name)
			files, err := csrc.AsWritten(m)
			if err != nil {
				t.Fatal(err)
			}
			dir := write(t, files)
			for _, flags := range [][]string{strict, fast} {
				if said := run(t, dir, program(t, dir, "gcc", csrc.AsWrittenName, flags)); !strings.HasPrefix(said, "ok: ") {
					t.Errorf("%v: %s", flags, said)
				}
			}
		})
	}
}

// TestRanges evaluates where products of two divisors, or of the arguments of two logarithms, leave the range of float64:
// the loop must not lose a trial.
func TestRanges(t *testing.T) {
	need(t, "gcc")
	tests := map[string]struct {
		mark    string // text that shows that trials share an operation
		density func(x, scale float64) float64
	}{
		"ranges": {"guard[j] +=", func(x, b float64) float64 { return 1.5*x/(b+x) - 1.5*1.5 }},
		"logs":   {"refused[j] |=", func(x, b float64) float64 { return -1.5*math.Log(b+x) - 1.5*1.5 }},
	}
	for name, test := range tests {
		_, files := emitted(t, name, "ddmlik")
		if !strings.Contains(file(t, files, "ddmlik.c"), test.mark) {
			t.Fatalf("%s: nothing is shared", name)
		}
		dir := write(t, append(files, emit.File{Name: "ranges.c", Data: []byte(rangesMain)}))
		for _, flags := range [][]string{strict, fast} {
			run(t, dir, "gcc", append(append([]string{}, flags...), "ranges.c", "ddmlik.c", "-o", "ranges", "-lm")...)
			for _, line := range strings.Split(strings.TrimSpace(run(t, dir, "./ranges")), "\n") {
				var scale, got float64
				if _, err := fmt.Sscan(line, &scale, &got); err != nil {
					t.Fatalf("%q: %v", line, err)
				}
				want := 0.0
				for i := 0; i < 100; i++ {
					want += test.density(scale*float64(i%7+1)/4, scale)
				}
				if !(math.Abs(got-want) < 1e-11*math.Abs(want)) {
					t.Errorf("%s, %v: at scale %g: %v, want %v", name, flags, scale, got, want)
				}
			}
		}
	}
}

// rangesMain evaluates the model at several scales; the data and the second parameter are proportional to the scale.
const rangesMain = `#include <stdio.h>
#include "ddmlik.h"

int main(void)
{
	static const double scales[] = {1e-170, 1e-158, 1e-155, 1e-100, 1.0, 1e100, 1e153, 1e154, 1e170, 1e300};
	for (int k = 0; k < 10; k++) {
		double x[100], theta[2] = {1.5, scales[k]};
		for (int i = 0; i < 100; i++)
			x[i] = scales[k] * (i % 7 + 1) / 4;
		ddmlik_data *d = ddmlik_new(100, x, NULL);
		printf("%g %.17g\n", scales[k], ddmlik_loglik(d, theta));
		ddmlik_free(d);
	}
	return 0;
}
`

// TestSharedLogsKeepNaN: two logarithms of negative numbers are NaN, though that of their product is not.
func TestSharedLogsKeepNaN(t *testing.T) {
	need(t, "gcc")
	_, files := emitted(t, "logs", "ddmlik")
	main := strings.Replace(rangesMain, "x[i] = scales[k] *", "x[i] = -8 * scales[k] *", 1)
	dir := write(t, append(files, emit.File{Name: "ranges.c", Data: []byte(main)}))
	run(t, dir, "gcc", append(append([]string{}, strict...), "ranges.c", "ddmlik.c", "-o", "ranges", "-lm")...)
	for _, line := range strings.Split(strings.TrimSpace(run(t, dir, "./ranges")), "\n") {
		if !strings.HasSuffix(line, "nan") {
			t.Errorf("the log-likelihood at scale %s is a number", line)
		}
	}
}

// TestNowhere: where a trial has density 0 inside the support, the value is -Inf and the gradient 0, under any flags.
func TestNowhere(t *testing.T) {
	need(t, "gcc")
	_, files := emitted(t, "nowhere", "ddmlik")
	dir := write(t, append(files, emit.File{Name: "nowhere.c", Data: []byte(nowhereMain)}))
	for _, flags := range [][]string{strict, fast} {
		run(t, dir, "gcc", append(append([]string{}, flags...), "-c", "ddmlik.c", "-o", "nowhere.o")...)
		run(t, dir, "gcc", "-std=c99", "nowhere.c", "nowhere.o", "-o", "nowhere", "-lm")
		if said := run(t, dir, "./nowhere"); said != "-inf 0 0\n6 6\n" {
			t.Errorf("%v: %s", flags, said)
		}
	}
}

// nowhereMain prints the value and gradient of the model nowhere at a parameter at which a trial has density 0, and at another one.
const nowhereMain = `#include <stdio.h>
#include "ddmlik.h"

int main(void)
{
	const double rt[] = {1, 2, 3}, less[] = {2.5, 1}, more[] = {4, 1};
	double grad[] = {7, 7};
	ddmlik_data *d = ddmlik_new(3, rt, NULL);
	double value = ddmlik_loglik_grad(d, less, grad);
	printf("%g %g %g\n", value, grad[0], grad[1]);
	value = ddmlik_loglik_grad(d, more, grad);
	printf("%.0f %g\n", value - 1.791759469228055, grad[1]);
	ddmlik_free(d);
	return 0;
}
`

// TestReadme runs the example of README.md for C and, if Python is installed, the example for Python. If make is installed, it runs
// the Makefile's targets all and test too.
func TestReadme(t *testing.T) {
	need(t, "gcc")
	u, files := emitted(t, "drift", "my_lik2")
	text := file(t, files, "README.md")
	dir := write(t, append(files, emit.File{Name: "example.c", Data: []byte(example(t, text, "c"))},
		emit.File{Name: "example.py", Data: []byte(example(t, text, "python"))}))
	run(t, dir, "gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "example.c", "my_lik2.c", "-o", "example", "-lm")
	if said := run(t, dir, "./example"); strings.Count(said, "\n") != 1+len(u.Model.Params) || !strings.Contains(said, "d/db1 ") {
		t.Errorf("the example in C says\n%s", said)
	}
	if _, err := exec.LookPath("make"); err == nil {
		if said := run(t, dir, "make", "-s", "all", "test"); !strings.Contains(said, "ok: ") {
			t.Errorf("make says\n%s", said)
		}
	} else {
		run(t, dir, "gcc", "-shared", "-fPIC", "my_lik2.c", "-o", "libmy_lik2.so", "-lm")
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 on this machine: its example is not run")
	}
	if said := run(t, dir, "python3", "example.py"); !strings.Contains(said, "loglik ") || !strings.Contains(said, "gradient [") {
		t.Errorf("the example in Python says\n%s", said)
	}
}

// example cuts the code block of a language out of a README.
func example(t testing.TB, text, language string) string {
	t.Helper()
	_, code, found := strings.Cut(text, "```"+language+"\n")
	code, _, closed := strings.Cut(code, "```")
	if !found || !closed {
		t.Fatalf("no example in %s", language)
	}
	return code
}

// TestHeaderInCPlusPlus: the header can be included from C++.
func TestHeaderInCPlusPlus(t *testing.T) {
	need(t, "g++")
	_, files := emitted(t, "hostile", "ddmlik")
	dir := write(t, append(files, emit.File{Name: "include.cc", Data: []byte("#include <complex.h>\n#include <cmath>\n#include \"ddmlik.h\"\n")}))
	run(t, dir, "g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "include.cc")
}
