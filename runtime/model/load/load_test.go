package load

import (
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"likc/runtime/model/kernel"
	"likc/templates/harness/serve"
)

// asHarness is the environment variable that makes this test binary a harness to load: "serve", or something that is not.
const asHarness = "LIKC_LOAD_TEST_HARNESS"

func TestMain(m *testing.M) {
	switch os.Getenv(asHarness) {
	case "":
		os.Exit(m.Run())
	case "serve":
		serve.Serve(os.Stdin, os.Stdout, batch)
	case "talk":
		os.Stdout.WriteString("Usage: something else entirely\n")
		io.Copy(io.Discard, os.Stdin)
	case "fall":
		os.Stderr.WriteString("panic: fallen\n\ngoroutine 1\n")
		os.Exit(2)
	}
}

// gauss is Σ -(x-θ₀)²·choice/2 + θ₁·x. At θ₁ = 13 its process dies, at 14 it never answers, at 15 it panics.
type gauss struct{ x, choice []float64 }

func (g gauss) Dim() int { return 2 }

func (g gauss) LogLik(theta []float64) float64 {
	var grad [2]float64
	return g.LogLikGrad(theta, grad[:])
}

func (g gauss) LogLikGrad(theta, grad []float64) float64 {
	switch theta[1] {
	case 13:
		self, _ := os.FindProcess(os.Getpid())
		self.Kill()
		select {}
	case 14:
		select {}
	case 15:
		panic("fifteen")
	}
	clear(grad)
	if theta[0] < -100 {
		return math.Inf(-1)
	}
	sum := 0.0
	for i, x := range g.x {
		d := x - theta[0]
		sum += -d*d*g.choice[i]/2 + theta[1]*x
		grad[0] += d * g.choice[i]
		grad[1] += x
	}
	return sum
}

var batch = map[string]Candidate{
	"gauss": func(columns [][]float64, choice []float64) (any, error) {
		if len(columns) != 1 || choice == nil {
			return nil, errors.New("want one column and a choice")
		}
		return gauss{slices.Clone(columns[0]), slices.Clone(choice)}, nil
	},
	"panics": func([][]float64, []float64) (any, error) { panic("no") },
	"number": func([][]float64, []float64) (any, error) { return 7, nil },
}

var (
	x      = []float64{0.3, -1.2, 2.5}
	choice = []float64{1, -1, 1}
	points = [][]float64{{0.2, 1}, {-3, 0.5}, {-200, 0}, {1e3, -2}}
)

func start(t *testing.T, as string) (Set, error) {
	t.Helper()
	t.Setenv(asHarness, as)
	path, err := os.Executable()
	if err != nil {
		t.Skip("cannot run itself: ", err)
	}
	return StartHarness(path)
}

func mustStart(t *testing.T) Set {
	t.Helper()
	s, err := start(t, "serve")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func mustBind(t *testing.T, s Set) kernel.Sum {
	t.Helper()
	lik, err := s.Bind("gauss", [][]float64{x}, choice)
	if err != nil {
		t.Fatal(err)
	}
	return lik
}

// TestSets: a linked set and a harness give the same bits and the same errors.
func TestSets(t *testing.T) {
	for name, s := range map[string]Set{"linked": Linked(batch), "harness": mustStart(t)} {
		if got := s.Names(); !slices.Equal(got, []string{"gauss", "number", "panics"}) {
			t.Errorf("%s: names %v", name, got)
		}
		lik := mustBind(t, s)
		kernel.Check(t, lik, points, 0)
		want, got := make([]float64, 2), make([]float64, 2)
		for _, theta := range points {
			a, b := gauss{x, choice}.LogLikGrad(theta, want), lik.LogLikGrad(theta, got)
			if a != b || !slices.Equal(want, got) {
				t.Errorf("%s: at %v: %v %v, want %v %v", name, theta, b, got, a, want)
			}
		}
		checkBindErrors(t, name, s)
		if s.Err() != nil {
			t.Errorf("%s: %v", name, s.Err())
		}
	}
}

func checkBindErrors(t *testing.T, set string, s Set) {
	t.Helper()
	for _, test := range []struct {
		name    string
		columns [][]float64
		choice  []float64
		want    string
	}{
		{"absent", [][]float64{x}, choice, "absent"},
		{"gauss", [][]float64{x}, choice[:2], "bind gauss: columns of 3 and 2 trials"},
		{"gauss", [][]float64{{}}, []float64{}, "bind gauss: no trial"},
		{"gauss", nil, nil, "bind gauss: no trial"},
		{"gauss", [][]float64{x}, nil, "bind gauss: want one column and a choice"},
		{"panics", [][]float64{x}, choice, "panics: no"},
		{"number", [][]float64{x}, choice, "gives int, which is not a likelihood"},
	} {
		if _, err := s.Bind(test.name, test.columns, test.choice); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: bind %s: %v, want %q", set, test.name, err, test.want)
		}
	}
}

// within fails the test where a call takes far longer than it may.
func within(t *testing.T, what string, call func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		call()
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		buffer := make([]byte, 1<<16)
		t.Fatalf("%s hangs\n%s", what, buffer[:runtime.Stack(buffer, true)])
	}
}

// TestKilledHarness: whoever waits gets NaN, and the reason, and so does whoever asks later.
func TestKilledHarness(t *testing.T) {
	s := mustStart(t)
	lik := mustBind(t, s)
	within(t, "a killed harness", func() {
		var wait sync.WaitGroup
		for range 3 {
			wait.Go(func() { // these wait for answers that never come
				if v := lik.LogLik([]float64{0, 14}); !math.IsNaN(v) {
					t.Errorf("an abandoned call gives %v, want NaN", v)
				}
			})
		}
		grad := []float64{5, 5}
		if v := lik.LogLikGrad([]float64{0, 13}, grad); !math.IsNaN(v) || grad[0] != 0 || grad[1] != 0 {
			t.Errorf("the fatal call gives %v %v, want NaN and zeros", v, grad)
		}
		wait.Wait()
		if v := lik.LogLik(points[0]); !math.IsNaN(v) {
			t.Errorf("a later call gives %v, want NaN", v)
		}
	})
	const want = "harness: ended: signal: killed"
	if err := s.Err(); runtime.GOOS != "windows" && (err == nil || err.Error() != want) {
		t.Errorf("the set's Err is %v, want %s", err, want)
	}
	if err := lik.(*remote).Err(); err == nil {
		t.Error("the likelihood's Err is nil")
	}
	if _, err := s.Bind("gauss", [][]float64{x}, choice); err == nil {
		t.Error("a dead harness binds")
	}
}

// TestPanickingCandidate: a panic harms nobody but the call.
func TestPanickingCandidate(t *testing.T) {
	s := mustStart(t)
	lik, other := mustBind(t, s), mustBind(t, s)
	if v := lik.LogLik([]float64{0, 15}); !math.IsNaN(v) {
		t.Errorf("got %v, want NaN", v)
	}
	if err := lik.(*remote).Err(); err == nil || err.Error() != "the candidate panics: fifteen" {
		t.Errorf("Err is %v", err)
	}
	if v := other.LogLik(points[0]); math.IsNaN(v) || other.(*remote).Err() != nil || s.Err() != nil {
		t.Errorf("another likelihood gives %v, %v", v, s.Err())
	}
}

func TestClose(t *testing.T) {
	s := mustStart(t)
	lik := mustBind(t, s)
	within(t, "Close", func() {
		waiting := make(chan float64)
		go func() { waiting <- lik.LogLik([]float64{0, 14}) }()
		time.Sleep(50 * time.Millisecond)
		s.Close()
		s.Close()
		if v := <-waiting; !math.IsNaN(v) {
			t.Errorf("a call during Close gives %v, want NaN", v)
		}
	})
	if v := lik.LogLik(points[0]); !math.IsNaN(v) || !errors.Is(s.Err(), errClosed) {
		t.Errorf("after Close: %v, %v", v, s.Err())
	}
}

func TestFreeBound(t *testing.T) {
	s := mustStart(t)
	lik := mustBind(t, s)
	if err := lik.(io.Closer).Close(); err != nil {
		t.Fatal(err)
	}
	if v := lik.LogLik(points[0]); !math.IsNaN(v) {
		t.Errorf("forgotten data give %v, want NaN", v)
	}
}

func TestWrongTheta(t *testing.T) {
	lik := mustBind(t, mustStart(t))
	if v := lik.LogLik([]float64{1}); !math.IsNaN(v) || lik.(*remote).Err() == nil {
		t.Errorf("one value for two parameters gives %v, %v", v, lik.(*remote).Err())
	}
}

func TestNotAHarness(t *testing.T) {
	for as, want := range map[string]string{"talk": "not a harness that likc made", "fall": "not a harness that likc made"} {
		within(t, as, func() {
			if _, err := start(t, as); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", as, err, want)
			}
		})
	}
	if _, err := StartHarness(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("nothing to run"), 0o755); err != nil {
		t.Fatal(err)
	}
	var path *os.PathError
	if _, err := StartHarness(text); !errors.As(err, &path) && !errors.As(err, new(*exec.Error)) {
		t.Errorf("a text: %v", err)
	}
}

func TestRegistry(t *testing.T) {
	t.Cleanup(func() { delete(registry.candidates, "test-gauss") })
	Register("test-gauss", func(columns [][]float64, choice []float64) (kernel.Sum, error) {
		return gauss{columns[0], choice}, nil
	})
	s := Registered()
	if !slices.Contains(s.Names(), "test-gauss") {
		t.Errorf("names %v", s.Names())
	}
	lik, err := s.Bind("test-gauss", [][]float64{x}, choice)
	if err != nil || lik.LogLik(points[0]) != (gauss{x, choice}).LogLik(points[0]) {
		t.Errorf("bind: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("two packages of one name")
		}
	}()
	Register("test-gauss", nil)
}

func BenchmarkHarness(b *testing.B) {
	b.Setenv(asHarness, "serve")
	path, err := os.Executable()
	if err != nil {
		b.Skip(err)
	}
	s, err := StartHarness(path)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	lik, err := s.Bind("gauss", [][]float64{x}, choice)
	if err != nil {
		b.Fatal(err)
	}
	grad := make([]float64, 2)
	b.ReportAllocs()
	for b.Loop() {
		lik.LogLikGrad(points[0], grad)
	}
}
