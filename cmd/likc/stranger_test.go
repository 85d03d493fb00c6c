package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"likc/compiler/syntax"
	"likc/runtime/model/catalog"
	"likc/runtime/model/front"
	"likc/runtime/model/neural"
	"likc/runtime/model/ssm"
	"likc/search/study/bank"
	"likc/search/study/judge"
)

// init registers a process that likc does not have. This is all that a programmer writes to add one. Its parameters have other names, another
// order and other ranges than those of likc's processes, and it has neither an exact sampler nor a density.
func init() {
	if os.Getenv(knowHurry) == "" {
		return // the other tests expect only the models of likc
	}
	ssm.Register(&ssm.Model{
		Name:    "hurry",
		Process: "dV = drift dτ + dW, bounds collapse as b(τ) = bound exp(-urgency τ)",
		Cites:   "a stranger",
		Params: []ssm.Param{
			{Name: "drift", Lower: -3, Upper: 3, Meaning: "mean evidence a second", Mirror: ssm.Negate, Domain: ssm.Finite},
			{Name: "bound", Lower: 0.5, Upper: 2, Meaning: "half the separation of the boundaries at the start", Mirror: ssm.Same, Domain: ssm.Positive},
			{Name: "start", Lower: -0.5, Upper: 0.5, Meaning: "start point, as a share of bound", Mirror: ssm.Negate, Domain: ssm.Finite},
			{Name: "delay", Lower: 0.1, Upper: 1, Meaning: "seconds before evidence accumulates", Mirror: ssm.Same, Domain: ssm.Positive},
			{Name: "urgency", Lower: 0, Upper: 1, Meaning: "rate of the collapse a second", Mirror: ssm.Same, Domain: ssm.Finite},
		},
		Choices: []float64{1, -1},
		Onset:   "delay",
		Example: []float64{1, 1.2, 0.1, 0.3, 0.4},
		Diffusion: func(theta []float64) ssm.Diffusion {
			drift, bound, start, delay, urgency := theta[0], theta[1], theta[2], theta[3], theta[4]
			return ssm.Diffusion{Onset: delay, Start: bound * start,
				Drift: func(float64, float64) float64 { return drift },
				Bound: func(tau float64) float64 { return bound * math.Exp(-urgency*tau) }}
		},
	})
}

// knowHurry is the environment variable with which the model is registered, also in the commands that the test starts.
const knowHurry = "LIKC_TEST_HURRY"

// knowing reports whether the model is registered in this process. If not, it runs the test again in a process in which it is.
func knowing(t *testing.T) bool {
	t.Helper()
	if os.Getenv(knowHurry) != "" {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), knowHurry+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

var strange = []string{"drift", "bound", "start", "delay", "urgency"}

// TestStranger takes the process from its simulator to a report, command by command.
func TestStranger(t *testing.T) {
	if !knowing(t) {
		return
	}
	dir := t.TempDir()
	simulateStranger(t, dir)
	bankStranger(t, dir)
	teachStranger(t, dir)
	searchStranger(t, dir)
	judgeStranger(t, dir)
	checkStranger(t, dir)
	mustRun(t, dir, "sweep", "V.jsonl", "-o", "sweep", "--top", "2", "--resamples", "100")
	models, err := syntax.Read("TOP.lik", bytes.NewReader(contentsOf(t, dir, "sweep/TOP.lik")))
	if err != nil || len(models) < 2 {
		t.Fatalf("TOP.lik: %d models, %v", len(models), err)
	}
	for _, m := range models {
		if !slices.Equal(m.ParamNames(), strange) || m.Simulator.Name != "hurry" {
			t.Errorf("TOP.lik: %s is of %v", m.Name, m.ParamNames())
		}
	}
	mustRun(t, dir, "report", "sweep", "-o", "sweep.html")
	mustShow(t, string(contentsOf(t, dir, "sweep.html")), strange)
}

// simulateStranger compares trials at urgency 0 with the probability of the upper boundary in closed form: of a Wiener process
// between constant boundaries (Cox & Miller 1965, The Theory of Stochastic Processes, 5.7).
func simulateStranger(t *testing.T, dir string) {
	t.Helper()
	const n, drift, bound, start, delay = 3000, 0.5, 1.0, 0.3, 0.4
	mustRun(t, dir, "simulate", "hurry", "--theta", "drift=0.5,bound=1,start=0.3,delay=0.4,urgency=0", "-n", strconv.Itoa(n), "-o", "trials.csv")
	lines := strings.Split(strings.TrimSpace(string(contentsOf(t, dir, "trials.csv"))), "\n")
	if lines[0] != "rt,choice" || len(lines) != n+1 {
		t.Fatalf("%d lines, the first is %q", len(lines), lines[0])
	}
	upper := 0.0
	for _, line := range lines[1:] {
		rt, choice, _ := strings.Cut(line, ",")
		if seconds, err := strconv.ParseFloat(rt, 64); err != nil || seconds <= delay {
			t.Fatalf("%q: %v", line, err)
		}
		if choice == "1" {
			upper++
		}
	}
	want := (1 - math.Exp(-2*drift*bound*(1+start))) / (1 - math.Exp(-4*drift*bound))
	if tolerance := 5 * math.Sqrt(want*(1-want)/n); math.Abs(upper/n-want) > tolerance {
		t.Errorf("%.3f at the upper boundary, want %.3f ± %.3f", upper/n, want, tolerance)
	}
	out, err := likcCommand(dir, "simulate", "hurry", "--theta", "v=1,a=1,z=0.5,t=0.3", "-o", "wrong.csv").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "no such parameter; hurry has "+strings.Join(strange, ", ")) {
		t.Errorf("parameters of another model: %v: %s", err, out)
	}
}

// bankStranger makes the banks of every role that the later commands read.
func bankStranger(t *testing.T, dir string) {
	t.Helper()
	for _, b := range []struct{ role, subjects, trials string }{
		{"teacher-train", "400", "20"}, {"search-rows", "60", "10"}, {"test-60", "4", "80"}, {"gate-100", "3", "80"},
	} {
		mustRun(t, dir, "bank", "make", "--role", b.role, "--model", "hurry", "--subjects", b.subjects, "--trials", b.trials, "-o", b.role)
		made, err := bank.Open(filepath.Join(dir, b.role))
		if err != nil || made.Settings.Model != "hurry" || made.Settings.Scheme != "bridge" || len(made.Settings.Params) != len(strange) {
			t.Fatalf("%s: %+v, %v", b.role, made, err)
		}
		for i, p := range made.Settings.Params {
			if p.Name != strange[i] {
				t.Errorf("%s: parameter %d is %s", b.role, i, p.Name)
			}
		}
		for _, s := range made.Subjects {
			if slices.Min(s.RT) <= s.Theta[3] || b.role == "search-rows" && slices.Min(s.Choice) < 0 {
				t.Errorf("%s: subject %d at %v has trials %v, %v", b.role, s.ID, s.Theta, s.RT, s.Choice)
			}
		}
	}
}

// teachStranger trains a teacher so shortly that it fails its gate, and checks the gate's report.
func teachStranger(t *testing.T, dir string) {
	t.Helper()
	mustRun(t, dir, "teacher", "train", "--kind", "spline", "--model", "hurry", "--bank", "teacher-train", "--epochs", "4", "-o", "teacher")
	out, err := likcCommand(dir, "teacher", "gate", "teacher", "--bank", "gate-100").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "likc: teacher: does not pass: ") {
		t.Errorf("gate: %v\n%s", err, out)
	}
	o, err := neural.Open(filepath.Join(dir, "teacher"))
	if err != nil {
		t.Fatal(err)
	}
	if o.Simulator.Name != "hurry" {
		t.Errorf("the teacher is of %s", o.Simulator.Name)
	}
	for _, name := range strange {
		if name = "recovery_" + name; !strings.Contains(string(o.Gate), `"`+name+`"`) || !strings.Contains(string(out), name) {
			t.Errorf("the gate does not report %s", name)
		}
	}
}

// searchStranger searches with one thread and with two.
func searchStranger(t *testing.T, dir string) {
	t.Helper()
	search := []string{"search", "--teacher", "teacher", "--rows", "search-rows", "--evals", "3000", "--max-size", "20"}
	out, err := likcCommand(dir, append(search, "-o", "gated.jsonl")...).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "does not pass its gate") {
		t.Errorf("a search by a teacher that did not pass: %v: %s", err, out)
	}
	for _, threads := range []string{"1", "2"} {
		mustRun(t, dir, append(search, "--ungated", "--threads", threads, "-o", "F"+threads+".jsonl")...)
	}
	for _, ending := range []string{".jsonl", ".csv"} {
		if !bytes.Equal(contentsOf(t, dir, "F1"+ending), contentsOf(t, dir, "F2"+ending)) {
			t.Errorf("fronts of one thread and of two differ: %s", ending)
		}
	}
	lines, err := front.ReadFile(filepath.Join(dir, "F1.jsonl"), catalog.Headers)
	if err != nil || len(lines) < 3 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	for _, l := range lines {
		if !slices.Equal(l.Parsed.ParamNames(), strange) || len(l.Parsed.Support) != 1 || l.Parsed.Support[0].Left.Name != "delay" {
			t.Errorf("%s is of %v with support %v", l.Expr, l.Parsed.ParamNames(), l.Parsed.Support)
		}
		for _, name := range strange {
			if _, ok := l.Terms["rho_"+name]; !ok {
				t.Errorf("%s has no recovery of %s", l.Expr, name)
			}
		}
	}
}

// judgeStranger judges the front, then the teacher. Although the teacher is poor, fits with it recover at least the delay.
func judgeStranger(t *testing.T, dir string) {
	t.Helper()
	fast := []string{"--bank", "test-60", "--chains", "1", "--warmup", "80", "--draws", "60"}
	mustRun(t, dir, append([]string{"judge", "F1.jsonl", "-o", "V.jsonl", "--fits"}, fast...)...)
	mustRun(t, dir, append([]string{"judge", "teacher", "F1.jsonl#2", "-o", "T.jsonl"}, fast...)...)
	verdicts, err := judge.ReadFile(filepath.Join(dir, "V.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := judge.ReadFile(filepath.Join(dir, "T.jsonl"))
	if err != nil || len(other) != 2 || other[1].Model != "F1_2" {
		t.Fatalf("%+v, %v", other, err)
	}
	for _, v := range append(verdicts, other...) {
		if len(v.Params) != len(strange) {
			t.Fatalf("%s has %d parameters", v.Model, len(v.Params))
		}
		for i, p := range v.Params {
			if p.Name != strange[i] {
				t.Errorf("%s: parameter %d is %s", v.Model, i, p.Name)
			}
		}
	}
	if delay := other[0].Params[3]; !(delay.R > 0.8) || other[0].Failed > 0 {
		t.Errorf("the teacher recovers the delay with r = %v, %d fits failed", delay.R, other[0].Failed)
	}
}

// checkStranger runs ppc, sbc and audit on two lines of the front, and on the teacher if the command accepts a teacher.
func checkStranger(t *testing.T, dir string) {
	t.Helper()
	for _, c := range []struct {
		args, models []string
	}{
		{[]string{"ppc", "F1.jsonl#1", "F1.jsonl#2", "teacher", "--bank", "test-60", "--chains", "1", "--warmup", "60", "--draws", "40", "--replicates", "2", "--trials", "80"}, []string{"F1_1", "F1_2", "teacher"}},
		{[]string{"sbc", "F1.jsonl#1", "teacher", "--chains", "1", "--warmup", "100", "--draws", "99", "--simulations", "10", "--trials", "40"}, []string{"F1_1", "teacher"}},
		{[]string{"audit", "F1.jsonl#1", "F1.jsonl#2", "--bank", "test-60", "--sample", "2000"}, []string{"F1_1", "F1_2"}},
	} {
		mustRun(t, dir, append(c.args, "-o", c.args[0])...)
		for _, m := range c.models {
			text := string(contentsOf(t, dir, filepath.Join(c.args[0], m+".json")))
			for _, name := range strange {
				if !strings.Contains(text, `"name":"`+name+`"`) {
					t.Errorf("%s of %s does not name %s", c.args[0], m, name)
				}
			}
			if c.args[0] == "sbc" && !regexp.MustCompile(`"logz_gap_max":[0-9]`).MatchString(text) {
				t.Errorf("sbc of %s: the integral over the density is not a number", m)
			}
		}
	}
}

// TestFlaggedCalibration: the table of sbc has all its columns even if the chains of all simulations are too short to judge, as with ten draws.
func TestFlaggedCalibration(t *testing.T) {
	out, err := likcCommand(t.TempDir(), "sbc", "wald", "--chains", "1", "--warmup", "20", "--draws", "10", "--kept", "9", "--simulations", "10", "--trials", "30").Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(out), "\n")
	columns := regexp.MustCompile(`  +`)
	if head, row := columns.Split(lines[0], -1), columns.Split(lines[1], -1); len(head) != len(row) || !slices.Contains(row, "-") {
		t.Errorf("%d columns under %d headings:\n%s", len(row), len(head), out)
	}
}

// contentsOf reads a file.
func contentsOf(t *testing.T, dir, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// mustShow fails the test for each word that the text does not contain.
func mustShow(t *testing.T, text string, words []string) {
	t.Helper()
	for _, w := range words {
		if !regexp.MustCompile(`\b` + regexp.QuoteMeta(w) + `\b`).MatchString(text) {
			t.Errorf("%s is not shown", w)
		}
	}
}

// strangeRun is a pipeline with one search on the model %q, for which it makes banks and a teacher.
const strangeRun = `name = "strange"
model = %q
[bank.train]
role = "teacher-train"
subjects = 300
[bank.rows]
role = "search-rows"
subjects = 60
trials = 10
[bank.test]
role = "test-60"
subjects = 4
trials = 60
[bank.new]
role = "holdout-90"
subjects = 3
trials = 60
[teacher]
kind = "spline"
bank = "train"
args = ["--epochs", "2"]
[search]
lambda = [1]
seeds = 1
evals = 2000
max_size = 20
rows = "rows"
ungated = true
[judge]
bank = "test"
chains = 1
warmup = 60
draws = 40
[sweep]
top = 1
resamples = 100
[holdout]
bank = "new"
chains = 1
warmup = 60
draws = 40
`

// strangeChecks are further stages of strangeRun. Fifty draws are too few for a verdict of sbc, and the report must say so.
const strangeChecks = `[ppc]
bank = "test"
args = ["--chains", "1", "--warmup", "60", "--draws", "40", "--replicates", "2", "--trials", "60"]
[sbc]
args = ["--chains", "1", "--warmup", "60", "--draws", "50", "--kept", "49", "--simulations", "10", "--trials", "40"]
[audit]
bank = "test"
args = ["--sample", "2000"]
`

// TestStrangeRuns runs a pipeline with the process that this file defines, and with angle, which has a parameter that no other process has and
// no exact sampler.
func TestStrangeRuns(t *testing.T) {
	if !knowing(t) {
		return
	}
	for model, more := range map[string]string{"hurry": strangeChecks, "angle": ""} {
		t.Run(model, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "p.toml"), []byte(fmt.Sprintf(strangeRun, model)+more), 0o644); err != nil {
				t.Fatal(err)
			}
			mustRun(t, dir, "run", "p.toml", "-o", "run")
			process, err := ssm.Lookup(model)
			if err != nil {
				t.Fatal(err)
			}
			page := string(contentsOf(t, dir, "run/report/index.html"))
			for _, p := range process.Params {
				mustShow(t, page, []string{"r of " + p.Name})
			}
			if more != "" && !strings.Contains(page, "None of the 10 simulations had chains that one can judge by") {
				t.Error("the report does not say that nothing can be said of calibration")
			}
			mustShow(t, page, []string{"neural likelihood of the " + model + " model", "would come before " + process.Onset})
			out, err := likcCommand(dir, "run", "p.toml", "-o", "run").CombinedOutput()
			if err != nil || !strings.Contains(string(out), " 0 made now") {
				t.Errorf("run again: %v: %s", err, out)
			}
		})
	}
}
