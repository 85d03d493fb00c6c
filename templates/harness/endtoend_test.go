package harness_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"likc/compiler/build"
	"likc/compiler/emit"
	"likc/runtime/model/kernel"
	"likc/runtime/model/load"
	"likc/runtime/model/plugins"
)

// wald returns a candidate: K·Σ [log(a/τ^{3/2}) - (a-vcτ)²/(2τ)] with τ = rt-t over v, a, t, in its own package if it has a name.
func wald(name string, k int, pkg string) build.Candidate {
	header, newName := "package batch", "new"+name
	signature, unpack := "columns [][]float64, choice []float64", "rt := columns[0]"
	if pkg != "" {
		header, newName = "package "+pkg, "NewData"
		signature, unpack = "rt, choice []float64", ""
	}
	text := strings.NewReplacer("HEADER", header, "NEW", newName, "NAME", name, "SIGNATURE", signature, "UNPACK", unpack, "K", fmt.Sprint(k)).
		Replace(`HEADER

import (
	"errors"
	"math"
)

type dataNAME struct{ rt, choice []float64 }

func NEW(SIGNATURE) (*dataNAME, error) {
	UNPACK
	if len(choice) != len(rt) {
		return nil, errors.New("want a choice a trial")
	}
	return &dataNAME{append([]float64(nil), rt...), append([]float64(nil), choice...)}, nil
}

func (d *dataNAME) Dim() int { return 3 }

func (d *dataNAME) LogLik(theta []float64) float64 {
	var grad [3]float64
	return d.LogLikGrad(theta, grad[:])
}

func (d *dataNAME) LogLikGrad(theta, grad []float64) float64 {
	a, t := theta[1], theta[2]
	clear(grad)
	sum := 0.0
	for i, rt := range d.rt {
		v, tau := theta[0]*d.choice[i], rt-t
		if tau <= 0 {
			clear(grad)
			return math.Inf(-1)
		}
		r := a - v*tau
		sum += K * (math.Log(a) - 1.5*math.Log(tau) - r*r/(2*tau))
		grad[0] += K * r * d.choice[i]
		grad[1] += K * (1/a - r/tau)
		grad[2] += K * (1.5/tau - v*r/tau - r*r/(2*tau*tau))
	}
	return sum
}
`)
	return build.Candidate{Name: name, New: newName, Package: pkg, Columns: 1, Choice: true,
		Files: []emit.File{{Name: "lik" + name + ".go", Data: []byte(text)}}}
}

// value returns the log-likelihood of wald, computed in this file.
func value(rt, choice, theta []float64, k int) float64 {
	sum := 0.0
	for i := range rt {
		tau := rt[i] - theta[2]
		if tau <= 0 {
			return math.Inf(-1)
		}
		sum += float64(k) * (math.Log(theta[1]) - 1.5*math.Log(tau) - math.Pow(theta[1]-theta[0]*choice[i]*tau, 2)/(2*tau))
	}
	return sum
}

var (
	rt     = []float64{0.4, 0.9, 1.7, 0.61}
	choice = []float64{1, -1, 1, 1}
	points = [][]float64{{1, 1.5, 0.2}, {-2, 0.7, 0}, {0.5, 2, 0.5}}
)

func needGo(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go on PATH")
	}
}

// needPlugin builds a plugin, or skips the test if plugins cannot be built on this machine.
func needPlugin(t testing.TB, b build.Batch) *build.Artifact {
	t.Helper()
	needGo(t)
	a, err := build.Plugin(context.Background(), b)
	var platform *build.PlatformError
	var tool *build.ToolchainError
	if errors.As(err, &platform) || errors.As(err, &tool) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// checkSet binds every candidate of a set and compares it with the formula by hand.
func checkSet(t *testing.T, s load.Set, factors map[string]int) {
	t.Helper()
	if len(s.Names()) != len(factors) {
		t.Errorf("names %v, want %v", s.Names(), factors)
	}
	for name, k := range factors {
		lik, err := s.Bind(name, [][]float64{rt}, choice)
		if err != nil {
			t.Fatal(err)
		}
		kernel.Check(t, lik, points, 0)
		for _, theta := range points {
			want := value(rt, choice, theta, k)
			if got := lik.LogLik(theta); got != want && !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
				t.Errorf("%s at %v: %v, want %v", name, theta, got, want)
			}
		}
		if _, err := s.Bind(name, [][]float64{rt, rt}, choice[:3]); err == nil {
			t.Errorf("%s binds columns of two lengths", name)
		}
	}
}

// TestBothWays builds one batch as a harness and as a plugin. One of its candidates has a package to itself.
func TestBothWays(t *testing.T) {
	needGo(t)
	t.Setenv(build.CacheVariable, t.TempDir())
	b := build.Batch{Candidates: []build.Candidate{wald("One", 1, ""), wald("Two", 2, ""), wald("Own", 3, "own")}}
	factors := map[string]int{"One": 1, "Two": 2, "Own": 3}
	a, err := build.Harness(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	served, err := load.StartHarness(a.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer served.Close()
	checkSet(t, served, factors)

	plugin, err := plugins.Open(needPlugin(t, b).Path)
	if err != nil {
		t.Fatal(err)
	}
	checkSet(t, plugin, factors)
}

// TestManyPlugins: one process can open two plugins whose candidates have the same names, and can open the same file twice, but not a copy of
// the file.
func TestManyPlugins(t *testing.T) {
	t.Setenv(build.CacheVariable, t.TempDir())
	var first *build.Artifact
	for k := 4; k <= 5; k++ {
		a := needPlugin(t, build.Batch{Candidates: []build.Candidate{wald("Same", k, "")}})
		for range 2 {
			s, err := plugins.Open(a.Path)
			if err != nil {
				t.Fatal(err)
			}
			checkSet(t, s, map[string]int{"Same": k})
		}
		if first == nil {
			first = a
		}
	}
	data, err := os.ReadFile(first.Path)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "copy.so")
	if err := os.WriteFile(elsewhere, data, 0o755); err != nil {
		t.Fatal(err)
	}
	var bad *plugins.Error
	if _, err := plugins.Open(elsewhere); !errors.As(err, &bad) || !strings.Contains(err.Error(), "loaded from another file") {
		t.Errorf("a copy: %v", err)
	}
}

// TestBadPlugins: a damaged plugin, a truncated plugin without a checksum file, and a plugin built with other flags are refused.
func TestBadPlugins(t *testing.T) {
	t.Setenv(build.CacheVariable, t.TempDir())
	a := needPlugin(t, build.Batch{Candidates: []build.Candidate{wald("Bad", 6, "")}})
	whole, err := os.ReadFile(a.Path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(whole)
	copy(damaged[len(damaged)/2:], "damage damage damage")
	if err := os.WriteFile(a.Path, damaged, 0o755); err != nil {
		t.Fatal(err)
	}
	refused(t, a.Path, "its SHA-256 differs")
	short := filepath.Join(t.TempDir(), "short.so")
	if err := os.WriteFile(short, whole[:len(whole)*3/4], 0o755); err != nil {
		t.Fatal(err)
	}
	refused(t, short, "build it again")
	foreign := otherFlags(t)
	refused(t, foreign, "other flags")
}

func refused(t *testing.T, path, why string) {
	t.Helper()
	var bad *plugins.Error
	if _, err := plugins.Open(path); !errors.As(err, &bad) || !strings.Contains(err.Error(), why) {
		t.Errorf("%v, want %q", err, why)
	}
}

// otherFlags builds a plugin that differs from this program in -trimpath.
func otherFlags(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module likcother\n\ngo 1.24\n",
		"main.go": "package main\n\nimport \"errors\"\n\nfunc Candidates() error { return errors.New(\"\") }\n\nfunc main() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "other.so")
	command := exec.Command("go", "build", "-buildmode=plugin", "-tags=likcother", "-gcflags=all=-l", "-o", path, ".")
	command.Dir = dir
	command.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false", "CGO_ENABLED=1")
	if said, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return path
}

// TestFallback does what callers do: it opens the plugin if one can be built, and otherwise starts the harness.
func TestFallback(t *testing.T) {
	needGo(t)
	t.Setenv(build.CacheVariable, t.TempDir())
	t.Setenv("CC", "no-such-compiler")
	b := build.Batch{Candidates: []build.Candidate{wald("Fall", 7, "")}}
	if _, err := build.Plugin(context.Background(), b); err == nil {
		t.Skip("a plugin without a C compiler")
	}
	a, err := build.Harness(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	s, err := load.StartHarness(a.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	checkSet(t, s, map[string]int{"Fall": 7})
}

// BenchmarkBuild builds batches that were never built before, with everything they need compiled.
func BenchmarkBuild(b *testing.B) {
	needGo(b)
	b.Setenv(build.CacheVariable, b.TempDir())
	kinds := []struct {
		name string
		make func(context.Context, build.Batch) (*build.Artifact, error)
	}{{"plugin", build.Plugin}, {"harness", build.Harness}}
	fresh := os.Getpid() * 1000 // so that Go's own cache has not seen the batch
	for _, n := range []int{1, 100, 500} {
		for _, own := range []bool{false, true} {
			for _, kind := range kinds {
				if own && n == 1 {
					continue
				}
				b.Run(fmt.Sprintf("%s/kernels=%d/own=%v", kind.name, n, own), func(b *testing.B) {
					for b.Loop() {
						var batch build.Batch
						for i := range n {
							fresh++
							pkg := ""
							if own {
								pkg = fmt.Sprint("c", i)
							}
							batch.Candidates = append(batch.Candidates, wald(fmt.Sprint("C", i), fresh, pkg))
						}
						if _, err := kind.make(context.Background(), batch); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
