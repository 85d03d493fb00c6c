package catalog

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/runtime/model/kernel"
	"likc/runtime/model/ssm"
)

// TestAllOpen checks that every listed model opens under its name, and has an expression, a density and a simulator exactly if its kind
// says so.
func TestAllOpen(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		_, isExpression := m.Expression()
		_, isDensity := m.Density()
		_, simulated := m.Simulator()
		want := map[Kind][3]bool{Exact: {false, true, true}, Process: {false, false, true}, Formula: {true, false, true}, Closed: {true, false, false}, Teacher: {false, true, true}}
		closedForm := m.Origin.Kind == Closed && m.Of(m.Name) // whether the model is the exact density of the process of that name
		if got := [3]bool{isExpression, isDensity, simulated}; got != want[m.Origin.Kind] && !(closedForm && isExpression && !isDensity) {
			t.Errorf("%s, of kind %s: expression, density, simulator: %v", m.Name, m.Origin.Kind, got)
		}
		if (m.Usable() == nil) != (isExpression || isDensity) {
			t.Errorf("%s: %v", m.Name, m.Usable())
		}
		if m.About() == "" || len(m.Params) == 0 {
			t.Errorf("%s: nothing is said of it", m.Name)
		}
		if about := m.About(); strings.Contains(about, "binding function") || len(about) > 400 {
			t.Errorf("%s: want a sentence, not %q", m.Name, about)
		}
	}
}

// TestTeacherIsAModel opens the committed teacher by its folder, and compares its density with the exact density.
func TestTeacherIsAModel(t *testing.T) {
	m, err := Open(filepath.Join("..", "..", "..", "testdata", "teacher", "spline"))
	if err != nil {
		t.Fatal(err)
	}
	d, ok := m.Density()
	if m.Origin.Kind != Teacher || !ok || !m.Of(ssm.DDM.Name) {
		t.Fatalf("%+v", m.Origin)
	}
	got := make([]float64, 1)
	d.(kernel.PerTrial).LogDensity(got, [][]float64{ssm.DDM.Example}, []float64{0.9}, []float64{1})
	if want := ssm.DDM.LogDensity(0.9, 1, ssm.DDM.Example); !(math.Abs(got[0]-want) <= 0.05) {
		t.Errorf("log density %v, exact %v", got[0], want)
	}
}

// TestHeaderReflectsAsTheProcess compares the language's reflection with the process's own.
func TestHeaderReflectsAsTheProcess(t *testing.T) {
	for _, p := range ssm.Models() {
		m := HeaderOf(p)
		want := make([]float64, p.Dim())
		p.Reflect(want, p.Example)
		got := append([]float64(nil), p.Example...)
		for _, a := range m.Lower {
			value, _ := expr.NewTape(m.ParamNames(), a.Value).Eval(nil, p.Example)
			got[m.ParamIndex(a.Param)] = value[0]
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s: reflected %v, want %v", p.Name, got, want)
			}
		}
	}
}

// TestSimulatorMapsParameters opens a model that declares its simulator's parameters as functions of its own.
func TestSimulatorMapsParameters(t *testing.T) {
	const text = "model m { trial rt choice c param b in [0.5, 2] simulator ddm { v = b/2 a = b z = 0.5 t = 0.1 } lower { b = b } support 0 < rt loglik = -b*rt }"
	path := filepath.Join(t.TempDir(), "m.lik")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	s, ok := m.Simulator()
	if !ok || m.Of(ssm.DDM.Name) {
		t.Fatal("no simulator, or one with the model's own parameters")
	}
	if got, want := s.At([]float64{1.4}), []float64{0.7, 1.4, 0.5, 0.1}; !slices.Equal(got, want) {
		t.Errorf("at b = 1.4: %v, want %v", got, want)
	}
}

// A file may call and use the built-in models without copying them.
func TestFilesUseBuiltinModels(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.lik")
	text := "model called { trial rt choice c param v in [0, 1] param t in [0, 1] loglik = expr2(v, a = 1 + v, z = 0.5, t) }\n" +
		"model used { use expr2 }\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	builtin, err := Open("expr2")
	if err != nil {
		t.Fatal(err)
	}
	used, err := Open(path + "#used")
	if err != nil {
		t.Fatal(err)
	}
	if !used.LogLik.Equal(builtin.LogLik) || len(used.Lower) != len(builtin.Lower) || used.Model.Simulator != nil {
		t.Errorf("use expr2 is %s with %d reflections and simulator %v", used.LogLik, len(used.Lower), used.Model.Simulator)
	}
	called, err := Open(path + "#called")
	if err != nil {
		t.Fatal(err)
	}
	at := expr.Substitution(map[string]*expr.Expr{"a": expr.New(expr.Add, expr.Num(1), expr.Var("v")), "z": expr.Num(0.5)})
	if want := at.Map(builtin.LogLik); !called.Groups()[0].LogLik.Equal(want) {
		t.Errorf("the upper group is %s, want %s", called.Groups()[0].LogLik, want)
	}
}

// Arguments that name no model are refused, and an endless file is not read for ever.
func TestRefused(t *testing.T) {
	cases := map[string]string{
		"ddm#x":    "ddm#x: ddm is one model; write ddm alone",
		"nothing":  "nothing: no such model; built in are ",
		"../trial": "../trial: no such file or directory",
	}
	if _, err := os.Stat("/dev/zero"); err == nil {
		cases["/dev/zero"] = "/dev/zero:1:1: file is larger than 4194304 bytes"
	}
	for arg, want := range cases {
		if _, err := Open(arg); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", arg, err, want)
		}
	}
}
