package gotoc

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"likc/compiler/emit"
)

// fixed stands in for the text that a program in C has before what is translated.
const fixed = `#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct heap {
	struct tables *tables;
};

static void *obtain(struct heap *heap, int n, size_t size)
{
	(void)heap;
	return calloc((size_t)n + 1, size);
}

`

// TestTranslate runs a program that uses what is translated: several results, parts of slices, embedded structures, arrays as values, functions as
// values, names that C has for itself, and variables of the package that are computed.
func TestTranslate(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no gcc")
	}
	text, err := Translate([]emit.File{{Name: "a.go", Data: []byte(`package a

import "math"

type base struct{ count int }

func (b *base) add(n int) { b.count += n }

type box struct {
	*base
	log []float64
	two [2]float64 // copied with the box
}

var table = newTable()

func newTable() []float64 { return append([]float64(nil), 1, 2, 3) }

func divide(x, y int) (quotient, rest int) {
	quotient, rest = x/y, x%y
	return
}

func apply(x []float64, f func(x float64) float64) (sum float64) {
	for _, v := range x {
		sum += f(v)
	}
	return sum
}

func run(long float64) float64 {
	b := box{base: &base{}, log: table[1:]}
	other := b
	other.two[0] = 7
	for i := range 4 {
		switch q, r := divide(i, 2); {
		case r == 0:
			b.add(10 * q)
		default:
			b.add(r)
		}
	}
	x, y := 1.0, 2.0
	x, y = y, x
	if b := len(b.log); b > 1 {
		x += float64(b)
	}
	return x*1000 + y*100 + float64(b.count) + b.two[0] + other.two[0]/100 + apply(b.log, func(v float64) float64 { return math.Sqrt(v * v) })/1000 + long
}
`)}}, []string{"run"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	main := "\nint main(void)\n{\n\tstruct heap heap;\n\tset_tables(&heap);\n\tprintf(\"%.6f\", run(&heap, 0.5));\n\treturn 0;\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "a.c"), []byte(fixed+text+main), 0o644); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("gcc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-o", "a", "a.c", "-lm")
	build.Dir = dir
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, said, text)
	}
	out, err := exec.Command(filepath.Join(dir, "a")).Output()
	if want := "4112.575000"; err != nil || string(out) != want {
		t.Errorf("%q (%v), want %q:\n%s", out, err, want, text)
	}
}

// TestRefused: what is not translated is an error that names the place.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ code, want string }{
		{"func run() int { n := 1; f := func() int { return n }; return f() }", "uses its variable n"},
		{"func run() int { m := map[int]int{}; return m[1] }", "map"},
		{"func run() { defer run() }", "DeferStmt"},
	} {
		_, err := Translate([]emit.File{{Name: "a.go", Data: []byte("package a\n\n" + c.code)}}, []string{"run"}, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error about %q", c.code, err, c.want)
		}
	}
}
