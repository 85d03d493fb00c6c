package recipe

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"likc/search/work/pipeline"
	"likc/testdata"
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
		{"name = \"a\"\nnmae = 1", "p.toml:2:1: nmae: no such key; there are ablate, applied, audit, bank, calibrate, compile, gate, holdout, judge, model, name, new_rows, "},
		{strings.Replace(small, "evals = 1000", "evals = 1000\nevels = 1", 1), "p.toml:12:1: search.evels: no such key; search has args, evals, first_seed, lambda, "},
		{strings.Replace(small, "evals = 1000", "evals = ten", 1), "p.toml:11:9: "},
		{strings.Replace(small, "evals = 1000", "evals = \"ten\"", 1), "p.toml:11:9: search.evals: the value is of the kind string: want a whole number"},
		{strings.Replace(small, "evals = 1000", "evals = 2020-02-02", 1), "p.toml:11:9: search.evals: the value is of the kind local date: want a whole number"},
		{strings.Replace(small, "evals = 1000", "evals = {a = 1}", 1), "p.toml:11:9: search.evals: the value is of the kind inline table: want a whole number"},
		{strings.Replace(small, "evals = 1000", "evals = 1e400", 1), "p.toml:11:9: search.evals: 1e400: too large a number"},
		{strings.Replace(small, "[search]", "[[search]]", 1), "p.toml:7:3: search: the name is in two pairs of brackets: want one"},
		{"name = \"a\"\nbank = 3\n", "p.toml:2:8: bank: the value is of the kind integer: want a table, whose name stands in brackets"},
		{"name = \"a\"\n[bank]\ntest = 3\n", "p.toml:3:8: bank.test: the value is of the kind integer: want a table, whose name stands in brackets"},
		{small + "[bank.x]\nrole = \"holdout-90\"\nseed = -1\n", "p.toml:17:8: bank.x.seed: -1: want a whole number of 0 or more"},
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
		{small + "[ablate]\nmodels = [\"wald\"]\ntop = true\n", "p.toml:17:7: ablate.top: the value is of the kind boolean: want a whole number"},
		{small + "[sweep]\ntop = 2\n[ppc]\nbank = \"test\"\ntop = 3\n", "p.toml:19:1: ppc.top: 3: want at most as many as [sweep] has top"},
		{small + "[ppc]\nbank = \"test\"\ntop = 1\n", "p.toml:17:1: ppc.top: 1: no expressions are chosen"},
		{small + "[ppc]\nbank = \"test\"\ntop = -1\n", "p.toml:17:1: ppc.top: -1: want 0 to "},
		{small + "[ablate]\nmodels = \"wald\"\n", "p.toml:16:10: ablate.models: the value is of the kind string: want [\"a text\", …]"},
		{small + "[ablate]\nmodels = [\"wald\"]\n", `p.toml:15:1: ablate.bank: "": there is no such bank`},
		{small + "[applied.x]\n", "p.toml:15:1: applied.x: want data, a file"},
		{small + "[applied.x]\ndata = \"d.csv\"\n", "p.toml:15:1: applied.x: want preset, a study's name"},
		{small + "[applied.x]\ndata = \"d.csv\"\npreset = \"no\"\n", `p.toml:17:1: applied.x.preset: "no": want one of cavanagh-simple, `},
		{small + "[applied.x]\ndata = \"d.csv\"\npreset = \"cavanagh-full\"\ntop = -1\n", "p.toml:18:1: applied.x.top: -1: want 0 to "},
		{small + "[applied.x]\ndata = \"d.csv\"\nargs = [\"--output=x\", \"--formula=v ~ 1\"]\n", "p.toml:17:1: applied.x.args: \"--output=x\": writes files"},
		{"name = \"a\"\n[applied.x]\n", "p.toml:2:1: applied.x: there are no verdicts"},
		{small + "[calibrate]\nmodels = [\"wald\"]\n", "p.toml:15:1: calibrate: there is no teacher"},
		{small + "[teacher]\npath = \"spline\"\n[calibrate]\n", "p.toml:17:1: calibrate: nothing to calibrate"},
		{small + "[teacher]\npath = \"spline\"\n[sweep]\ntop = 2\n[calibrate]\ntop = 3\n", "p.toml:20:1: calibrate.top: 3: want at most as many"},
		{small + "[compile]\n", "p.toml:15:1: compile.models: want at least one model"},
		{"name = \"a\"\n[sweep]\n", "p.toml:2:1: sweep: there are no verdicts"},
		{"name = \"a\"\n[judge]\nbank = \"b\"\n", "p.toml:2:1: judge: there is nothing to judge"},
		{"name = \"a\"\nname = \"b\"", "p.toml:2:"},
		{strings.Replace(small, "\n", "\nmodel = \"angel\"\n", 1), `p.toml:2:1: model: model "angel": unknown; there are ddm, `},
		{strings.Replace(small, "\n", "\nmodel = \"angle\"\n", 1), "p.toml:8:1: search: the teacher that comes with likc is of ddm, not of angle"},
		{strings.Replace(small, "\n", "\nmodel = \"angle\"\n[teacher]\nkind = \"spline\"\n", 1) + "[sweep]\n", ""},
		{strings.Replace(strings.Replace(small, "\n", "\nmodel = \"angle\"\n[teacher]\nkind = \"spline\"\n", 1), "rows = \"rows\"\n", "", 1),
			"p.toml:10:1: search.rows: the rows that come with likc are of ddm, not of angle: name a bank of role search-rows"},
		{strings.Replace(small, "seeds = 2", "seeds = 1000000000", 1), "p.toml:9:1: search.seeds: 1000000000: want 0 to 100000"},
		{strings.Replace(small, "seeds = 2", "seeds = 2\nobjective = \"kl\"", 1), "p.toml:8:1: search.lambda: [0 0.3]: the objective kl has no weight of recovery"},
		{strings.Replace(small, "seeds = 2", "seeds = 60000", 1), "p.toml:9:1: search.seeds: 60000: want 1 to 50000 searches a weight"},
		{strings.Replace(small, "seeds = 2", "seeds = -1", 1), "p.toml:9:1: search.seeds: -1: want 0 to "},
		{strings.Replace(small, "evals = 1000", "evals = 9000000000000000000", 1), "p.toml:11:1: search.evals: 9000000000000000000: want 0 to "},
		{small + "draws = 2000000000\n", "p.toml:15:1: judge.draws: 2000000000: want 0 to "},
		{small + "[sweep]\nresamples = 9000000000000000000\n", "p.toml:16:1: sweep.resamples: 9000000000000000000: want 0 to "},
		{small + "also = [\"expr2\", \"--help\"]\n", `p.toml:15:1: judge.also: "--help": want a model`},
		{small + "args = [\"--help\"]\n", `p.toml:15:1: judge.args: "--help": the pipeline gives that itself`},
		{small + "args = [\"--figures=/tmp/x\"]\n", `p.toml:15:1: judge.args: "--figures=/tmp/x": writes files outside the run`},
		{small + "args = [\"-o\", \"/tmp/x\"]\n", `p.toml:15:1: judge.args: "-o": want flags in full`},
		{small + "[ppc]\nbank = \"test\"\ntop = 0\nmodels = [\"-h\"]\n", `p.toml:18:1: ppc.models: "-h": want a model`},
	} {
		_, err := Parse("p.toml", []byte(c.text))
		if c.want == "" && err == nil {
			continue
		}
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

// TestPlanOfDensities: searches for densities need no weight of recovery.
func TestPlanOfDensities(t *testing.T) {
	text := strings.Replace(strings.Replace(small, "lambda = [0, 0.3]", "objective = \"kl\"", 1), "seeds = 2", "seeds = 1\nargs = [\"--constants\"]", 1)
	const want = "search --rows {bank-rows} --lambda 0 --seed 5 --evals 1000 --objective kl --constants -o {out}/FRONT.jsonl"
	if got := strings.Join(plan(t, text)[1].Steps[0].Args, " "); got != want {
		t.Errorf("command %s, want %s", got, want)
	}
}

// TestOtherModel: a bank or a teacher that is there must be of the pipeline's process.
func TestOtherModel(t *testing.T) {
	const text = `name = "a"
model = %q
[bank.b]
path = "screen-40"
[teacher]
path = "spline"
`
	for model, want := range map[string]string{"ddm": "", "angle": "bank b: screen-40: of the model ddm, but the model of the pipeline is angle"} {
		r, err := Parse("p.toml", fmt.Appendf(nil, text, model))
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Plan(func(name string) (string, error) {
			return filepath.Join("../../../testdata", map[string]string{"screen-40": "banks", "spline": "teacher"}[name], name), nil
		})
		if got := fmt.Sprint(err); err != nil && got != want || err == nil && want != "" {
			t.Errorf("%s: %v, want %q", model, err, want)
		}
		r.Banks = nil
		_, err = r.Plan(func(string) (string, error) { return "../../../testdata/teacher/spline", nil })
		if (err == nil) != (want == "") || err != nil && err.Error() != "teacher: spline: of the model ddm, but the model of the pipeline is angle" {
			t.Errorf("%s: %v", model, err)
		}
	}
}

const beside = small + `[bank.screen]
role = "screen-40"
[bank.new]
role = "search-rows"
seed = 2
[bank.ungrouped]
role = "search-rows"
seed = 3
trials = 1
[teacher]
path = "spline"
[screen]
bank = "screen"
seed = 4
args = ["--fits"]
[refit]
bank = "test"
chains = 4
args = ["--max-gradients", "0"]
[new_rows]
bank = "new"
[search.ungrouped]
bank = "ungrouped"
seeds = 1
[sweep]
top = 2
`

func TestErrorsBesideTheSweep(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"[sweep]\ntop = 2\n", "", "p.toml:26:1: screen: there is no table for it to stand beside"},
		{"bank = \"screen\"", "bank = \"test\"", `p.toml:27:1: screen.bank: "test": the judge has its subjects`},
		{"role = \"screen-40\"", "role = \"test-60\"\nsubjects = 3", `p.toml:28:1: screen.bank: "screen": the judge has its subjects`},
		{"role = \"screen-40\"", "role = \"test-60\"\nsubjects = 9", `p.toml:28:1: screen.bank: "screen": the judge has its subjects`},
		{"role = \"screen-40\"", "path = \"test-60\"", `p.toml:27:1: screen.bank: "screen": the judge has its subjects`},
		{"bank = \"screen\"", "bank = \"scren\"", `p.toml:27:1: screen.bank: "scren": there is no such bank`},
		{"seed = 4\n", "seed = 4\nchains = 2\n", "p.toml:29:1: screen.chains: no such key"},
		{"[refit]\nbank = \"test\"", "[refit]\nbank = \"screen\"", `p.toml:31:1: refit.bank: "screen": want the judge's, "test"`},
		{"chains = 4\n", "chains = 4\nalso = [\"ddm\"]\n", "p.toml:33:1: refit.also: only forms of the searches"},
		{"chains = 4\nargs = [\"--max-gradients\", \"0\"]\n", "", "p.toml:30:1: refit: the fits are the judge's"},
		{"chains = 4\nargs = [\"--max-gradients\", \"0\"]\n", "chains = 2\nwarmup = 500\ndraws = 500\nseed = 1\n", "p.toml:30:1: refit: the fits are the judge's"},
		{"[teacher]\npath = \"spline\"\n", "", "p.toml:32:1: new_rows: there is no teacher"},
		{"bank = \"new\"", "bank = \"screen\"", `p.toml:35:1: new_rows.bank: "screen": of role screen-40; want search-rows`},
		{"bank = \"new\"", "bank = \"ungrouped\"", `p.toml:35:1: new_rows.bank: "ungrouped": searches see its subjects`},
		{"bank = \"new\"", "bank = \"rows\"", `p.toml:35:1: new_rows.bank: "rows": searches see its subjects`},
		{"seed = 2\n[bank.ungrouped]", "seed = 3\n[bank.ungrouped]", `p.toml:35:1: new_rows.bank: "new": searches see its subjects`},
		{"bank = \"ungrouped\"", "bank = \"new\"", `p.toml:37:1: search.ungrouped.bank: "new": want a bank to make, of role search-rows with trials = 1`},
		{"bank = \"ungrouped\"", "bank = \"rows\"", `p.toml:37:1: search.ungrouped.bank: "rows": want a bank to make, of role search-rows with trials = 1`},
		{"bank = \"ungrouped\"", "bank = \"none\"", `p.toml:37:1: search.ungrouped.bank: "none": there is no such bank`},
		{"seeds = 1\n", "seeds = 0\n", "p.toml:38:1: search.ungrouped.seeds: 0: want"},
	} {
		if strings.Count(beside, c.old) != 1 {
			t.Fatalf("%q is not once in the text", c.old)
		}
		_, err := Parse("p.toml", []byte(strings.Replace(beside, c.old, c.new, 1)))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q:\n got %v\nwant %s…", c.new, err, c.want)
		}
	}
	// The rows that come with the program are of seed 1, and so are those of a bank that names no seed.
	text := strings.Replace(strings.Replace(beside, "rows = \"rows\"\n", "", 1), "seed = 2\n", "", 1)
	if _, err := Parse("p.toml", []byte(text)); err == nil || !strings.Contains(err.Error(), `new_rows.bank: "new": searches see`) {
		t.Errorf("the program's rows anew: %v", err)
	}
}

// TestPlanBesideTheSweep: what stands beside the sweep is made before it, of the searches on grouped rows alone.
func TestPlanBesideTheSweep(t *testing.T) {
	units := map[string]pipeline.Unit{}
	var order []string
	for _, u := range plan(t, beside) {
		units[u.Name], order = u, append(order, u.Name)
	}
	if got := strings.Join(order[len(order)-7:], " "); got != "screen refit-list refit new-rows sweep sweep-ungrouped report" {
		t.Errorf("units %s", got)
	}
	const four = "{judge/lambda-0-seed-5}/VERDICTS.jsonl {judge/lambda-0-seed-6}/VERDICTS.jsonl {judge/lambda-0.3-seed-5}/VERDICTS.jsonl {judge/lambda-0.3-seed-6}/VERDICTS.jsonl"
	fronts := strings.NewReplacer("judge", "search", "VERDICTS", "FRONT").Replace(four)
	for name, want := range map[string]string{
		"screen":          "judge " + fronts + " --screen --bank {bank-screen}/bank --seed 4 --fits -o {out}/VERDICTS.jsonl",
		"refit-list":      "sweep --resamples 1 --refit-list {out}/REFIT.jsonl " + four,
		"refit":           "judge {refit-list}/REFIT.jsonl --allow-empty --bank {bank-test}/bank --chains 4 --max-gradients 0 -o {out}/VERDICTS.jsonl",
		"new-rows":        "teacher score {teacher}/teacher --bank {bank-new}/bank -o {out}/rows",
		"sweep":           "sweep --resamples 10000 --seed 1 --top 2 -o {out} " + four + " --long {refit}/VERDICTS.jsonl --screen {screen}/VERDICTS.jsonl --rows {new-rows}/rows",
		"sweep-ungrouped": "sweep --resamples 10000 --seed 1 --top 2 -o {out} {judge/lambda-0-ungrouped-seed-5}/VERDICTS.jsonl",

		"search/lambda-0-ungrouped-seed-5": "search --teacher {teacher}/teacher --rows {bank-ungrouped}/bank --lambda 0 --seed 5 --evals 1000 -o {out}/FRONT.jsonl",
		"judge/lambda-0-ungrouped-seed-5":  "judge {front}/FRONT.jsonl --bank {bank-test}/bank -o {out}/VERDICTS.jsonl",
	} {
		u, there := units[name]
		if !there {
			t.Errorf("there is no %s", name)
			continue
		}
		if got := strings.Join(u.Steps[0].Args, " "); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
		for _, in := range u.Inputs { // a name in a command is a path only if it is an input
			if in.Unit != "" && slices.Index(order, in.Unit) >= slices.Index(order, name) {
				t.Errorf("%s stands before %s", name, in.Unit)
			}
			if !strings.Contains(want, "{"+in.Label+"}") {
				t.Errorf("%s does not read %s", name, in.Label)
			}
		}
		if n := strings.Count(want, "{") - 1; len(u.Inputs) != n {
			t.Errorf("%s has %d inputs, but names %d", name, len(u.Inputs), n)
		}
	}
}

// TestPlanPolish: the polished front is made of all searches' fronts, judged as they are, and counted by itself.
func TestPlanPolish(t *testing.T) {
	units := map[string]string{}
	for _, u := range plan(t, small+"[sweep]\ntop = 2\n[polish]\ntop = 4\nevals = 100\nargs = [\"--subjects\", \"30\"]\n") {
		units[u.Name] = strings.Join(u.Steps[0].Args, " ")
	}
	for name, want := range map[string]string{
		"polish": "polish {search/lambda-0-seed-5}/FRONT.jsonl {search/lambda-0-seed-6}/FRONT.jsonl {search/lambda-0.3-seed-5}/FRONT.jsonl {search/lambda-0.3-seed-6}/FRONT.jsonl " +
			"--rows {bank-rows} --top 4 --evals 100 --subjects 30 -o {out}/FRONT.jsonl",
		"judge/polish":   "judge {front}/FRONT.jsonl --bank {bank-test}/bank -o {out}/VERDICTS.jsonl",
		"sweep-polished": "sweep --resamples 10000 --seed 1 --top 2 -o {out} {judge/polish}/VERDICTS.jsonl",
	} {
		if units[name] != want {
			t.Errorf("%s:\n got %s\nwant %s", name, units[name], want)
		}
	}
	_, err := Parse("p.toml", []byte("name = \"p\"\n[polish]\n"))
	if err == nil || !strings.HasPrefix(err.Error(), "p.toml:2:1: polish: there is no front to climb from") {
		t.Error(err)
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
	files, err := filepath.Glob("../../../testdata/pipelines/*.toml")
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

// The models that are named and the best of the sweep are each calibrated by the admitted teacher, and judged together on the judge's bank.
func TestPlanCalibrate(t *testing.T) {
	units := plan(t, small+"[teacher]\npath = \"spline\"\n[gate]\nbank = \"test\"\n[sweep]\n[calibrate]\nmodels = [\"wald\"]\ntop = 1\nreference = \"ddm\"\nargs = [\"--degree\", \"5\"]\n")
	var got []string
	for _, u := range units {
		if u.Stage == "calibrate" {
			got = append(got, u.Name+": "+strings.Join(u.Steps[0].Args, " "))
		}
	}
	want := []string{
		"calibrate/wald: calibrate wald --teacher {gate}/teacher --degree 5 -o {out}/CALIBRATED.lik",
		"calibrate/top1: calibrate {sweep}/TOP.lik#top1 --teacher {gate}/teacher --degree 5 -o {out}/CALIBRATED.lik",
		"judge/calibrated: judge {calibrate/wald}/CALIBRATED.lik {calibrate/top1}/CALIBRATED.lik --reference ddm --bank {bank-test}/bank -o {out}/VERDICTS.jsonl",
	}
	if !slices.Equal(got, want) {
		t.Errorf("units\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Every whole number of a pipeline has bounds, but for seeds, which may be any.
func TestNumbersHaveBounds(t *testing.T) {
	for _, name := range testdata.PipelineNames() {
		r, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range r.settings() {
			if s.Field.CanInt() && s.Tag("in") == "" {
				t.Errorf("%s: %s has no bounds", name, s.key)
			}
		}
	}
}
