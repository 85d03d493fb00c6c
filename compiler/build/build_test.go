package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"likc/compiler/emit"
	"likc/runtime/sys/store"
)

// quadratic is a candidate in the shared package: Σ -(θ-x)²·k.
func quadratic(name string, k int) Candidate {
	text := strings.NewReplacer("NAME", name, "K", fmt.Sprint(k)).Replace(`package batch

import "errors"

type NAMEData struct{ x []float64 }

func new_NAME(columns [][]float64, choice []float64) (*NAMEData, error) {
	if len(columns) != 1 {
		return nil, errors.New("want one column")
	}
	return &NAMEData{append([]float64(nil), columns[0]...)}, nil
}

func (d *NAMEData) Dim() int { return 1 }

func (d *NAMEData) LogLik(theta []float64) float64 {
	var grad [1]float64
	return d.LogLikGrad(theta, grad[:])
}

func (d *NAMEData) LogLikGrad(theta, grad []float64) float64 {
	sum := 0.0
	grad[0] = 0
	for _, x := range d.x {
		sum -= (theta[0] - x) * (theta[0] - x) * K
		grad[0] -= 2 * (theta[0] - x) * K
	}
	return sum
}
`)
	return Candidate{Name: name, New: "new_" + name, Files: []emit.File{{Name: name + ".go", Data: []byte(text)}}}
}

// broken is quadratic with a text replaced.
func broken(name, old, new string) Candidate {
	c := quadratic(name, 1)
	c.Files[0].Data = []byte(strings.Replace(string(c.Files[0].Data), old, new, 1))
	return c
}

func needGo(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go on PATH")
	}
}

// TestDropsWhatFails: candidates with errors of syntax, types or imports, with clashing names, or with a function body that only the
// linker misses are dropped. The other candidates are built.
func TestDropsWhatFails(t *testing.T) {
	needGo(t)
	t.Setenv(CacheVariable, t.TempDir())
	link := broken("nobody", "func (d *nobodyData) Dim() int { return 1 }", "func (d *nobodyData) Dim() int { return far() }\n\nfunc far() int")
	link.Files = append(link.Files, emit.File{Name: "empty.s", Data: []byte("// no function\n")})
	assembly := quadratic("assembly", 1)
	assembly.Files = append(assembly.Files, emit.File{Name: "bad_amd64.s", Data: []byte("TEXT ·f(SB), 7, $0\n\tFROB AX\n")})
	b := Batch{Candidates: []Candidate{
		quadratic("good", 2),
		broken("syntax", "sum := 0.0", "sum := := 0.0"),
		broken("types", "sum := 0.0", "sum := \"0\""),
		broken("imports", `"errors"`, `"no/such/package"`),
		broken("undefined", "return 1", "return one"),
		broken("clash", "type clashData", "type goodData struct{}\n\ntype clashData"),
		link, assembly,
		{Name: "package", New: "n", Files: []emit.File{{Name: "package.go", Data: []byte("package other\n")}}},
		quadratic("fine", 3),
	}}
	a, err := Harness(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"good", "fine"}, a.Names); diff != "" {
		t.Error(diff, a.Dropped)
	}
	want := map[string]string{
		"syntax": "syntax.go:22", "types": "types.go:25", "imports": "imports.go:3", "undefined": "undefined.go:14",
		"clash": "clash.go:5", "nobody": ":0", "package": "package.go:1", "assembly": "bad_amd64.s:2",
	}
	got := map[string]string{}
	for _, d := range a.Dropped {
		got[d.Name] = fmt.Sprintf("%s:%d", d.File, d.Line)
		if d.Why == "" || strings.Contains(d.Error(), "\n") {
			t.Errorf("dropped without one line of reason: %q", d.Error())
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	again, err := Harness(context.Background(), b)
	if err != nil || !again.Cached || again.Path != a.Path {
		t.Fatalf("the second time: %+v, %v, want the same from the cache", again, err)
	}
	if diff := cmp.Diff(a.Dropped, again.Dropped); diff != "" {
		t.Error("the cached artifact has other dropped candidates:", diff)
	}
}

// TestStandalone: an emitted package comes with tests, a module file and a README, none of which is built.
func TestStandalone(t *testing.T) {
	needGo(t)
	t.Setenv(CacheVariable, t.TempDir())
	c := Candidate{Name: "whole", Package: "lik", New: "NewData", Columns: 1, Choice: true}
	for name, text := range map[string]string{
		"lik.go":      "package lik\n\ntype Data struct{}\n\nfunc NewData(rt, choice []float64) (*Data, error) { return nil, nil }\n",
		"lik_test.go": "package lik_test\n\nimport \"no/such/package\"\n",
		"go.mod":      "module example.org/lik\n",
		"README.md":   "# lik\n",
	} {
		c.Files = append(c.Files, emit.File{Name: name, Data: []byte(text)})
	}
	a, err := Harness(context.Background(), Batch{Candidates: []Candidate{c}})
	if err != nil || len(a.Names) != 1 {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestNothingCompiles(t *testing.T) {
	needGo(t)
	t.Setenv(CacheVariable, t.TempDir())
	var batch *BatchError
	_, err := Harness(context.Background(), Batch{Candidates: []Candidate{broken("a", "sum := 0.0", "sum := x"), broken("b", "return 1", "return")}})
	if !errors.As(err, &batch) || len(batch.Candidates) != 2 || strings.Contains(err.Error(), "\n") {
		t.Errorf("all bad: %v", err)
	}
	_, err = Harness(context.Background(), Batch{
		Shared:     []emit.File{{Name: "shared.go", Data: []byte("package batch\n\nvar x int = \"\"\n")}},
		Candidates: []Candidate{quadratic("a", 1), quadratic("b", 1)},
	})
	if !errors.As(err, &batch) || len(batch.Candidates) != 0 || !strings.Contains(err.Error(), "shared.go:3") {
		t.Errorf("bad shared file: %v", err)
	}
}

// TestConcurrentBuilds: concurrent builders of one batch make one artifact and leave nothing else in the cache.
func TestConcurrentBuilds(t *testing.T) {
	needGo(t)
	cache := t.TempDir()
	t.Setenv(CacheVariable, cache)
	b := Batch{Candidates: []Candidate{quadratic("only", 1)}}
	artifacts := make([]*Artifact, 4)
	var wait sync.WaitGroup
	for i := range artifacts {
		wait.Go(func() {
			var err error
			if artifacts[i], err = Harness(context.Background(), b); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if t.Failed() {
		return
	}
	built := 0
	for _, a := range artifacts {
		if !a.Cached {
			built++
		}
		if a.Path != artifacts[0].Path {
			t.Errorf("paths %s and %s", a.Path, artifacts[0].Path)
		}
	}
	if built != 1 {
		t.Errorf("built %d times", built)
	}
	left, err := filepath.Glob(filepath.Join(cache, "*"))
	if err != nil || len(left) != 1 { // the entry, and no lock any more
		t.Errorf("the cache holds %v (%v)", left, err)
	}
	if err := os.WriteFile(artifacts[0].Path, []byte("damage"), 0o755); err != nil {
		t.Fatal(err)
	}
	if again, err := Harness(context.Background(), b); err != nil || again.Cached {
		t.Errorf("a damaged entry: %+v, %v, want it built anew", again, err)
	}
}

func TestToolchainErrors(t *testing.T) {
	b := Batch{Candidates: []Candidate{quadratic("only", 1)}}
	t.Run("no go", func(t *testing.T) {
		t.Setenv(CacheVariable, t.TempDir())
		t.Setenv("PATH", t.TempDir())
		var missing *ToolchainError
		if _, err := Harness(context.Background(), b); !errors.As(err, &missing) || missing.Tool != "go" {
			t.Errorf("harness: %v", err)
		}
		if _, err := CompileC(context.Background(), nil, COptions{Kind: ObjectKind}); !errors.As(err, &missing) {
			t.Errorf("C: %v", err)
		}
	})
	t.Run("other go", func(t *testing.T) {
		dir := t.TempDir()
		t.Setenv(CacheVariable, t.TempDir())
		t.Setenv("PATH", dir)
		if err := os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\necho go1.2.3\necho gcc\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		var version *VersionError
		if _, err := Plugin(context.Background(), b); pluginsWork() == nil && (!errors.As(err, &version) || version.Toolchain != "go1.2.3") {
			t.Errorf("plugin: %v", err)
		}
	})
	t.Run("no compiler for cgo", func(t *testing.T) {
		needGo(t)
		t.Setenv(CacheVariable, t.TempDir())
		t.Setenv("CC", "no-such-compiler")
		var missing *ToolchainError
		if _, err := Plugin(context.Background(), b); pluginsWork() == nil && (!errors.As(err, &missing) || missing.Tool != "no-such-compiler") {
			t.Errorf("plugin: %v", err)
		}
		if _, err := Harness(context.Background(), b); err != nil {
			t.Errorf("a harness needs no C compiler: %v", err)
		}
	})
	t.Run("cache that cannot be", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Setenv(CacheVariable, file)
		if _, err := Harness(context.Background(), b); err == nil || !strings.Contains(err.Error(), "set LIKC_CACHE") {
			t.Errorf("got %v", err)
		}
	})
}

// TestPlantedEntry: a cache entry that belongs to another user is refused even if its checksum is right, because this process would run
// that user's code. The entry is not replaced.
func TestPlantedEntry(t *testing.T) {
	if _, err := findC(); err != nil {
		t.Skip("needs a C compiler: ", err)
	}
	cache := t.TempDir()
	t.Setenv(CacheVariable, cache)
	files := []emit.File{{Name: "one.c", Data: []byte("int main(void) { return 0; }\n")}}
	compile := func() (*Artifact, error) { return CompileC(context.Background(), files, COptions{Kind: ProgramKind}) }
	a, err := compile()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(a.Path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if again, err := compile(); err != nil || !again.Cached {
		t.Fatalf("%+v, %v", again, err)
	}
	if err := os.Chown(a.Path, 3999999999, -1); err != nil {
		t.Skip("only root gives files to others: ", err)
	}
	if _, err := compile(); !errors.Is(err, store.ErrUntrusted) || !strings.Contains(err.Error(), a.Path+": belongs to user 3999999999") {
		t.Errorf("got %v", err)
	}
}

// TestCancelled stops a build that would take long: a go command that sleeps, with a child.
func TestCancelled(t *testing.T) {
	if _, err := exec.LookPath("ps"); err != nil || runtime.GOOS == "windows" {
		t.Skip("needs a shell and ps")
	}
	cache, dir := t.TempDir(), t.TempDir()
	t.Setenv(CacheVariable, cache)
	script := "#!/bin/sh\nsleep 1000 & echo $! > " + filepath.Join(dir, "child") + "\nwait\n"
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if _, err := Harness(ctx, Batch{Candidates: []Candidate{quadratic("only", 1)}}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	left, err := filepath.Glob(filepath.Join(cache, "*"))
	if err != nil || len(left) != 0 {
		t.Errorf("the cache holds %v (%v), want nothing", left, err)
	}
	child, err := os.ReadFile(filepath.Join(dir, "child"))
	if err != nil {
		t.Fatal(err)
	}
	for range 500 { // waits for the kill: children of a shell ignore interrupts
		state, err := exec.Command("ps", "-o", "stat=", "-p", strings.TrimSpace(string(child))).Output()
		if err != nil || strings.HasPrefix(string(state), "Z") { // gone, or dead and not yet reaped
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("a child of the command lives on")
}

func TestBatchCheck(t *testing.T) {
	file := func(name string) []emit.File { return []emit.File{{Name: name}} }
	for want, b := range map[string]Batch{
		`batch: no candidate`:                                           {},
		`batch: candidate name "a": want a name of its own`:             {Candidates: []Candidate{quadratic("a", 1), quadratic("a", 1)}},
		`batch: candidate "a": constructor "1;x" is not a Go name`:      {Candidates: []Candidate{{Name: "a", New: "1;x"}}},
		`batch: candidate "a": package "main": want another Go name`:    {Candidates: []Candidate{{Name: "a", New: "n", Package: "main"}}},
		`batch: candidate "a": file name "../x.go": want a plain name`:  {Candidates: []Candidate{{Name: "a", New: "n", Files: file("../x.go")}}},
		`batch: candidate "a": two files are named batch/candidates.go`: {Candidates: []Candidate{{Name: "a", New: "n", Files: file("candidates.go")}}},
		`batch: candidate "b": two files are named batch/x.go`:          {Candidates: []Candidate{{Name: "a", New: "n", Files: file("x.go")}, {Name: "b", New: "m", Files: file("x.go")}}},
		`batch: shared: file name "": want a plain name`:                {Shared: file(""), Candidates: []Candidate{{Name: "a", New: "n"}}},
	} {
		if _, err := Harness(context.Background(), b); err == nil || err.Error() != want {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}

// TestHash: the entry's name depends on every input, and on nothing else.
func TestHash(t *testing.T) {
	key := func(kind Kind, h host, cs ...Candidate) string {
		return (&job{kind: kind, host: h, batch: Batch{Candidates: cs}, alive: cs}).key()
	}
	plain := host{version: "go1.26"}
	seen := map[string]string{}
	for name, k := range map[string]string{
		"plain":     key(PluginKind, plain, quadratic("a", 1)),
		"harness":   key(HarnessKind, plain, quadratic("a", 1)),
		"version":   key(PluginKind, host{version: "go1.27"}, quadratic("a", 1)),
		"race":      key(PluginKind, host{version: "go1.26", flags: []string{"-race"}}, quadratic("a", 1)),
		"GOAMD64":   key(PluginKind, host{version: "go1.26", env: []string{"GOAMD64=v3"}}, quadratic("a", 1)),
		"text":      key(PluginKind, plain, quadratic("a", 2)),
		"candidate": key(PluginKind, plain, quadratic("a", 1), quadratic("b", 1)),
	} {
		if other, twice := seen[k]; twice {
			t.Errorf("%s and %s have one hash", name, other)
		}
		seen[k] = name
	}
	if key(PluginKind, plain, quadratic("a", 1)) != key(PluginKind, plain, quadratic("a", 1)) {
		t.Error("the same inputs have two hashes")
	}
}

func TestCompileC(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no gcc on PATH")
	}
	t.Setenv("CC", "")
	t.Setenv(CacheVariable, t.TempDir())
	files := []emit.File{
		{Name: "k.h", Data: []byte("double k(double x);\n")},
		{Name: "k.c", Data: []byte("#include <math.h>\n#include \"k.h\"\ndouble k(double x) { return exp(x); }\n")},
		{Name: "main.c", Data: []byte("#include <stdio.h>\n#include \"k.h\"\nint main(void) { printf(\"%.3f\", k(1)); return 0; }\n")},
	}
	program, err := CompileC(context.Background(), files, COptions{Kind: ProgramKind, Native: true})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(program.Path).Output(); err != nil || string(out) != "2.718" {
		t.Errorf("the program says %q, %v", out, err)
	}
	object, err := CompileC(context.Background(), files[:2], COptions{Kind: ObjectKind, Fast: true})
	if err != nil || filepath.Ext(object.Path) != ".so" {
		t.Errorf("object %+v, %v", object, err)
	}
	files[1].Data = []byte("double k(double x) {\n  return y;\n}\n")
	var bad *SourceError
	if _, err = CompileC(context.Background(), files, COptions{Kind: ProgramKind}); !errors.As(err, &bad) || bad.File != "k.c" || bad.Line != 2 {
		t.Errorf("bad source: %v", err)
	}
	if _, err = CompileC(context.Background(), files[:1], COptions{Kind: ProgramKind}); !errors.As(err, &bad) {
		t.Errorf("no source: %v", err)
	}
}
