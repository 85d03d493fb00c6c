package model

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"likc/compiler/emit"
	"likc/compiler/emit/text"
	"likc/compiler/expr"
	"likc/compiler/normal"
	"likc/runtime/model/catalog"
)

var update = flag.Bool("update", false, "rewrite the table of targets")

// gradients holds the cell of the table for each target that can be written: what gives gradients of the printed log density.
var gradients = map[target]string{"go": "gradient", "c": "gradient", "python": "torch, jax", "stan": "Stan's", "r": "gradient", "julia": "value",
	"javascript": "gradient", "rust": "gradient", "latex": "formula"}

// TestTargets writes every model of likc in every language, and compares what can be written with the table of the page.
func TestTargets(t *testing.T) {
	const page, begin, end = "../../../../docs/reference/targets.md", "<!-- see targets_test.go -->\n", "<!-- end of targets -->"
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(b), begin)
	_, after, ends := strings.Cut(rest, end)
	if !ok || !ends {
		t.Fatal("the page has no place for the table")
	}
	if want := before + begin + targetTable(t) + end + after; *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(b) != want {
		t.Errorf("the table of %s is not what can be written: rewrite it with -update", page)
	}
}

// targetTable returns the table, which has a row for each set of models that can be written in the same languages, with the reasons of
// refusals below it.
func targetTable(t *testing.T) string {
	targets := target("").Choices()
	refused, reasons := refusals()
	var rows []string
	models := map[string][]string{}
	for _, src := range allModels(t) {
		row := ""
		for _, name := range targets {
			to := target(name)
			cell := refused[src.Name][to]
			if cell == "" {
				cell = gradients[to]
			}
			row += " | " + cell
		}
		if models[row] == nil {
			rows = append(rows, row)
		}
		models[row] = append(models[row], "`"+src.Name+"`")
	}
	table := "| models | " + strings.Join(targets, " | ") + " |\n|" + strings.Repeat(" --- |", len(targets)+1) + "\n"
	for _, row := range rows {
		table += "| " + strings.Join(models[row], ", ") + row + " |\n"
	}
	table += "\nReasons of refusals:\n\n"
	for i, reason := range reasons {
		table += fmt.Sprintf("%d. %s\n", i+1, reason)
	}
	return table
}

// wholes are normalised models with their integrals written out, kept because this takes long.
var wholes = map[*expr.Model]*expr.Model{}

// printed writes a model in a language, and returns the error if that is impossible. Expressions in Go and C are not written here, because
// the tests of packages csrc and gosrc write and build all of them.
func printed(src *catalog.Model, to target) error {
	c := &compileFlags{Target: to, Package: src.Name}
	if _, ok := src.Expression(); !ok {
		return c.checkTrialByTrial(src)
	}
	if to == "go" || to == "c" {
		return nil
	}
	m, cfg := src.Model, emit.Config{Package: src.Name}
	latex := to == target(expr.LaTeX)
	switch {
	case m.Normalise && latex:
		_, err := c.compiled(m)
		return err
	case m.Binding != nil:
		return nil // TestBoundAgainstTree writes such models in all languages
	case m.Normalise && to == target(expr.Stan):
		u, err := c.compiled(m)
		if err != nil {
			return err
		}
		_, err = u.Files(to.emitter(), cfg)
		return err
	case m.Normalise:
		whole, ok := wholes[m]
		if !ok {
			var err error
			if whole, err = normal.Whole(m); err != nil {
				return err
			}
			wholes[m] = whole
		}
		m = whole
	}
	cfg.Model = m
	if looped, ok := m.WithLoops(); ok && !latex {
		cfg.Looped = looped
	}
	_, err := text.Emitter{Target: expr.Target(to)}.Emit(nil, cfg)
	return err
}
