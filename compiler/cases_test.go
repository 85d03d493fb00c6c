package compiler

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"likc/compiler/syntax"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite testdata/cases")

// TestCases shows every phase of a model in one file: the model, its simplified form, value and gradient over sums, and the
// staged program. Run with -update to rewrite them; a change of the compiler is then a change to read.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("../testdata/cases/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := &txtar.Archive{Comment: a.Comment, Files: phases(t, a.Files[0])}
			if *update {
				if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(string(txtar.Format(a)), string(txtar.Format(got))); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// phases returns what each phase of the compiler makes of a model: the simplified model, the gradient and the program.
func phases(t *testing.T, model txtar.File) []txtar.File {
	models, err := syntax.Read(model.Name, strings.NewReader(string(model.Data)))
	if err != nil {
		t.Fatal(err)
	}
	u, err := Compile(models[0], Options{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	var gradient strings.Builder
	for _, g := range u.Groups {
		fmt.Fprintf(&gradient, "%s\n\tloglik = %s\n", g.Name, g.Total)
		for i, d := range g.Grad {
			fmt.Fprintf(&gradient, "\td/d%s = %s\n", u.Model.Params[i].Name, d)
		}
	}
	fired := fmt.Sprintf("fired: %s\ndropped: %s\n", strings.Join(u.Fired, " "), strings.Join(u.Dropped, "; "))
	return []txtar.File{
		model,
		{Name: "simplified", Data: []byte(syntax.Format(u.Simplified) + fired)},
		{Name: "gradient", Data: []byte(gradient.String())},
		{Name: "program", Data: []byte(u.Program.String())},
	}
}
