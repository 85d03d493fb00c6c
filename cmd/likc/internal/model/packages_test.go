package model

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"likc/compiler/emit"
	"likc/compiler/emit/rowwise"
	"likc/runtime/model/catalog"
)

// packageOf prints a model in Go or C, as the command compile does. The package's own cases are few.
func packageOf(t *testing.T, m *catalog.Model, to target, cases []rowwise.Case) []emit.File {
	t.Helper()
	var files []emit.File
	var err error
	if _, ok := m.Expression(); ok {
		files, err = (&compileFlags{Target: to, Package: m.Name, ISA: emit.AutoISA}).files(m)
	} else {
		print := map[target]func(rowwise.Source, emit.Config, []rowwise.Case) ([]emit.File, error){"go": rowwise.Go, "c": rowwise.C}[to]
		files, err = print(sourceOf(t, m), emit.Config{Package: m.Name}, cases[:1])
	}
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestGoPackagesAgreeWithEval compares every printed Go package with eval. The packages' results are printed as bits, so that none is rounded.
func TestGoPackagesAgreeWithEval(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	dir := t.TempDir()
	write := func(name string, data []byte) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var imports, calls strings.Builder
	cases, names := map[string][]rowwise.Case{}, chosen(t, "go")
	for _, name := range names {
		m := open(t, name)
		cases[name] = farCases(t, m, 50)
		for _, f := range packageOf(t, m, "go", cases[name]) {
			write(filepath.Join(name, f.Name), f.Data)
		}
		var args []string
		for j := range m.Trials {
			args = append(args, fmt.Sprintf("c.Columns[%d]", j))
		}
		if m.Choice != "" {
			args = append(args, "c.Choice")
		}
		if m.Stateful() {
			args = append(args, "c.Person")
			for j := range m.Restarts() {
				args = append(args, fmt.Sprintf("c.Blocks[%d]", j))
			}
		}
		fmt.Fprintf(&imports, "\t%q\n", "compared/"+name)
		fmt.Fprintf(&calls, "\tfor _, c := range all[%q] {\n\t\td, err := %s.NewData(%s)\n\t\tif err != nil {\n\t\t\tpanic(err)\n\t\t}\n"+
			"\t\tgrad := make([]float64, %s.Dim)\n\t\tshow(d.LogLikGrad(c.Theta, grad), grad)\n\t}\n", name, name, strings.Join(args, ", "), name)
	}
	write("go.mod", []byte("module compared\n\ngo 1.24\n"))
	write("main.go", []byte("package main\n\nimport (\n\t\"encoding/json\"\n\t\"fmt\"\n\t\"math\"\n\t\"os\"\n"+imports.String()+`)

type trials struct {
	Theta, Choice   []float64
	Columns, Blocks [][]float64
	Person          []int
}

func show(value float64, grad []float64) {
	fmt.Print(math.Float64bits(value))
	for _, g := range grad {
		fmt.Print(" ", math.Float64bits(g))
	}
	fmt.Println()
}

func main() {
	var all map[string][]trials
	if err := json.NewDecoder(os.Stdin).Decode(&all); err != nil {
		panic(err)
	}
`+calls.String()+"}\n"))
	input := map[string][]any{}
	for name, list := range cases {
		for _, c := range list {
			input[name] = append(input[name], map[string]any{"Theta": c.Theta, "Choice": c.Choice, "Columns": c.Columns, "Blocks": c.Blocks, "Person": c.Person})
		}
	}
	data, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", ".")
	cmd.Dir, cmd.Stdin, cmd.Env = dir, bytes.NewReader(data), append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod -trimpath", "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	found := map[string]difference{}
	for _, name := range names {
		n := min(len(cases[name]), len(lines))
		found[name] = checkModel(t, name, "go", ofBits(t, lines[:n]), cases[name])
		lines = lines[n:]
	}
	record(t, "go", found)
}

// ofBits returns the numbers of which each line has the bits.
func ofBits(t *testing.T, lines []string) []answer {
	t.Helper()
	list := make([]answer, len(lines))
	for i, line := range lines {
		for _, word := range strings.Fields(line) {
			var bits uint64
			if _, err := fmt.Sscan(word, &bits); err != nil {
				t.Fatal(err)
			}
			list[i] = append(list[i], math.Float64frombits(bits))
		}
	}
	return list
}

// TestCPackagesAgreeWithEval compares every package in C, which must compile without a warning.
func TestCPackagesAgreeWithEval(t *testing.T) {
	compilers := []string{}
	for _, cc := range []string{"gcc", "clang"} {
		if _, err := exec.LookPath(cc); err == nil {
			compilers = append(compilers, cc)
		}
	}
	if len(compilers) == 0 {
		t.Skip("no C compiler")
	}
	if os.Getenv("LIKC_LONG") == "" {
		compilers = compilers[:1]
	}
	found, lock := map[string]difference{}, sync.Mutex{}
	t.Cleanup(func() { record(t, "c", found) })
	for _, name := range chosen(t, "c") {
		for _, cc := range compilers {
			t.Run(name+"/"+cc, func(t *testing.T) {
				t.Parallel()
				m := open(t, name)
				cases := farCases(t, m, 50)
				dir, optimise := t.TempDir(), "-O1"
				files := append(packageOf(t, m, "c", cases), emit.File{Name: "main.c", Data: mainInC(m)})
				for _, f := range files {
					if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
						t.Fatal(err)
					}
					if len(f.Data) > 1e5 {
						optimise = "-O0" // a race takes -O1 half a minute
					}
				}
				build := exec.Command(cc, "-std=c99", "-pedantic", optimise, "-Wall", "-Wextra", "-Werror", "-o", "compared", name+".c", "main.c", "-lm")
				build.Dir = dir
				if said, err := build.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, said)
				}
				run := exec.Command(filepath.Join(dir, "compared"))
				run.Stdin = inDoubles(t, m, cases)
				out, err := run.Output()
				if err != nil {
					t.Fatal(err)
				}
				f := checkModel(t, name, "c", ofBits(t, strings.Split(strings.TrimSpace(string(out)), "\n")), cases)
				lock.Lock()
				defer lock.Unlock()
				found[name] = f.or(found[name])
			})
		}
	}
}

// mainInC reads cases as float64: the number of trials, parameters, all columns, persons; it prints value and gradient as bits.
func mainInC(m *catalog.Model) []byte {
	columns := len(m.DataColumns())
	if m.Choice != "" {
		columns++
	}
	var args strings.Builder
	for j := range columns - len(m.Restarts()) {
		fmt.Fprintf(&args, ", x + %d * n", j)
	}
	if m.Stateful() {
		args.WriteString(", person")
		for j := range m.Restarts() {
			fmt.Fprintf(&args, ", x + %d * n", columns-len(m.Restarts())+j)
		}
	}
	text := `#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "NAME.h"

static void show(double x)
{
	uint64_t u;
	memcpy(&u, &x, sizeof u);
	printf("%" PRIu64 " ", u);
}

int main(void)
{
	double head;
	while (fread(&head, sizeof head, 1, stdin) == 1) {
		const size_t n = (size_t)head, cells = COLUMNS * n;
		double theta[DIM], grad[DIM], *x = malloc((cells + n) * sizeof *x);
		int *person = malloc(n * sizeof *person);
		const char *error = "";
		if (fread(theta, sizeof *theta, DIM, stdin) != DIM || fread(x, sizeof *x, cells + n, stdin) != cells + n)
			return 1;
		for (size_t i = 0; i < n; i++)
			person[i] = (int)x[cells + i];
		NAME_data *d = NAME_new(nARGS, &error);
		if (d == NULL) {
			puts(error);
			return 1;
		}
		show(NAME_loglik_grad(d, theta, grad));
		for (size_t j = 0; j < DIM; j++)
			show(grad[j]);
		putchar('\n');
		NAME_free(d);
		free(person);
		free(x);
	}
	return 0;
}
`
	return []byte(strings.NewReplacer("NAME", m.Name, "COLUMNS", fmt.Sprint(columns), "DIM", fmt.Sprint(len(m.Params)), "ARGS", args.String()).Replace(text))
}

// inDoubles returns the cases in the format that mainInC reads.
func inDoubles(t *testing.T, m *catalog.Model, cases []rowwise.Case) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	for _, c := range cases {
		all := append([][]float64{{float64(len(c.Columns[0]))}, c.Theta}, c.Columns...)
		if m.Choice != "" {
			all = append(all, c.Choice)
		}
		all = append(all, c.Blocks...)
		person := make([]float64, len(c.Columns[0]))
		for i, p := range c.Person {
			person[i] = float64(p)
		}
		for _, x := range append(all, person) {
			if err := binary.Write(&b, binary.NativeEndian, x); err != nil {
				t.Fatal(err)
			}
		}
	}
	return &b
}
