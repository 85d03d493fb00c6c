package recipe

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"likc/search/work/pipeline"
)

// TestModelsAreInputs: a model that is a file counts from the pipeline's folder and is an input; one that comes with the program is
// called by its name.
func TestModelsAreInputs(t *testing.T) {
	file := pipelineFile(t, strings.Replace(small, `path = "rows"`, `role = "search-rows"`, 1)+`also = ["expr2", "sub/My model.lik#two", "expr3#expr3"]
[ppc]
bank = "test"
top = 0
models = ["expr2", "sub/My model.lik"]
[ablate]
bank = "test"
top = 0
models = ["sub/My model.lik"]
args = ["--subjects", "20"]
[compile]
models = ["expr2", "sub/My model.lik#two", "sub/My model.lik", "./other.lik#two", "sub/other.lik#two"]
`)
	dir := filepath.Dir(file)
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sub/My model.lik", "other.lik", "sub/other.lik"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	units := unitsOf(t, file)
	judged := units["judge/models"]
	if got := strings.Join(judged.Steps[0].Args[:4], " "); got != "judge expr2 {model-2-My model.lik}#two expr3#expr3" {
		t.Errorf("judge: %s", got)
	}
	if in := judged.Inputs[0]; in.Path != filepath.Join(dir, "sub", "My model.lik") || in.Label != "model-2-My model.lik" || in.Unit != "" {
		t.Errorf("judge: input %+v", in)
	}
	if got := units["ppc"]; got.Steps[0].Args[2] != "{model-2-My model.lik}" || got.Inputs[0].Path != judged.Inputs[0].Path {
		t.Errorf("ppc: %q from %+v", got.Steps[0].Args, got.Inputs)
	}
	if got := strings.Join(units["ablate"].Steps[0].Args, " "); got != "ablate {model-1-My model.lik} --bank {bank-test}/bank --subjects 20 -o {out}/ablate" {
		t.Errorf("ablate: %s", got)
	}
	for _, name := range []string{"expr2", "my-model-two", "my-model", "other-two", "other-two-2"} {
		if _, ok := units["compile/"+name]; !ok {
			t.Errorf("no unit compile/%s", name)
		}
	}
	if err := os.Remove(filepath.Join(dir, "other.lik")); err != nil {
		t.Fatal(err)
	}
	r, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Plan(nil); err == nil || err.Error() != "compile.models: ./other.lik: there is no such file in the folder of the pipeline's file, and no such model in likc" {
		t.Errorf("error %v", err)
	}
}

// TestUngatedGate: a gate that fails does not stop a pipeline whose searches take any teacher.
func TestUngatedGate(t *testing.T) {
	const gated = "[teacher]\nkind = \"spline\"\n[gate]\n"
	with := plan(t, strings.Replace(small, "[judge]", "ungated = true\n[judge]", 1)+gated)
	without := plan(t, small+gated)
	for i, u := range with {
		if u.Stage != "gate" {
			continue
		}
		if got, want := strings.Join(u.Steps[1].Args, " "), strings.Join(without[i].Steps[1].Args, " ")+" --ungated"; got != want {
			t.Errorf("gate: %s, want %s", got, want)
		}
		return
	}
	t.Error("no gate")
}

func unitsOf(t *testing.T, file string) map[string]pipeline.Unit {
	t.Helper()
	r, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.Plan(func(name string) (string, error) { return "", errors.New("asked for " + name) })
	if err != nil {
		t.Fatal(err)
	}
	units := map[string]pipeline.Unit{}
	for _, u := range p.Units {
		units[u.Name] = u
	}
	return units
}
