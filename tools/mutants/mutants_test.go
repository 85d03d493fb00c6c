//go:build unix

package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

const original = `package p

import "fmt"

var table = []func(x int) int{func(x int) int { return x * 2 }}

func f(x, y int) (int, error) {
	z := max(x, y)
	if x < y && !(x == 3) {
		z += 1
	}
	if z > 1e3 {
		return 0, fmt.Errorf("%d", z+1)
	}
	return -z, nil
}
`

// TestMutate compares the list of every mutant of a short file. A number that is returned with an error has no mutant, because callers do not
// read it.
func TestMutate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(file, []byte(original), 0o644); err != nil {
		t.Fatal(err)
	}
	all, err := mutate(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range all {
		got = append(got, strings.TrimPrefix(m.String()[:strings.Index(m.String(), " in: ")], "p.go:"))
	}
	want := []string{
		"5:58: / for *", "5:60: (2+1) for 2",
		"8:7: min for max",
		"9:5: !(x < y && !(x == 3)) for x < y && !(x == 3)", "9:11: || for &&", "9:7: <= for <", "9:14: nothing for !", "9:18: != for ==", "9:21: (3+1) for 3",
		"10:3: nothing for z += 1", "10:5: -= for +=", "10:8: (1+1) for 1",
		"12:5: !(z > 1e3) for z > 1e3", "12:7: >= for >", "12:9: (2*1e3) for 1e3",
		"15:9: nothing for -",
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("mutants\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestTry makes mutants of a function whose test does not reach the bound of a condition, so that mutants of the bound stay alive.
func TestTry(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("set LIKC_LONG=1: it builds programs")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example\n\ngo 1.26\n",
		"f.go": `package example

// F counts down from x, or up to 3.
func F(x int) (n int) {
count:
	for ; x > 0; x-- {
		n++
		continue count
	}
	if x < -5 {
		return 3
	}
	return n
}

func unused(x int) int { return x + 1 }
`,
		"f_test.go": `package example

import "testing"

func TestF(t *testing.T) {
	if F(2) != 2 || F(-7) != 3 {
		t.Fail()
	}
}
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	room := t.TempDir()
	for _, d := range []string{dir, room, filepath.Dir(dir)} { // the tests of mutants run as nobody
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("TMPDIR", room)
	alive, tried, err := try([]string{"."}, rand.New(rand.NewPCG(1, 0)), 100, time.Second, regexp.MustCompile(""))
	if err != nil {
		t.Fatal(err)
	}
	// alive: <= for <, 6 for 5; leaving out the continue gives no mutant, because the label would be unused
	if alive != 2 || tried != 10 {
		t.Errorf("%d of %d mutants are alive, want 2 of 10", alive, tried)
	}
	if left, err := os.ReadDir(room); err != nil || len(left) > 0 {
		t.Errorf("%v are left behind, %v", left, err)
	}
}
