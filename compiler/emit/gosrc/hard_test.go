package gosrc_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"likc/compiler"
	"likc/compiler/emit"
	"likc/compiler/emit/gosrc"
	"likc/compiler/syntax"
)

// assemblerNames are names that mean something else in an assembly file: registers, constants, a macro.
var assemblerNames = strings.Fields(`AX BL CX DI SP BP R8 R15 X0 X31 Y7 Z31 K0 K1 M0 F3
	CS GS GDTR CR0 DR7 TR2 MSW TASK TLS FP PC SB g NOSPLIT RODATA NOPTR DUPOK MAXREG`)

// TestHardModels builds, vets and tests packages of models that are hard to print or to test. Their parameters and columns have the names
// of registers, their values have 17 digits, or their log density is defined only at some trials.
func TestHardModels(t *testing.T) {
	models := map[string]string{
		"nested": "trial rt param v in [1, 1.5] loglik = " + strings.Repeat("(", 40) + "rt + v" + strings.Repeat(")^1.1", 40),
		"partly": "trial x trial y param q in [0, 3] loglik = 2^-q^2 * (x - y) + 0.1*x^0.5",
	}
	const each = 8 // number of models, small enough that their loops get assembly
	for i := 0; i+each <= len(assemblerNames); i += each {
		names := assemblerNames[i : i+each]
		text, sum := "trial rt trial "+names[0], "0"
		for _, name := range names[1:] {
			text += " param " + name + " in [0, 1]"
			sum += fmt.Sprintf(" + sqrt(1 + rt*%s + %s^2)", name, names[0])
		}
		models[fmt.Sprintf("names%d", i/each)] = text + " loglik = " + sum
	}
	folder, assembled := module(t), 0
	for name, text := range models {
		files := emitModel(t, "model "+name+" { "+text+" }", emit.Config{Package: name, ISA: emit.AutoISA})
		for _, f := range files {
			if f.Name == "lik_amd64.s" {
				assembled++
			}
		}
		write(t, filepath.Join(folder, name), files...)
	}
	write(t, filepath.Join(folder, "nowhere"), append(emitModel(t, nowhere, emit.Config{Package: "nowhere"}),
		emit.File{Name: "nowhere_test.go", Data: []byte(nowhereTest)})...)
	if assembled < len(assemblerNames)/each {
		t.Errorf("%d packages have assembly", assembled)
	}
	goCommand(t, folder, "vet", "./...")
	goCommand(t, folder, "test", "-vet=off", "./...")
}

// nowhere is a model with trials of density 0 inside its support. There the gradient must be 0.
const nowhere = "model nowhere { trial rt param a in [0.1, 9] param b in [1, 2] loglik = log(max(a - rt, 0)) + b*rt }"

const nowhereTest = `package nowhere

import (
	"math"
	"testing"
)

func TestNowhere(t *testing.T) {
	d, err := NewData([]float64{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	grad := []float64{7, 7}
	if v := d.LogLikGrad([]float64{2.5, 1}, grad); !math.IsInf(v, -1) || grad[0] != 0 || grad[1] != 0 {
		t.Errorf("%v with gradient %v, want -Inf and zeros", v, grad)
	}
	if v := d.LogLikGrad([]float64{3.5, 1}, grad); math.IsInf(v, 0) || grad[1] != 6 {
		t.Errorf("%v with gradient %v, want a number and 6 for b", v, grad)
	}
}
`

// emitModel compiles a model and prints its package.
func emitModel(t *testing.T, text string, cfg emit.Config) []emit.File {
	t.Helper()
	files, err := tryModel(t, text, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func tryModel(t *testing.T, text string, cfg emit.Config) ([]emit.File, error) {
	t.Helper()
	models, err := syntax.Read("hard.lik", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	u, err := compiler.Compile(models[0], compiler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return u.Files(gosrc.Emitter{}, cfg)
}

// TestRefused: a package name that ends in _test, and a model that cannot be tested, are refused with an error of one line.
func TestRefused(t *testing.T) {
	const fine, nowhere = "model m { trial x param q in [0, 3] loglik = q*x }", "model m { trial x param q in [0, 3] loglik = log(-1 - x^2 - q^2) }"
	for _, c := range []struct{ text, pkg, want string }{
		{fine, "foo_test", `emit m: package "foo_test": not the name of a Go package that can be imported`},
		{nowhere, "foo", "emit m: the log density was finite at none of the trials and parameters that were drawn to test it"},
	} {
		if _, err := tryModel(t, c.text, emit.Config{Package: c.pkg}); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
