package model

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"likc/compiler/emit"
	"likc/compiler/emit/rowwise"
	"likc/compiler/emit/text/texttest"
	"likc/compiler/expr"
)

// scripted returns the models that are compared in a language of scripts: one, or with LIKC_LONG=1 all that can be written in it.
func scripted(t *testing.T, to target) []string {
	if os.Getenv("LIKC_LONG") == "" {
		return []string{"expr2"}
	}
	refused, _ := refusals()
	var names []string
	for _, m := range allModels(t) {
		if refused[m.Name][to] == "" {
			names = append(names, m.Name)
		}
	}
	return names
}

// columnOf names the columns of the table whose code a program runs, where the program has not the target's name.
var columnOf = map[expr.Target]string{expr.Python: "numpy"}

// TestScriptsAgreeWithEval compares the log densities and gradients of printed files with eval.
func TestScriptsAgreeWithEval(t *testing.T) {
	for _, in := range texttest.Interpreters {
		if in.Target == expr.Julia {
			continue // its programs are not on the machines that measure
		}
		t.Run(string(in.Target), func(t *testing.T) {
			if err := in.Missing(); err != nil {
				t.Skip(err)
			}
			column, found := string(in.Target), map[string]difference{}
			if name, ok := columnOf[in.Target]; ok {
				column = name
			}
			script := in.Slopes
			if script == nil {
				script = in.Script
			}
			for _, name := range scripted(t, target(in.Target)) {
				s := newScripted(t, t.TempDir(), name, in.Target, name)
				lines, err := in.Run(s.folder, script(s.model, s.file, s.plain()))
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				found[name] = checkModel(t, name, column, s.byTrial(t, lines, in.Slopes != nil), s.cases)
			}
			record(t, column, found)
		})
	}
}

// TestModulesAgreeWithEval compares the gradients that torch and jax compute of the printed Python code with those of eval.
func TestModulesAgreeWithEval(t *testing.T) {
	for _, module := range texttest.Differentiators {
		t.Run(module.Module, func(t *testing.T) {
			if err := module.Missing(); err != nil {
				t.Skip(err)
			}
			found := map[string]difference{}
			for _, name := range scripted(t, target(expr.Python)) {
				s := newScripted(t, t.TempDir(), name, expr.Python, name)
				lines, err := module.Run(s.folder, module.Script(s.model, s.plain()))
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				found[name] = checkModel(t, name, module.Module, s.summed(t, lines), s.cases)
			}
			record(t, module.Module, found)
		})
	}
}

// scriptedModel is a model printed into a folder, with cases.
type scriptedModel struct {
	model              *expr.Model
	folder, file, text string
	cases              []rowwise.Case
}

// newScripted prints a model into a folder as the command compile does, under the name of a package.
func newScripted(t *testing.T, folder, name string, to expr.Target, pkg string) scriptedModel {
	t.Helper()
	m := open(t, name)
	files, err := (&compileFlags{Target: target(to), Package: pkg}).files(m)
	if err != nil {
		t.Fatal(err)
	}
	s := scriptedModel{model: m.Model, folder: folder, file: files[0].Name, text: string(files[0].Data), cases: farCases(t, m, 50)}
	if err := os.WriteFile(filepath.Join(s.folder, s.file), files[0].Data, 0o644); err != nil {
		t.Fatal(err)
	}
	return s
}

// plain returns the cases as scripts take them.
func (s scriptedModel) plain() (list []emit.Case) {
	for _, c := range s.cases {
		list = append(list, c.Case)
	}
	return list
}

// byTrial sums what lines have of each trial of a case: a log density, and its derivatives if there are slopes.
func (s scriptedModel) byTrial(t *testing.T, lines []string, slopes bool) []answer {
	t.Helper()
	width, numbers := 1, numbersOf(t, lines)
	if slopes {
		width += len(s.model.Params)
	}
	list := make([]answer, len(s.cases))
	for k, c := range s.cases {
		list[k] = make(answer, width)
		for range c.Columns[0] {
			list[k][0] = add(list[k][0], numbers[0])
			for j, slope := range numbers[1:width] {
				list[k][j+1] += slope
			}
			numbers = numbers[width:]
		}
		list[k].zeroSlopesNowhere()
	}
	return list
}

// summed sums the log densities of each case, after which the lines have the derivatives of the sum.
func (s scriptedModel) summed(t *testing.T, lines []string) []answer {
	t.Helper()
	numbers := numbersOf(t, lines)
	list := make([]answer, len(s.cases))
	for k, c := range s.cases {
		sum, n := 0.0, len(c.Columns[0])
		for _, x := range numbers[:n] {
			sum = add(sum, x)
		}
		list[k] = append(answer{sum}, numbers[n:n+len(c.Theta)]...)
		list[k].zeroSlopesNowhere()
		numbers = numbers[n+len(c.Theta):]
	}
	return list
}

// add returns the sum of two log densities. One of them outside the support decides, as in eval, even if the other is undefined.
func add(x, y float64) float64 {
	if math.IsInf(x, -1) || math.IsInf(y, -1) {
		return math.Inf(-1)
	}
	return x + y
}

// zeroSlopesNowhere sets the derivatives to 0 if the sum is not finite, as those of eval are: scripts have the derivatives of the other trials.
func (a answer) zeroSlopesNowhere() answer {
	if a[0]-a[0] != 0 {
		clear(a[1:])
	}
	return a
}

// numbersOf reads a number from each line.
func numbersOf(t *testing.T, lines []string) []float64 {
	t.Helper()
	numbers := make([]float64, len(lines))
	for i, line := range lines {
		var err error
		if numbers[i], err = strconv.ParseFloat(line, 64); err != nil {
			t.Fatal(err)
		}
	}
	return numbers
}
