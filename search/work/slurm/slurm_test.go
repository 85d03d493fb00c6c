//go:build unix

package slurm

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"likc/search/work/cluster"
)

// fake puts a command on PATH that prints what the test says, and writes its arguments, environment and input to files.
func fake(t *testing.T, name, out, problem string, status int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for file, text := range map[string]string{"out": out, "problem": problem} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text := fmt.Sprintf("#!/bin/sh\nd='%s'\nprintf '%%s\\n' \"$@\" > $d/args\nenv > $d/env\ncat > $d/in\ncat $d/out\ncat $d/problem >&2\nexit %d\n", dir, status)
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return dir
}

func read(t *testing.T, dir, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var sample = cluster.Array{Name: "likc-x-1", Dir: "/home/o'hara/run", Program: "/home/o'hara/likc", Sum: "abc", List: "/l.tasks", Tasks: 3, Logs: "/logs/100%"}

// sbatch gets the script on its input, the user's arguments first, and no variable that would change the job; the id may have a cluster.
func TestSubmit(t *testing.T) {
	dir := fake(t, "sbatch", "4711;east\n", "", 0)
	t.Setenv("SBATCH_ARRAY_INX", "0-9")
	t.Setenv("SLURM_JOB_ID", "3")
	t.Setenv("SLURM_CONF", "/etc/slurm.conf")
	s := &Slurm{Args: []string{"--partition=short"}}
	id, err := s.Submit(t.Context(), sample)
	if id != "4711" || err != nil {
		t.Fatal(id, err)
	}
	want := "--partition=short --job-name=likc-x-1 --output=/logs/100%%/likc-x-1_%a.log --open-mode=append --chdir=/home/o'hara/run --export=ALL --ntasks=1 --parsable --array=0-2"
	if got := strings.Join(strings.Fields(read(t, dir, "args")), " "); got != want {
		t.Errorf("arguments\n%s\nwant\n%s", got, want)
	}
	larger := sample
	larger.Memory = 3 << 10
	if got := (&Slurm{Args: []string{"--mem=1G"}}).options(larger); got[len(got)-1] != "--mem=3G" {
		t.Errorf("options %q: the memory of the array is not the last", got)
	}
	env := read(t, dir, "env")
	if strings.Contains(env, "SBATCH_") || strings.Contains(env, "SLURM_JOB_ID") || !strings.Contains(env, "SLURM_CONF=/etc/slurm.conf") {
		t.Errorf("environment %s", env)
	}
	if script := read(t, dir, "in"); !strings.HasPrefix(script, "#!/bin/sh\n") || !strings.Contains(script, `exec '/home/o'\''hara/likc' unit '/home/o'\''hara/run' $jobs`) {
		t.Errorf("script %s", script)
	}
	fake(t, "sbatch", "Submitted\n", "", 0)
	if _, err := s.Submit(t.Context(), sample); err == nil || !strings.Contains(err.Error(), "want the id of a job") {
		t.Errorf("no id: %v", err)
	}
}

// Errors that pass are told from those that do not.
func TestErrors(t *testing.T) {
	for text, c := range map[string]struct {
		later bool
		want  string
	}{
		"sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)\n":                                       {true, "sbatch: Batch job submission failed: Unable to contact slurm controller (connect failure)"},
		"sbatch: error: AssocMaxSubmitJobLimit\nsbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit)": {true, "sbatch: AssocMaxSubmitJobLimit; Batch job submission failed: Job violates accounting/QOS policy (job submit limit)"},
		"sbatch: error: invalid partition specified: nowhere\nsbatch: error: Batch job submission failed: Invalid partition name specified\n":      {false, "sbatch: invalid partition specified: nowhere; Batch job submission failed: Invalid partition name specified"},
		"": {false, "sbatch: exit status 1"},
	} {
		fake(t, "sbatch", "", text, 1)
		_, err := (&Slurm{}).Submit(t.Context(), sample)
		if err == nil || errors.Is(err, cluster.ErrLater) != c.later || err.Error() != c.want {
			t.Errorf("%q: %v, later %v", text, err, errors.Is(err, cluster.ErrLater))
		}
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := (&Slurm{}).Submit(t.Context(), sample); err == nil || !strings.Contains(err.Error(), "no such command") {
		t.Errorf("without Slurm: %v", err)
	}
}

// TestFullQueue: when there is no room for more jobs, sbatch says so and waits. It is stopped, and the queue counts as full.
func TestFullQueue(t *testing.T) {
	dir := t.TempDir()
	waits := "#!/bin/sh\necho 'sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying' >&2\nexec sleep 60\n"
	if err := os.WriteFile(filepath.Join(dir, "sbatch"), []byte(waits), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	begun := time.Now()
	_, err := (&Slurm{}).Submit(t.Context(), sample)
	if !errors.Is(err, cluster.ErrFull) || !errors.Is(err, cluster.ErrLater) {
		t.Errorf("%v", err)
	}
	if took := time.Since(begun); took > 30*time.Second {
		t.Errorf("after %v", took)
	}
}

func TestLimit(t *testing.T) {
	for text, want := range map[string]int{"MaxArraySize            = 1001\nMaxJobCount = 5\n": 1001, "MaxArraySize = 0\n": 0, "nothing": 0} {
		fake(t, "scontrol", text, "", 0)
		if n, err := (&Slurm{}).Limit(t.Context()); n != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
}

// squeue lists what is not over; an id that it does not know is over, any other failure says nothing.
func TestPoll(t *testing.T) {
	fake(t, "squeue", "45|0|RUNNING|None\n45|1|COMPLETING|None\n45|2|PENDING|Resources\n46|0|PENDING|PartitionConfig\n46|1|PENDING|JobHeldUser\n47|N/A|RUNNING|None\n", "", 0)
	got, err := (&Slurm{}).Poll(t.Context(), []string{"45", "46"})
	want := map[cluster.Task]cluster.State{
		{Array: "45", Index: 0}: {Running: true}, {Array: "45", Index: 1}: {Running: true}, {Array: "45", Index: 2}: {},
		{Array: "46", Index: 0}: {Never: true, Why: hopeless["PartitionConfig"]}, {Array: "46", Index: 1}: {Why: held["JobHeldUser"]},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	fake(t, "squeue", "", "slurm_load_jobs error: Invalid job id specified\n", 1)
	if got, err := (&Slurm{}).Poll(t.Context(), []string{"45"}); err != nil || len(got) > 0 {
		t.Errorf("purged: %v, %v", got, err)
	}
	fake(t, "squeue", "", "slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n", 1)
	if _, err := (&Slurm{}).Poll(t.Context(), []string{"45"}); err == nil {
		t.Error("no controller: no error")
	}
}

// Records are scontrol's, then sacct's.
func TestEnded(t *testing.T) {
	log := filepath.Join(t.TempDir(), "task log")
	if err := os.WriteFile(log, []byte("slurmstepd-n1: error: StepId=16.batch exceeded memory limit (241303552 > 104857600), being killed\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	fake(t, "scontrol", strings.Join([]string{
		"JobId=16 ArrayJobId=10 ArrayTaskId=12 JobName=x JobState=FAILED Reason=JobLaunchFailure ExitCode=0:9 TRES=cpu=1,mem=100M,node=1,billing=1 StdOut=" + log + " Power=",
		"JobId=17 ArrayJobId=10 ArrayTaskId=13 JobName=x JobState=FAILED Reason=JobLaunchFailure ExitCode=0:9 ReqTRES=cpu=1,mem=3G AllocTRES=cpu=1,mem=4G StdOut=" + log + "-none",
		"JobId=11 ArrayJobId=10 ArrayTaskId=0 JobName=x JobState=COMPLETED Reason=None ExitCode=0:0",
		"JobId=12 ArrayJobId=10 ArrayTaskId=1 JobName=x JobState=FAILED Reason=NonZeroExitCode ExitCode=3:0",
		"JobId=13 ArrayJobId=10 ArrayTaskId=2 JobName=x JobState=FAILED Reason=JobLaunchFailure ExitCode=0:9",
		"JobId=10 ArrayJobId=10 ArrayTaskId=3-4%2 JobName=x JobState=CANCELLED Reason=None ExitCode=0:0",
		"JobId=14 ArrayJobId=10 ArrayTaskId=5 JobName=x JobState=RUNNING Reason=None ExitCode=0:0",
		"JobId=15 ArrayJobId=10 ArrayTaskId=6 JobName=x JobState=FAILED Reason=None ExitCode=0:53",
	}, "\n"), "", 0)
	fake(t, "sacct", "10_1|COMPLETED|0:0\n10_7|TIMEOUT|0:15\n10_8|CANCELLED by 1000|0:0\n10_9|OUT_OF_MEMORY|0:125|billing=1,cpu=1,mem=1536M,node=1\n10_[10-11%2]|NODE_FAIL|0:0\n", "", 0)
	ends, err := (&Slurm{}).Ended(t.Context(), "10")
	if err != nil {
		t.Fatal(err)
	}
	cancelled := cluster.End{Text: "cancelled", Cancelled: true}
	for task, want := range map[int]cluster.End{0: {Text: "done", Good: true}, 1: {Text: "exit status 3"}, 2: {Text: "killed by signal 9"}, 3: cancelled, 4: cancelled,
		5: {}, 6: {Text: "its log could not be written"}, 8: cancelled, 10: {Text: "Slurm says NODE_FAIL"}, 11: {Text: "Slurm says NODE_FAIL"}} {
		if ends[task] != want {
			t.Errorf("task %d: %+v, want %+v", task, ends[task], want)
		}
	}
	for task, want := range map[int]cluster.End{9: {Memory: true, Asked: 1536}, 12: {Memory: true, Asked: 100}, 13: {Asked: 4096}} {
		if ends[task].Memory != want.Memory || ends[task].Asked != want.Asked {
			t.Errorf("task %d: %+v, want %+v", task, ends[task], want)
		}
	}
	if !strings.Contains(ends[7].Text, "--time") || !strings.Contains(ends[9].Text, "--mem") {
		t.Errorf("%+v, %+v: no advice", ends[7], ends[9])
	}
}

// Without accounting, and without records, nothing is known, and that is no error.
func TestEndUnknown(t *testing.T) {
	fake(t, "scontrol", "", "slurm_load_jobs error: Invalid job id specified\n", 1)
	fake(t, "sacct", "", "Slurm accounting storage is disabled\n", 1)
	if ends, err := (&Slurm{}).Ended(t.Context(), "10"); err != nil || len(ends) > 0 {
		t.Errorf("%v, %v", ends, err)
	}
	fake(t, "scontrol", "", "slurm_load_jobs error: Unable to contact slurm controller\n", 1)
	if _, err := (&Slurm{}).Ended(t.Context(), "10"); err == nil {
		t.Error("no controller: no error")
	}
}

func TestFindAndCancel(t *testing.T) {
	fake(t, "squeue", "77\n77\n", "", 0)
	if id, err := (&Slurm{}).Find(t.Context(), "likc-x-1"); id != "77" || err != nil {
		t.Error(id, err)
	}
	fake(t, "squeue", "", "", 0)
	if id, err := (&Slurm{}).Find(t.Context(), "likc-x-1"); id != "" || err != nil {
		t.Error(id, err)
	}
	dir := fake(t, "scancel", "", "", 0)
	if err := (&Slurm{}).Cancel(t.Context(), "77", 2, 5); err != nil || read(t, dir, "args") != "77_2\n77_5\n" {
		t.Errorf("%v, %q", err, read(t, dir, "args"))
	}
	dir = fake(t, "scancel", "", "", 0)
	if err := (&Slurm{}).Withdraw(t.Context(), "77", 2, 5); err != nil || read(t, dir, "args") != "--state=PENDING\n77_2\n77_5\n" {
		t.Error(err, read(t, dir, "args"))
	}
	fake(t, "scancel", "", "scancel: error: Kill job error on job id 77: Invalid job id specified\n", 1)
	if err := (&Slurm{}).Cancel(t.Context(), "77"); err != nil {
		t.Error(err)
	}
}

func TestCheckArgs(t *testing.T) {
	for _, good := range []string{"--partition=short", "--time=2:00:00", "--mem=4G", "--cpus-per-task=4", "-c4", "--constraint=avx512"} {
		if err := CheckArgs([]string{good}); err != nil {
			t.Error(err)
		}
	}
	if err := CheckArgs([]string{"-p", "short", "--time", "10", "--exclusive", "-c", "4"}); err != nil {
		t.Error(err)
	}
	for _, bad := range [][]string{{"short"}, {"--partition=short", "short"}, {"-pshort", "short"}, {"--exclusive", "short"}, {"-p", "short", "short"}} {
		if err := CheckArgs(bad); err == nil || !strings.Contains(err.Error(), "sbatch would run the file") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, bad := range []string{"--clusters=other", "--clus=other", "-Mother", "-M", "--arr=0-3", "--job=x", "--outp=x"} {
		if CheckArgs([]string{bad}) == nil {
			t.Errorf("%q: no error", bad)
		}
	}
	for _, bad := range []string{"", "-", "--", "--array=0-3", "-a0-3", "--output=x", "-o", "--wrap=x", "--wait", "-W", "--export=NONE", "a\nb"} {
		if CheckArgs([]string{bad}) == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

func TestIndices(t *testing.T) {
	for text, want := range map[string][]int{"3": {3}, "1-3": {1, 2, 3}, "1,3,7-9:2%4": {1, 3, 7, 9}, "N/A": nil, "": nil, "0-9999999999": nil} {
		if got := indices(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
