package compiler

import (
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/ir"
	"likc/compiler/syntax"
	"likc/testdata"

	"github.com/google/go-cmp/cmp"
)

// builtin compiles a built-in model with every check on.
func builtin(t *testing.T, name string) *Unit {
	t.Helper()
	if u := compiled[name]; u != nil {
		return u
	}
	text, ok := testdata.Model(name)
	if !ok {
		t.Fatalf("no model %s", name)
	}
	models, err := syntax.Read(name+".lik", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	u, err := Compile(models[0], Options{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	compiled[name] = u
	return u
}

// compiled are the models that tests have compiled, by name.
var compiled = map[string]*Unit{}

// builtinNames lists the models that come with the program. Without LIKC_LONG it has one size of each race.
func builtinNames() []string {
	names := testdata.ModelNames()
	if os.Getenv("LIKC_LONG") == "" {
		names = slices.DeleteFunc(names, regexp.MustCompile(`^(lnr[24]|lba[34]|rdm[34])$`).MatchString)
	}
	return names
}

// TestBuiltins says what the compiler must find in each model.
func TestBuiltins(t *testing.T) {
	ddm := []string{"N", "Σrt"}
	tests := map[string]struct {
		tier       ir.Tier
		statistics []string
		entangled  []string
	}{
		"expr1":             {ir.Tabulated, ddm, []string{"t"}},
		"expr2":             {ir.Tabulated, ddm, []string{"t"}},
		"expr3":             {ir.Tabulated, ddm, []string{"t"}},
		"expr4":             {ir.Tabulated, ddm, []string{"t"}},
		"expr4a":            {ir.Tabulated, ddm, []string{"t"}},
		"expr5":             {ir.Tabulated, ddm, []string{"t"}},
		"expr5a":            {ir.Tabulated, ddm, []string{"t"}},
		"wald":              {ir.Tabulated, ddm, []string{"t"}},
		"drift":             {ir.Tabulated, []string{"N", "Σ(rt * x)", "Σ(rt * x^2)", "Σ(x^2)", "Σrt", "Σx"}, []string{"t"}},
		"lognormal":         {ir.Constant, []string{"N", "Σ(log(rt)^2)", "Σlog(rt)"}, nil},
		"entangled":         {ir.Streaming, ddm, []string{"k", "s", "t"}},
		"found34":           {ir.Streaming, ddm, []string{"v", "a", "z", "t"}},
		"found31":           {ir.Streaming, ddm, []string{"v", "a", "z", "t"}},
		"sharing":           {ir.Streaming, nil, []string{"v", "w"}},
		"exgaussian":        {ir.Streaming, []string{"N"}, []string{"mu", "sigma", "tau"}},
		"shifted_wald":      {ir.Tabulated, []string{"N", "Σrt"}, []string{"t"}},
		"shifted_lognormal": {ir.Tabulated, []string{"N"}, []string{"t"}},
		"lognormal_mixture": {ir.Streaming, []string{"N"}, []string{"p", "m", "d", "s", "t"}},
		"shifted_gamma":     {ir.Tabulated, []string{"N", "Σrt"}, []string{"t"}},
		"exwald":            {ir.Streaming, nil, []string{"v", "b", "tau"}},
		"stop_signal":       {ir.Streaming, []string{"N"}, []string{"mu_go", "sigma_go", "tau_go", "mu_stop", "sigma_stop", "tau_stop", "tf", "gf"}},
		"lnr2":              {ir.Streaming, []string{"N"}, []string{"m0", "m1", "s", "t"}},
		"lnr3":              {ir.Streaming, []string{"N"}, []string{"m0", "m1", "m2", "s", "t"}},
		"lnr4":              {ir.Streaming, []string{"N"}, []string{"m0", "m1", "m2", "m3", "s", "t"}},
		"lba2":              {ir.Streaming, []string{"N"}, []string{"v0", "v1", "A", "B", "t"}},
		"lba3":              {ir.Streaming, []string{"N"}, []string{"v0", "v1", "v2", "A", "B", "t"}},
		"lba4":              {ir.Streaming, []string{"N"}, []string{"v0", "v1", "v2", "v3", "A", "B", "t"}},
		"rdm2":              {ir.Streaming, nil, []string{"v0", "v1", "A", "B", "t"}},
		"rdm3":              {ir.Streaming, nil, []string{"v0", "v1", "v2", "A", "B", "t"}},
		"rdm4":              {ir.Streaming, nil, []string{"v0", "v1", "v2", "v3", "A", "B", "t"}},
	}
	for _, name := range builtinNames() {
		want, ok := tests[name]
		if !ok {
			t.Errorf("model %s has no case", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			r := ir.Describe(builtin(t, name).Program)
			got := struct {
				tier       ir.Tier
				statistics []string
				entangled  []string
			}{r.Tier, r.Statistics, r.Entangled}
			if d := cmp.Diff(want, got, cmp.AllowUnexported(got)); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// TestProgramAgreesWithTree compares the program after all passes with the model as written, to the tolerance that the
// command line promises: 1e-12 of Σ|terms|.
func TestProgramAgreesWithTree(t *testing.T) {
	for _, name := range builtinNames() {
		t.Run(name, func(t *testing.T) {
			u := builtin(t, name)
			if n := len(samples(NewTreeBinder(u.Model), 12)); n < 6 {
				t.Fatalf("only %d samples", n)
			}
			tolerance := 1e-12
			switch name[:3] {
			case "lba": // log probabilities of some hundreds are subtracted
				tolerance = 1e-11
			case "rdm": // at late times the survival probability is a difference of nearly equal numbers, so the model as written loses digits
				tolerance = 1e-9
			}
			if e := disagreement(NewTreeBinder(u.Model), u.Program); e > tolerance {
				t.Errorf("differs by %.2e of Σ|terms|", e)
			}
		})
	}
}

// TestTreeGradient checks the oracle's own gradient by complex steps, which need no derivative rules.
func TestTreeGradient(t *testing.T) {
	const h = 1e-30
	for _, name := range builtinNames() {
		m := builtin(t, name).Model
		trees := NewTreeBinder(m)
		for _, s := range samples(trees, 4) {
			tree, err := trees.Bind(s.columns, s.choice)
			if err != nil {
				t.Fatal(err)
			}
			sums, terms := tree.sums(s.theta)
			for j := range s.theta {
				want := complexStep(m, s, j, h)
				if !(math.Abs(sums[1+j]-want) <= 1e-11*terms[1+j]+1e-14) {
					t.Errorf("%s: d/d%s = %v, complex step %v", name, m.Params[j].Name, sums[1+j], want)
				}
			}
		}
	}
}

// complexStep returns Im f(θ + i·h·e_j)/h summed over the trials of a sample: the derivative in parameter j, up to O(h²).
func complexStep(m *expr.Model, s sample, j int, h float64) float64 {
	sum := 0.0
	for _, g := range m.Groups() {
		tape := expr.NewTape(symbols(m), g.LogLik)
		for i := range s.columns[0] {
			if s.choice != nil && s.choice[i] != g.Choice {
				continue
			}
			var z []complex128
			for _, c := range s.columns {
				z = append(z, complex(c[i], 0))
			}
			for _, x := range s.theta {
				z = append(z, complex(x, 0))
			}
			z[len(s.columns)+j] += complex(0, h)
			sum += imag(tape.EvalComplex(nil, z)[0]) / h
		}
	}
	return sum
}

func TestOutsideSupport(t *testing.T) {
	u := builtin(t, "expr2")
	rt, choice := []float64{0.5, 0.7, 0.9}, []float64{1, -1, 1}
	bound, err := ir.Bind(u.Program, [][]float64{rt}, choice)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := BindTree(u.Model, [][]float64{rt}, choice)
	if err != nil {
		t.Fatal(err)
	}
	for _, outside := range []float64{0.5, 0.6, 2, math.NaN()} {
		for _, lik := range []interface {
			LogLikGrad(theta, grad []float64) float64
		}{bound, tree} {
			grad := []float64{1, 1, 1, 1}
			if l := lik.LogLikGrad([]float64{1, 1, 0.5, outside}, grad); !math.IsInf(l, -1) {
				t.Errorf("t = %v: %v, want -Inf", outside, l)
			}
			if d := cmp.Diff([]float64{0, 0, 0, 0}, grad); d != "" {
				t.Errorf("t = %v: gradient %v", outside, grad)
			}
		}
	}
}

func TestPassOrderIsChecked(t *testing.T) {
	defer func(saved []step) {
		passes = saved
		if recover() == nil {
			t.Error("a wrong order was accepted")
		}
	}(passes)
	passes = []step{passes[5], passes[0], passes[1], passes[2], passes[3], passes[4], passes[6]}
	checkOrder()
}
