package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
		t.Skipf("Slurm does not start here: %v: %s", err, out) // a machine may forbid what its daemons want
	}
	t.Setenv("SLURM_CONF", filepath.Join(dir, "slurm.conf"))
}

// divided is a pipeline some of whose units a cluster divides: a judge with many gradients a candidate, and a calibration.
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
top = false
args = ["--simulations", "60", "--trials", "20", "--chains", "1", "--warmup", "50", "--draws", "50", "--kept", "9"]
`, 1)

// interruptInQueue presses Ctrl-C as soon as the run has a job in the queue: the job stays there.
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

// TestRunOnSlurm: a run on a cluster, interrupted once while its jobs are in the queue, has the bytes of one on this machine: tables,
// report, records and manifest. With LIKC_LONG it is the pipeline quick.
func TestRunOnSlurm(t *testing.T) {
	startSlurm(t)
	dir := t.TempDir()
	pipeline := "quick"
	if os.Getenv("LIKC_LONG") == "" {
		pipeline = "p.toml"
		if err := os.WriteFile(filepath.Join(dir, pipeline), []byte(divided), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	mustRun(t, dir, "run", pipeline, "-o", "here")
	there := []string{"run", pipeline, "-o", "there", "--engine", "slurm", "--poll", "300ms", "--slurm-arg", "--time=00:10:00"}
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
	if pipeline == "quick" {
		return
	}
	for _, log := range []string{"holdout.part-2-of-2.log", "sbc.part-3-of-3.log"} {
		if _, err := os.Stat(filepath.Join(dir, "there", "logs", log)); err != nil {
			t.Error(err)
		}
	}
}

// TestOnSlurm: judge and sbc write the same files when a cluster does their work, and tidy up.
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
	for _, c := range []struct {
		out     string
		compare []string
		args    []string
	}{
		{"VERDICTS.jsonl", []string{"", ".sha256"}, []string{"judge", "sub/FRONT.jsonl", "expr1", "ddm", "--bank", "bank", "--chains", "4", "--warmup", "2500", "--draws", "2500", "--max-gradients", "500"}},
		{"SBC", []string{"/expr2.json", "/expr2.jsonl", "/expr2.svg", "/ddm.json"}, []string{"sbc", "expr2", "ddm", "--simulations", "30", "--trials", "20", "--warmup", "50", "--draws", "50", "--kept", "9"}},
	} {
		mustRun(t, dir, append(c.args, "-o", "here-"+c.out)...)
		mustRun(t, dir, append(c.args, "-o", "there-"+c.out, "--on", "slurm", "--poll", "300ms", "--slurm-arg", "--time=00:10:00")...)
		for _, name := range c.compare {
			here, err := os.ReadFile(filepath.Join(dir, "here-"+c.out+name))
			there, err2 := os.ReadFile(filepath.Join(dir, "there-"+c.out+name))
			if err != nil || err2 != nil || !bytes.Equal(here, bytes.ReplaceAll(there, []byte("there-"), []byte("here-"))) {
				t.Errorf("%s%s differs: %v, %v\n%s\n%s", c.out, name, err, err2, here, there)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "there-"+c.out+".parts")); err == nil {
			t.Error("the folder of the parts is left behind")
		}
	}
}
