package likc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"likc/runtime/sys/version"
)

// shifted is a model with an exponential response time after a shift, and two equally probable choices.
const shifted = `model shifted {
  trial rt positive
  choice side
  param rate in [0.1, 20]
  param t in [0, 2]
  support t < rt
  lower { rate = rate }
  loglik = log(rate) - rate*(rt - t) - log(2)
}`

func parse(t *testing.T, text string) *Model {
	t.Helper()
	m, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestBindRefuses: an error in the data names the column and the row.
func TestBindRefuses(t *testing.T) {
	m := parse(t, shifted)
	for want, columns := range map[string]map[string][]float64{
		"likc: shifted: no column side; want rt, side":                {"rt": {1}},
		`likc: shifted: column "RT" is not one of rt, side`:           {"RT": {1}, "side": {1}},
		"likc: shifted: column rt has no rows":                        {"rt": {}, "side": {1}},
		"likc: shifted: column side has 1 rows: column rt has 2":      {"rt": {1, 2}, "side": {1}},
		"likc: shifted: column rt, row 2: NaN is not a finite number": {"rt": {1, math.NaN()}, "side": {1, 1}},
		"likc: shifted: column rt, row 2: -1 is not above 0":          {"rt": {1, -1}, "side": {1, 1}},
		"likc: shifted: column side, row 3: 0 is neither +1 nor -1":   {"rt": {1, 1, 1}, "side": {1, -1, 0}},
	} {
		if _, err := m.Bind(columns); err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

func TestOpenAndParseRefuse(t *testing.T) {
	if _, err := Open("nothing"); err == nil || !strings.HasPrefix(err.Error(), "likc: nothing: no such model") {
		t.Error(err)
	}
	if m, err := Open("lca4"); m != nil || err == nil || !strings.HasPrefix(err.Error(), "likc: lca4") || !strings.Contains(err.Error(), "train one") {
		t.Errorf("%v, %v", m, err)
	}
	if _, err := Parse("model m {\n  trial rt\n  parameter v\n}"); err == nil || !strings.HasPrefix(err.Error(), "likc: model:3:") {
		t.Error(err)
	}
	if _, err := Parse(shifted + "\n" + strings.Replace(shifted, "shifted", "other", 1)); err == nil || !strings.Contains(err.Error(), "holds 2 models") {
		t.Error(err)
	}
}

// TestFitAgainstGamma compares draws of the rate of an exponential distribution, with an exponential prior, with its exact posterior, a gamma
// distribution.
func TestFitAgainstGamma(t *testing.T) {
	m := parse(t, `model exponential { trial x param rate in [0, 1000] loglik = log(rate) - rate*x }`)
	x := []float64{0.5, 0.25, 1, 0.75, 0.5, 1.5, 0.1, 0.4, 0.6, 0.4} // sum 6
	data, err := m.Bind(map[string][]float64{"x": x})
	if err != nil {
		t.Fatal(err)
	}
	x[0] = 100 // the data are a copy
	grad := []float64{0}
	if v := data.LogLikGrad([]float64{2}, grad); !(math.Abs(v-(10*math.Log(2)-12)) <= 1e-12) || !(math.Abs(grad[0]+1) <= 1e-12) || data.LogLik([]float64{2}) != v {
		t.Errorf("log-likelihood %v, gradient %v", v, grad)
	}
	fit, err := data.Fit(context.Background(), Settings{Seed: 3, Draws: 4000, Priors: map[string]string{"rate": "exponential(2)"}})
	if err != nil {
		t.Fatal(err)
	}
	const shape, rate = 11.0, 6 + 2.0
	p := fit.Summary()[0]
	sd := math.Sqrt(shape) / rate
	near := 5 * sd / math.Sqrt(p.ESSBulk) // five Monte Carlo errors of the mean
	if !(math.Abs(p.Mean-shape/rate) <= near) || !(math.Abs(p.SD-sd) <= near) || !(p.Q5 < p.Median && p.Median < p.Q95) || p.Name != "rate" {
		t.Errorf("%+v, want mean %v, sd %v", p, shape/rate, sd)
	}
	if draws := fit.Draws("rate"); len(draws) != 4 || len(draws[3]) != 4000 || fit.Draws("speed") != nil {
		t.Errorf("%d chains", len(draws))
	}
	if problems := fit.Problems(); len(problems) > 0 {
		t.Errorf("%q", problems)
	}
}

func TestFitRefuses(t *testing.T) {
	data, err := parse(t, shifted).Bind(map[string][]float64{"rt": {1, 2}, "side": {1, -1}})
	if err != nil {
		t.Fatal(err)
	}
	for want, s := range map[string]Settings{
		"likc: prior speed: no such parameter": {Priors: map[string]string{"speed": "uniform"}},
		"likc: prior rate: prior \"flat\"":     {Priors: map[string]string{"rate": "flat"}},
		"likc: Settings.Chains is -1: want":    {Chains: -1},
		"likc: Settings.Draws is -2: want":     {Draws: -2},
		"likc: Settings.Threads is -1: want":   {Threads: -1},
	} {
		if f, err := data.Fit(t.Context(), s); f != nil || err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if f, err := data.Fit(ctx, Settings{}); f != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", f, err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a theta of the wrong length is accepted")
		}
	}()
	data.LogLik([]float64{1})
}

// TestFromAnotherModule runs the examples in a module of its own, which takes this one by replace, without a network.
func TestFromAnotherModule(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := version.Module()
	files := map[string][]byte{"go.sum": read(t, "go.sum"), "example_test.go": read(t, "example_test.go")}
	// The module's go.mod has all requirements of this module, as go mod tidy would write them. With fewer, Go asks for modules that no build needs.
	files["go.mod"] = bytes.Replace(read(t, "go.mod"), []byte("module "+path), fmt.Appendf(nil, "module example.org/reader\n\nrequire %s v0.0.0\n\nreplace %s => %s", path, path, here), 1)
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", "-vet=off", "-v", "-run", "Example", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "--- PASS") != bytes.Count(files["example_test.go"], []byte("\nfunc Example")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// collecting is a likelihood that runs the garbage collector during its evaluation.
type collecting struct{ released *atomic.Bool }

func (c collecting) Dim() int { return 0 }
func (c collecting) LogLik([]float64) float64 {
	for range 20 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if c.released.Load() {
		return math.NaN()
	}
	return 1
}
func (c collecting) LogLikGrad(theta, _ []float64) float64 { return c.LogLik(theta) }

// TestModelOutlivesEvaluation: the code that was loaded for a model is not released before the last evaluation has ended.
func TestModelOutlivesEvaluation(t *testing.T) {
	bound := func() *Data {
		m, released := &Model{}, new(atomic.Bool)
		runtime.AddCleanup(m, func(*atomic.Bool) { released.Store(true) }, released)
		return &Data{model: m, lik: collecting{released}}
	}
	if x := bound().LogLik(nil); x != 1 {
		t.Error("LogLik: the model was released")
	}
	if x := bound().LogLikGrad(nil, nil); x != 1 {
		t.Error("LogLikGrad: the model was released")
	}
}
