package model

import (
	"os"
	"testing"

	"likc/compiler/emit"
	"likc/compiler/emit/gotoc"
	"likc/compiler/emit/rowwise"
	"likc/compiler/expr"
)

// TestSolverInC translates the solver of numerical densities from Go to C, and compares it with the committed one.
func TestSolverInC(t *testing.T) {
	const path = "../../../../templates/numerical/solver.c.txt"
	src := sourceOf(t, open(t, "urgency"))
	files, err := rowwise.Solver(src.Process, "solver")
	if err != nil {
		t.Fatal(err)
	}
	digamma := "package solver\n\nimport \"math\"\n\n" + expr.Digamma.In(expr.Go).Body
	files = append(files, emit.File{Name: "digamma.go", Data: []byte(digamma)})
	text, err := gotoc.Translate(files, []string{"process_new_space", "process_solve", "solved_log", "law_at", "law_earliest"}, []string{"usual"})
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old, err := os.ReadFile(path); err != nil || string(old) != text {
		t.Errorf("%s is not the solver of package evidence in C (%v): write it again with -update", path, err)
	}
}
