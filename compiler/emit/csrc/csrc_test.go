package csrc_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"likc/compiler/emit"
	"likc/compiler/emit/csrc"
	"likc/compiler/syntax"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// file finds a file by name.
func file(t testing.TB, files []emit.File, name string) string {
	t.Helper()
	for _, f := range files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	t.Fatalf("no file %s", name)
	return ""
}

func TestGolden(t *testing.T) {
	_, files := emitted(t, "expr2", "ddmlik")
	for _, name := range []string{"ddmlik.c", "ddmlik.h", "README.md"} {
		golden := filepath.Join("testdata", name)
		got := file(t, files, name)
		if *update {
			if err := os.MkdirAll("testdata", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got); d != "" {
			t.Errorf("%s, -want +got (rewrite with -update):\n%s", golden, d)
		}
	}
}

func TestByteStable(t *testing.T) {
	names := []string{"expr2", "entangled", "guarded", "locals", "integrals", "lnr3"}
	if os.Getenv("LIKC_LONG") != "" {
		names = allModels()
	}
	for _, name := range names {
		_, first := emitted(t, name, "ddmlik")
		_, second := emittedAnew(t, name, "ddmlik")
		for i := range first {
			if !bytes.Equal(first[i].Data, second[i].Data) {
				t.Errorf("%s: %s differs between two runs", name, first[i].Name)
			}
		}
	}
}

// TestVectorises asks gcc which loops over trials it turned into vector instructions: all of them under -ffast-math, and
// the loop of Expression 2 without as well.
func TestVectorises(t *testing.T) {
	need(t, "gcc")
	models := []string{"expr2", "wald", "entangled", "guarded"}
	for _, name := range models {
		_, files := emitted(t, name, "ddmlik")
		dir := write(t, files)
		said := run(t, dir, "gcc", "-std=c99", "-O3", "-mavx2", "-mfma", "-ffast-math", "-fopt-info-vec-optimized", "-c", "ddmlik.c", "-o", "ddmlik.o")
		for _, line := range loopLines(file(t, files, "ddmlik.c")) {
			if !strings.Contains(said, "ddmlik.c:"+strconv.Itoa(line)+":") {
				t.Errorf("%s: the loop in line %d is not vectorised", name, line)
			}
		}
	}
	_, files := emitted(t, "expr2", "ddmlik")
	dir := write(t, files)
	said := run(t, dir, "gcc", "-std=c99", "-O3", "-mavx2", "-mfma", "-fopt-info-vec-optimized", "-c", "ddmlik.c", "-o", "ddmlik.o")
	if line := loopLines(file(t, files, "ddmlik.c"))[0]; !strings.Contains(said, "ddmlik.c:"+strconv.Itoa(line)+":") {
		t.Errorf("without -ffast-math the loop in line %d is not vectorised:\n%s", line, said)
	}
}

var sumsHead = regexp.MustCompile(`^static void (grad_)?sums`)

// loopLines numbers the lines of the innermost loops over all trials or over lanes.
func loopLines(text string) []int {
	var lines []int
	inside := false
	for i, line := range strings.Split(text, "\n") {
		inside = (inside || sumsHead.MatchString(line)) && line != "}"
		if inside && (strings.Contains(line, "j < lanes") || strings.Contains(line, "for (size_t i = 0")) {
			lines = append(lines, i+1)
		}
	}
	return lines
}

func TestEmitErrors(t *testing.T) {
	m, _ := read(t, "expr2")
	u, _ := emitted(t, "expr2", "ddmlik")
	tests := []struct {
		cfg  emit.Config
		want string
	}{
		{emit.Config{Model: m, Package: "größe"}, "not a C name"},
		{emit.Config{Model: m, Package: "_x"}, "not a C name"},
		{emit.Config{Model: m, Package: "a b"}, "package"},
		{emit.Config{}, "no model"},
	}
	for _, test := range tests {
		if _, err := (csrc.Emitter{}).Emit(u.Program, test.cfg); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %q", err, test.want)
		}
	}
}

// TestHostileText: no text of a user can end the comment in which it is printed.
func TestHostileText(t *testing.T) {
	need(t, "gcc")
	u, _ := emitted(t, "expr2", "ddmlik")
	files, err := csrc.Emitter{}.Emit(u.Program, emit.Config{
		Model: u.Model, Source: "*?? int x = ; .lik", Simplified: "*\\\n/ #error x\r */ #error y",
		Hash: "**//", Notes: []string{"??/", "\\", "*", "/"}, Text: syntax.Format(u.Model),
	})
	if err != nil {
		t.Fatal(err)
	}
	dir := write(t, files)
	for _, f := range []string{"ddmlik.c", "ddmlik_test.c"} {
		run(t, dir, "gcc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", f)
	}
}

// TestAsWrittenWithoutDigits: as it is written, the derivative of equalEnds is a difference of numbers near 1e25, of which
// nothing is left. AsWritten refuses that, in words that name the parameter.
func TestAsWrittenWithoutDigits(t *testing.T) {
	m, _ := read(t, "equalEnds")
	_, err := csrc.AsWritten(m)
	if err == nil || !strings.HasPrefix(err.Error(), "as written: the derivative by a: a difference of terms so large that ") {
		t.Errorf("%v", err)
	}
}

// TestAsWrittenMovesNothingOutOfTheLoop: the code of AsWritten computes in its loop even the values that emitted code computes only once.
func TestAsWrittenMovesNothingOutOfTheLoop(t *testing.T) {
	m, _ := read(t, "lognormal")
	files, err := csrc.AsWritten(m)
	if err != nil {
		t.Fatal(err)
	}
	text := file(t, files, csrc.AsWrittenName+".c")
	loop := text[strings.Index(text, "static void grad_sums"):]
	loop = loop[:strings.Index(loop, "\n}")]
	if !strings.Contains(loop, "log(rt[i])") || strings.Contains(loop, "lanes") {
		t.Errorf("the loop is\n%s", loop)
	}
}
