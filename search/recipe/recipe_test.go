package recipe

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"likc/search/pipeline"
)

const small = `name = "small"
[bank.test]
role = "test-60"
subjects = 3
[bank.rows]
path = "rows"
[search]
lambda = [0, 0.3]
seeds = 2
first_seed = 5
evals = 1000
rows = "rows"
[judge]
bank = "test"
`

func TestErrorsSayWhere(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", `p.toml:1:1: name: "": want a word`},
		{"name = 3", "p.toml:1:8: "},
		{"name = \"a\"\nnmae = 1", "p.toml:2:1: nmae: no such key"},
		{strings.Replace(small, "evals = 1000", "evals = 1000\nevels = 1", 1), "p.toml:12:1: search.evels: no such key"},
		{strings.Replace(small, "evals = 1000", "evals = ten", 1), "p.toml:11:9: "},
		{strings.Replace(small, "evals = 1000", "evals = \"ten\"", 1), "p.toml:11:9: search.evals: "},
		{strings.Replace(small, "evals = 1000", "", 1), "p.toml:7:1: search: want either evals"},
		{strings.Replace(small, "evals", "  time = \"1s\"\n  evals", 1), "p.toml:7:1: search: want either evals"},
		{strings.Replace(small, "[0, 0.3]", "[0, -1]", 1), "p.toml:8:1: search.lambda: -1: want"},
		{strings.Replace(small, "[0, 0.3]", "[1, 1]", 1), "p.toml:8:1: search.lambda: 1: want"},
		{strings.Replace(small, "seeds = 2", "  seeds = 0", 1), "p.toml:9:3: search.seeds: 0: want"},
		{strings.Replace(small, "bank = \"test\"", "bank = \"tset\"", 1), `p.toml:14:1: judge.bank: "tset": there is no such bank; this file has rows, test`},
		{small + "[bank.x]\n", "p.toml:15:1: bank.x: want either path"},
		{small + "[gate]\n", "p.toml:15:1: gate: there is no teacher"},
		{small + "[teacher]\n", "p.toml:15:1: teacher: want either path"},
		{small + "[holdout]\nbank = \"test\"\n", "p.toml:15:1: holdout: no expressions are chosen"},
		{small + "[ppc]\nbank = \"test\"\n", "p.toml:15:1: ppc: nothing to check"},
		{small + "[compile]\n", "p.toml:15:1: compile.models: want at least one model"},
		{"name = \"a\"\n[sweep]\n", "p.toml:2:1: sweep: there are no verdicts"},
		{"name = \"a\"\n[judge]\nbank = \"b\"\n", "p.toml:2:1: judge: there is nothing to judge"},
		{"name = \"a\"\nname = \"b\"", "p.toml:2:"},
	} {
		_, err := Parse("p.toml", []byte(c.text))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q:\n got %v\nwant %s…", c.text, err, c.want)
		}
	}
}

func plan(t *testing.T, text string) []pipeline.Unit {
	t.Helper()
	r, err := Parse("p.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.Plan(func(name string) (string, error) { return "/somewhere/" + name, nil })
	if err != nil {
		t.Fatal(err)
	}
	return p.Units
}

func TestPlan(t *testing.T) {
	units := plan(t, small)
	var names []string
	for _, u := range units {
		names = append(names, u.Name)
	}
	want := []string{"bank/test", "search/lambda-0-seed-5", "search/lambda-0-seed-6", "search/lambda-0.3-seed-5", "search/lambda-0.3-seed-6",
		"judge/lambda-0-seed-5", "judge/lambda-0-seed-6", "judge/lambda-0.3-seed-5", "judge/lambda-0.3-seed-6", "report"}
	if !slices.Equal(names, want) {
		t.Fatalf("units %v", names)
	}
	got := strings.Join(units[3].Steps[0].Args, " ")
	if got != "search --rows {bank-rows} --lambda 0.3 --seed 5 --evals 1000 -o {out}/FRONT.jsonl" {
		t.Errorf("command %s", got)
	}
	if in := units[3].Inputs[0]; in.Path != "/somewhere/rows" || in.Label != "bank-rows" {
		t.Errorf("input %+v", in)
	}
	if len(units[9].Inputs) != 9 {
		t.Errorf("the report reads %d units", len(units[9].Inputs))
	}
}

// TestNothingElseChanges: another number of seeds leaves the units that were there as they were.
func TestNothingElseChanges(t *testing.T) {
	more := plan(t, strings.Replace(small, "seeds = 2", "seeds = 3", 1))
	for _, u := range plan(t, small) {
		i := slices.IndexFunc(more, func(v pipeline.Unit) bool { return v.Name == u.Name })
		if i < 0 {
			t.Fatalf("%s is gone", u.Name)
		}
		if u.Stage != "report" && strings.Join(more[i].Steps[0].Args, " ") != strings.Join(u.Steps[0].Args, " ") {
			t.Errorf("%s changed", u.Name)
		}
	}
}

// TestCommittedPipelines: the ones that come with the program can be planned.
func TestCommittedPipelines(t *testing.T) {
	files, err := filepath.Glob("../../testdata/pipelines/*.toml")
	if err != nil || len(files) < 2 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		units := plan(t, string(text))
		if last := units[len(units)-1]; last.Stage != "report" {
			t.Errorf("%s ends with %s", file, last.Name)
		}
	}
}
