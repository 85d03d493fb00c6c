package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// startSlurm starts a real Slurm of one machine, or skips the test where it is not installed or does not start.
func startSlurm(t *testing.T) {
	t.Helper()
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin:/sbin")
	for _, program := range []string{"sbatch", "slurmctld", "slurmd", "munged"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("Slurm is not installed: apt-get install slurmctld slurmd slurm-client munge")
		}
	}
	dir, err := os.MkdirTemp("", "likc-slurm-")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("SLURM_CI_DIR", dir)
	t.Setenv("SLURM_CI_CPUS", "4")
	t.Cleanup(func() { exec.Command("../../testdata/slurm/down.sh", "--purge").Run() })
	if out, err := exec.Command("../../testdata/slurm/up.sh").CombinedOutput(); err != nil {
		t.Skipf("Slurm does not start here: %v: %s", err, out) // a machine may forbid system calls that its daemons need
	}
	t.Setenv("SLURM_CONF", filepath.Join(dir, "slurm.conf"))
}

// divided is a pipeline with units that a run on a cluster divides into several tasks: a judge with many gradients for each candidate, and a
// calibration check.
var divided = strings.Replace(killed, `[holdout]
bank = "test"
chains = 1
warmup = 60
draws = 20
`, `[holdout]
bank = "test"
chains = 4
warmup = 500
draws = 500
also = ["expr1", "expr2", "expr3", "expr4", "expr5", "expr4a", "expr5a", "wald", "ddm", "expr2"]
args = ["--max-gradients", "1000"]
[sbc]
models = ["expr2", "ddm"]
top = 0
args = ["--simulations", "60", "--trials", "20", "--chains", "1", "--warmup", "50", "--draws", "50", "--kept", "9"]
`, 1)

// interruptInQueue interrupts a command as soon as it has a job in the queue. The job must stay in the queue.
func interruptInQueue(t *testing.T, dir string, args ...string) {
	t.Helper()
	var out bytes.Buffer
	cmd := likcCommand(dir, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 1200 {
		saved, _ := filepath.Glob(filepath.Join(dir, "there", ".work", "arrays", "*.json"))
		if len(saved) > 0 {
			if text, err := os.ReadFile(saved[0]); err == nil && bytes.Contains(text, []byte(`"id":`)) {
				break
			}
		}
		time.Sleep(25 * time.Millisecond)
	}
	cmd.Process.Signal(os.Interrupt)
	err := cmd.Wait()
	if cmd.ProcessState.ExitCode() != 1 || !regexp.MustCompile(`likc: interrupted: \d of \d+ units are done in there; in the queue stay job \d+ \(\d tasks?\); give the same`).Match(out.Bytes()) {
		t.Errorf("%v: %s", err, out.Bytes())
	}
}

// TestRunOnSlurm: a run on a cluster that is interrupted while its jobs are in the queue, and started again, writes the same bytes as a run
// on this machine: tables, report, records and manifest. With LIKC_LONG it runs the pipeline quick with shorter searches, else the shorter
// pipeline divided.
func TestRunOnSlurm(t *testing.T) {
	startSlurm(t)
	dir := t.TempDir()
	pipeline, long := divided, os.Getenv("LIKC_LONG") != ""
	if long {
		quick, err := os.ReadFile("../../testdata/pipelines/quick.toml")
		if err != nil || !bytes.Contains(quick, []byte("evals = 50_000")) {
			t.Fatal(err)
		}
		pipeline = strings.Replace(string(quick), "evals = 50_000", "evals = 5_000", 1)
	}
	if err := os.WriteFile(filepath.Join(dir, "p.toml"), []byte(pipeline), 0o644); err != nil {
		t.Fatal(err)
	}
	mustRun(t, dir, "run", "p.toml", "-o", "here")
	there := []string{"run", "p.toml", "-o", "there", "--engine", "slurm", "--poll", "300ms", "--slurm-arg", "--time=00:10:00"}
	interruptInQueue(t, dir, there...)
	mustRun(t, dir, there...)
	here, made := contents(t, filepath.Join(dir, "here")), contents(t, filepath.Join(dir, "there"))
	for name, sum := range here {
		if made[name] != sum {
			t.Errorf("%s differs", name)
		}
	}
	for name := range made {
		if here[name] == "" {
			t.Errorf("%s is left behind", name)
		}
	}
	if len(here) < 20 || here["report/index.html"] == "" {
		t.Errorf("only %d files were compared", len(here))
	}
	logs, _ := filepath.Glob(filepath.Join(dir, "there", "logs", "tasks", "likc-*_0.log"))
	if len(logs) < 3 { // searches, judges, holdout
		t.Errorf("%d arrays were in the queue: %s", len(logs), strings.Join(logs, " "))
	}
	if long {
		return
	}
	for _, log := range []string{"holdout.part-2-of-2.log", "sbc.part-3-of-3.log"} {
		if _, err := os.Stat(filepath.Join(dir, "there", "logs", log)); err != nil {
			t.Error(err)
		}
	}
}

// TestOnSlurm: commands write the same files when a cluster does their work, and remove their temporary files.
func TestOnSlurm(t *testing.T) {
	startSlurm(t)
	dir := t.TempDir()
	mustRun(t, dir, "bank", "make", "--role", "test-60", "--subjects", "2", "--trials", "20", "-o", "bank")
	front := `{"expr":"-a*t + v*z - rt","size":7,"model":"ddm"}` + "\n" + `{"expr":"v*z - a*t - rt","size":7,"model":"ddm"}` + "\n"
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sub", "FRONT.jsonl"), []byte(front), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS("../../testdata/fronts/improved-l1")); err != nil {
		t.Fatal(err)
	}
	all := []onSlurm{
		{"VERDICTS.jsonl", []string{"", ".sha256"}, []string{"judge", "sub/FRONT.jsonl", "expr1", "ddm", "--bank", "bank", "--chains", "4", "--warmup", "2500", "--draws", "2500", "--max-gradients", "500"}},
		{"SBC", []string{"/expr2.json", "/expr2.jsonl", "/expr2.svg", "/ddm.json"}, []string{"sbc", "expr2", "ddm", "--simulations", "30", "--trials", "20", "--warmup", "50", "--draws", "50", "--kept", "9"}},
		{"RECOVERY", []string{"/ddm.json", "/ddm.jsonl", "/ddm.svg"}, []string{"recover", "ddm", "--subjects", "45", "--trials", "20", "--chains", "1", "--warmup", "60", "--draws", "60"}},
		{"FIT", []string{"/subjects.csv", "/summary.json", "/subject_0/summary.json", "/subject_0/chain_1.csv", "/subject_1/rank.svg", "/subject_1/loo.csv"},
			[]string{"fit", "ddm", "--data", "bank/trials.parquet", "--subject", "subject", "--chains", "1", "--warmup", "60", "--draws", "60"}},
		{"SEARCH.jsonl", []string{"", ".sha256"}, []string{"search", "--evals", "3000", "--max-size", "12"}}, // a search is one task
	}
	if os.Getenv("LIKC_LONG") != "" {
		all = append(all, slowOnSlurm...)
	}
	for _, c := range all {
		mustRun(t, dir, append(c.args, "-o", "here-"+c.out)...)
		there := append(c.args, "-o", "there-"+c.out, "--on", "slurm", "--poll", "300ms", "--slurm-arg", "--time=00:10:00")
		if c.out == "RECOVERY" || c.out == "FIT" || c.out == "SEARCH.jsonl" { // interrupt the command while its jobs are in the queue, and start it again
			mustRun(t, dir, append(there, "--detach")...)
			if _, err := os.Stat(filepath.Join(dir, "there-"+c.out+".parts", "plan.json")); err != nil {
				t.Error(err)
			}
		}
		mustRun(t, dir, there...)
		compareOnSlurm(t, dir, c)
	}
}

// onSlurm is a command with its output. compare lists endings that are added to out: the files that must be the same with and without a
// cluster.
type onSlurm struct {
	out     string
	compare []string
	args    []string
}

// slowOnSlurm are the commands that only the long suite runs on a cluster.
var slowOnSlurm = []onSlurm{
	{"CONFUSION", []string{"/confusion.json", "/confusion.jsonl", "/confusion.svg"}, []string{"confuse", "exgaussian", "shifted_lognormal", "--subjects", "8", "--trials", "20", "--chains", "1", "--warmup", "60", "--draws", "60"}},
	{"STUDIES", []string{"/ddm.json", "/ddm.jsonl"}, []string{"recover", "ddm", "--formula", "v ~ 1 + (1 | who)", "--studies", "2", "--subjects", "3", "--trials", "20", "--chains", "1", "--warmup", "60", "--draws", "60"}},
	{"PPC", []string{"/expr2.json", "/expr2.jsonl", "/expr2.svg", "/ddm.json"}, []string{"ppc", "expr2", "ddm", "--bank", "bank", "--chains", "1", "--warmup", "60", "--draws", "60", "--replicates", "5"}},
	{"ABLATION", []string{"/expr2.json", "/expr2.jsonl", "/expr2.svg"}, []string{"ablate", "expr2", "--bank", "bank", "--chains", "1", "--warmup", "60", "--draws", "40"}},
	{"POLISHED.jsonl", []string{"", ".sha256"}, []string{"polish", "improved-l1-s1.jsonl", "--top", "2", "--evals", "20"}},
	{"CALIBRATED.lik", []string{""}, []string{"calibrate", "wald", "--teacher", "ddm", "--points", "200", "--degree", "2"}},
	{"TEACHER", []string{"/weights.bin", "/teacher.json", "/MANIFEST.sha256"}, []string{"teacher", "train", "--subjects", "64", "--trials", "50", "--epochs", "2"}},
	{"AUDIT", []string{"/expr2.json", "/expr2.jsonl", "/expr2.svg"}, []string{"audit", "expr2", "--bank", "bank", "--guesses", "0.0123456789"}},
}

// seconds matches the times in a file, and the checksum of a file that contains times.
var seconds = regexp.MustCompile(`"(seconds|sha256)": \S+`)

// compareOnSlurm compares the files that a command has written on this machine and on a cluster, and checks that the folder of the parts is
// removed.
func compareOnSlurm(t *testing.T, dir string, c onSlurm) {
	t.Helper()
	for _, name := range c.compare {
		here, err := os.ReadFile(filepath.Join(dir, "here-"+c.out+name))
		there, err2 := os.ReadFile(filepath.Join(dir, "there-"+c.out+name))
		there = seconds.ReplaceAll(bytes.ReplaceAll(there, []byte("there-"), []byte("here-")), nil)
		if err != nil || err2 != nil || !bytes.Equal(seconds.ReplaceAll(here, nil), there) {
			t.Errorf("%s%s differs: %v, %v\n%s\n%s", c.out, name, err, err2, here, there)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "there-"+c.out+".parts")); err == nil {
		t.Error("the folder of the parts is left behind")
	}
}

// TestPartsOnSlurm: if a command's jobs are refused, or its output belongs to another run, it leaves no folder of parts. If its jobs are
// cancelled, the folder keeps logs and finished parts until the same command completes the work.
func TestPartsOnSlurm(t *testing.T) {
	startSlurm(t)
	dir := t.TempDir()
	recovery := func(more ...string) []string {
		return append([]string{"recover", "lognormal", "--subjects", "25", "--trials", "3000", "--chains", "1", "--draws", "4000", "-o", "out"}, more...)
	}
	parts := filepath.Join(dir, "out.parts")
	fails := func(want string, args ...string) {
		t.Helper()
		out, err := likcCommand(dir, args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) || strings.Count(string(out), "likc: ") != 1 {
			t.Errorf("%v: %s\nwant %s", err, out, want)
		}
	}
	fails("part-1 and 1 more: sbatch: invalid partition specified: nosuch; Invalid partition", recovery("--on", "slurm", "--slurm-arg", "--partition=nosuch")...)
	if _, err := os.Stat(parts); err == nil {
		t.Error("a job that was refused leaves a folder")
	}
	mustRun(t, dir, recovery("--on", "slurm", "--detach")...)
	for range 400 {
		if _, err := os.Stat(filepath.Join(parts, "logs", "part-1.log")); err == nil {
			break
		}
		time.Sleep(25 * time.Millisecond)
	}
	exec.Command("scancel", "--user="+strconv.Itoa(os.Getuid())).Run()
	// The command ends with an error if it sees the cancellation. If the jobs are gone before it looks, it submits their work again.
	if out, err := likcCommand(dir, recovery("--on", "slurm", "--poll", "200ms")...).CombinedOutput(); err != nil {
		if !strings.Contains(string(out), "are in out.parts: give the same command again") {
			t.Errorf("%v: %s", err, out)
		}
		mustRun(t, dir, recovery("--on", "slurm", "--poll", "200ms")...)
	}
	for range 400 { // wait for the queue to become empty, because the folder of the parts stays while a job is ending
		if out, err := exec.Command("squeue", "--noheader").Output(); err == nil && len(out) == 0 {
			break
		}
		time.Sleep(25 * time.Millisecond)
	}
	mustRun(t, dir, recovery()...)
	if _, err := os.Stat(parts); err == nil {
		t.Error("the folder of the parts stays after this machine has done the work")
	}
	fails("holds a run with other settings", recovery("--seed", "2", "--on", "slurm")...)
	if _, err := os.Stat(parts); err == nil {
		t.Error("a refused command leaves a folder of parts")
	}
}
