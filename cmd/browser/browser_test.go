package main

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"likc"
)

// call calls a function and decodes its result.
func call(t *testing.T, name string, r Request, into any) {
	t.Helper()
	arguments, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	value, err := Call(name, arguments, func([]byte) {})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// simulated returns a request with trials of a model at its example.
func simulated(t *testing.T, model string, trials int) Request {
	t.Helper()
	r := Request{Model: model, Trials: trials, Seed: 3}
	for _, m := range models() {
		if m.Name == model {
			r.Theta = m.Example
		}
	}
	var drawn struct{ RT, Choice []float64 }
	call(t, "simulate", r, &drawn)
	r.RT, r.Choice = drawn.RT, drawn.Choice
	return r
}

// TestSameAsTheLibrary: each model has the likelihood of the library, and a fit draws from the same posterior.
func TestSameAsTheLibrary(t *testing.T) {
	for _, described := range models() {
		r := simulated(t, described.Name, 200)
		m, err := likc.Open(described.Name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := m.Bind(map[string][]float64{"rt": r.RT, "choice": r.Choice})
		if err != nil {
			t.Fatal(err)
		}
		grad := make([]float64, len(r.Theta))
		want := data.LogLikGrad(r.Theta, grad)
		var got struct {
			Value    float64
			Gradient []float64
		}
		call(t, "logLik", r, &got)
		if !(math.Abs(got.Value-want) <= 1e-12*200) {
			t.Errorf("%s: log-likelihood %v, the library has %v", r.Model, got.Value, want)
		}
		for i, g := range grad {
			if !(math.Abs(got.Gradient[i]-g) <= 1e-11*(200+math.Abs(g))) {
				t.Errorf("%s: derivative %d: %v, the library has %v", r.Model, i, got.Gradient[i], g)
			}
		}
	}

	r := simulated(t, "ddm", 200)
	r.Chains, r.Warmup, r.Draws, r.Times = 2, 300, 1000, []float64{0.5, 1}
	var f fitted
	call(t, "fit", r, &f)
	m, err := likc.Open("ddm")
	if err != nil {
		t.Fatal(err)
	}
	data, err := m.Bind(map[string][]float64{"rt": r.RT, "choice": r.Choice})
	if err != nil {
		t.Fatal(err)
	}
	other, err := data.Fit(t.Context(), likc.Settings{Seed: 8, Chains: 2, Warmup: 300, Draws: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range other.Summary() {
		e := f.Estimates[i]
		mcse := p.SD * math.Sqrt(1/p.ESSBulk+1/float64(e.ESSBulk))
		if !(math.Abs(float64(e.Mean)-p.Mean) <= 4*mcse) || !(math.Abs(float64(e.SD)/p.SD-1) < 0.2) { // 0.2 is 4 standard errors of the quotient for 400 effective draws
			t.Errorf("%s: %v ± %v, the library finds %v ± %v", e.Name, e.Mean, e.SD, p.Mean, p.SD)
		}
	}
	if len(f.Draws) != 4 || len(f.Draws[0]) != 2 || len(f.Draws[0][0]) != 1000 || len(f.Problems) > 0 {
		t.Errorf("%d parameters of %d chains of %d draws, problems %q", len(f.Draws), len(f.Draws[0]), len(f.Draws[0][0]), f.Problems)
	}
	upper := 0.0 // the predicted density of the upper boundary at 1 s, by the library
	for k := range 100 {
		theta := make([]float64, 4)
		for i, p := range m.Params() {
			theta[i] = other.Draws(p)[k%2][k*10]
		}
		one, err := m.Bind(map[string][]float64{"rt": {1}, "choice": {1}})
		if err != nil {
			t.Fatal(err)
		}
		upper += math.Exp(one.LogLik(theta)) / 100
	}
	if got := f.Predicted[0][1]; !(math.Abs(got/upper-1) < 0.1) {
		t.Errorf("predicted density at 1 s: %v, by the library %v", got, upper)
	}
}

func TestCallRefuses(t *testing.T) {
	for _, c := range []struct{ name, arguments, want string }{
		{"fitt", `{}`, "fitt: no such function"},
		{"fit", `{`, "unexpected end of JSON input"},
		{"fit", `{"model": "nothing"}`, "nothing"},
		{"fit", `{"model": "levy", "rt": [1], "choice": [1]}`, "levy: it has no exact density"},
		{"fit", `{"model": "ddm"}`, "ddm: there are no trials"},
		{"fit", `{"model": "ddm", "rt": [1, -1], "choice": [1, 1]}`, "trial 2: rt -1"},
		{"fit", `{"model": "ddm", "rt": [1], "choice": [2]}`, "trial 1: choice 2"},
		{"fit", `{"model": "ddm", "rt": [1], "choice": []}`, "1 response times but 0 choices"},
		{"fit", `{"model": "ddm", "rt": [1], "choice": [1], "chains": 17}`, "chains: 17: want 1 to 16"},
		{"fit", `{"model": "ddm", "rt": [1], "choice": [1], "times": [0]}`, "times: 0 is not a time"},
		{"logLik", `{"model": "ddm", "rt": [1], "choice": [1], "theta": [1]}`, "1 parameters: ddm has 4"},
		{"simulate", `{"model": "ddm", "theta": [1, 1, 0.5, 0.3]}`, "0 trials: want 1 to 100000"},
	} {
		if _, err := Call(c.name, []byte(c.arguments), nil); err == nil || !strings.HasPrefix(err.Error(), "likc: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %s", c.name, c.arguments, err, c.want)
		}
	}
}

// TestInNode builds the package and uses it from node: the same trials, log-likelihood and draws as here.
func TestInNode(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("compiles the standard library for WebAssembly: LIKC_LONG=1")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("no node on this machine: the package is not used")
	}
	dir := t.TempDir()
	if out, err := exec.Command("./assemble.sh", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program := `import { load } from "./npm/index.mjs"
const likc = await load()
const data = likc.simulate("ddm", { t: 0.3, v: 1, a: 1.2, z: 0.45 }, 100, 3)
const same = JSON.stringify(likc.simulate("ddm", [1, 1.2, 0.45, 0.3], 100, 3)) === JSON.stringify(data)
const { value, gradient } = likc.logLik("ddm", [0.8, 1.1, 0.5, 0.2], data)
let calls = 0
const fit = likc.fit("ddm", data, { chains: 1, warmup: 100, draws: 100, watch: () => calls++ })
const refused = []
for (const wrong of [() => likc.fit("ddm", { rt: [-1], choice: [1] }), () => likc.logLik("ddm", { v: 1, a: 1, z: 0.5 }, data), () => likc.logLik("ddm", { drift: 1 }, data)]) {
  try { wrong() } catch (e) { refused.push(e.message) }
}
console.log(JSON.stringify({ data, same, value, gradient, calls, mean: fit.estimates[0].mean, refused }))
process.exit(0)`
	if err := os.WriteFile(filepath.Join(dir, "use.mjs"), []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("node", filepath.Join(dir, "use.mjs")).Output()
	if err != nil {
		t.Fatal(err)
	}
	var there struct {
		Data     struct{ RT, Choice []float64 }
		Same     bool // whether parameters by name and in order gave the same trials
		Value    float64
		Gradient []float64
		Calls    int
		Mean     float64
		Refused  []string
	}
	if err := json.Unmarshal(out, &there); err != nil {
		t.Fatal(err)
	}
	r := Request{Model: "ddm", RT: there.Data.RT, Choice: there.Data.Choice, Theta: []float64{0.8, 1.1, 0.5, 0.2}}
	var here struct {
		Value    float64
		Gradient []float64
	}
	call(t, "logLik", r, &here)
	if !(math.Abs(here.Value-there.Value) <= 1e-12*100) || len(r.RT) != 100 {
		t.Errorf("log-likelihood of %d trials: %v in node, %v here", len(r.RT), there.Value, here.Value)
	}
	for i, g := range here.Gradient {
		if !(math.Abs(g-there.Gradient[i]) <= 1e-11*(100+math.Abs(g))) {
			t.Errorf("derivative %d: %v in node, %v here", i, there.Gradient[i], g)
		}
	}
	refused := []string{"likc: trial 1: rt -1 is not positive and finite", "likc: theta: t of ddm is missing", "likc: theta: ddm has no parameter drift, but v, a, z, t"}
	if there.Calls != 40 || !(math.Abs(there.Mean-1) < 1) || !there.Same || !slices.Equal(there.Refused, refused) {
		t.Errorf("%d calls of watch, mean %v, the same trials: %v, refused %q", there.Calls, there.Mean, there.Same, there.Refused)
	}
	if page, err := os.ReadFile(filepath.Join(dir, "likc.html")); err != nil || len(page) < 1<<20 || len(page) > 4<<20 {
		t.Errorf("the page has %d bytes: %v", len(page), err)
	}
}
