package slurm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"likc/search/work/cluster"
	"likc/search/work/pipeline"
	"likc/search/work/slurm"
)

// These tests use a real Slurm of one machine, which testdata/slurm/up.sh starts in half a second.

// TestMain makes the test program what tasks run: "unit DIR JOB…". The step of a job is a script.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == "unit" {
		os.Exit(unit(os.Args[2], os.Args[3:]))
	}
	code := m.Run()
	if clusterFolder != "" {
		script("down.sh", "--purge")
	}
	os.Exit(code)
}

func unit(dir string, ids []string) int {
	for _, id := range ids {
		if strings.HasPrefix(id, "--") {
			break
		}
		if err := pipeline.Work(context.Background(), dir, id, 1, shell); err != nil {
			fmt.Println(err)
			return 1
		}
	}
	return 0
}

// shell runs the scripts of a job. "vanish" ends the worker without a result.
func shell(_ context.Context, j *pipeline.Job, steps []pipeline.Step, _ int) error {
	for _, s := range steps {
		if s.Args[0] == "vanish" {
			os.Exit(0)
		}
		cmd := exec.Command("sh", "-c", s.Args[0])
		cmd.Dir = j.Dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
	}
	return nil
}

var (
	clusterFolder string
	startOnce     sync.Once
	startErr      error
)

// script calls one of testdata/slurm, and returns what it prints.
func script(name string, args ...string) (string, error) {
	cmd := exec.Command("../../../testdata/slurm/"+name, args...)
	cmd.Env = append(os.Environ(), "SLURM_CI_DIR="+clusterFolder, "SLURM_CI_CPUS=6", "SLURM_CI_MAX_ARRAY=4", "SLURM_CI_MIN_JOB_AGE=2",
		"SLURM_CI_EXTRA=JobAcctGatherType=jobacct_gather/linux\nJobAcctGatherFrequency=1\nJobAcctGatherParams=OverMemoryKill")
	var out, problem bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problem
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", name, err, problem.String())
	}
	return out.String(), nil
}

// real starts Slurm, or skips the test where it is not installed or does not start.
func real(t *testing.T) {
	t.Helper()
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin:/sbin")
	for _, program := range []string{"sbatch", "slurmctld", "slurmd", "munged"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("Slurm is not installed: apt-get install slurmctld slurmd slurm-client munge")
		}
	}
	startOnce.Do(func() {
		if clusterFolder, startErr = os.MkdirTemp("", "likc-slurm-"); startErr == nil {
			_, startErr = script("up.sh")
		}
	})
	if startErr != nil { // a machine may forbid what its daemons want
		t.Skip("Slurm does not start here: ", startErr)
	}
	t.Setenv("SLURM_CONF", filepath.Join(clusterFolder, "slurm.conf"))
	t.Setenv("SBATCH_ARRAY_INX", "0-2") // must not get through
	t.Setenv("SBATCH_TIMELIMIT", "bogus")
}

// trial is a run of units whose scripts the test names.
type trial struct {
	dir   string
	notes []string
	*cluster.Engine
}

// begin runs units, name by name with their scripts; a script finds its folder in {out} and the run's in {run}.
func begin(t *testing.T, ctx context.Context, dir string, scripts map[string]string, args ...string) (*trial, error) {
	t.Helper()
	r := &trial{dir: dir}
	var mutex sync.Mutex
	e, err := cluster.New(ctx, dir, &slurm.Slurm{Args: args}, cluster.Settings{Name: "t", Poll: 200 * time.Millisecond, Threads: 1, Note: func(text string) {
		mutex.Lock()
		defer mutex.Unlock()
		r.notes = append(r.notes, text)
	}}, shell)
	if err != nil {
		t.Fatal(err)
	}
	r.Engine = e
	p := pipeline.Plan{Name: "t", Settings: 1}
	for _, name := range slices.Sorted(maps.Keys(scripts)) {
		p.Units = append(p.Units, pipeline.Unit{Stage: "s", Name: name, Outputs: []string{"x"}, Threads: 1, Steps: []pipeline.Step{{Args: []string{scripts[name]}}}})
	}
	err = pipeline.Run(ctx, dir, p, pipeline.Options{Engine: e})
	return r, err
}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// fine appends a line to the output: it has one line a time that it was run.
const fine = "mkdir -p {run}/count && echo ran >> {run}/count/$(basename {out}) && echo made > {out}/x"

// firstTime does something before the unit can be done, but only the first time.
func firstTime(what string) string {
	return "if [ ! -e {run}/tried ]; then touch {run}/tried; " + what + "; fi; echo made > {out}/x"
}

func made(dir, unit string) bool {
	text, err := os.ReadFile(filepath.Join(dir, unit, "x"))
	return err == nil && string(text) == "made\n"
}

// More units than an array may have tasks (MaxArraySize is 4).
func TestAllFine(t *testing.T) {
	real(t)
	scripts := map[string]string{}
	for i := range 10 {
		scripts[fmt.Sprintf("u%d", i)] = fine
	}
	r, err := begin(t, within(t), t.TempDir(), scripts)
	if err != nil {
		t.Fatal(err)
	}
	for name := range scripts {
		if !made(r.dir, name) {
			t.Errorf("%s is not made", name)
		}
	}
	jobs := regexp.MustCompile(`job \d+: (4|2) tasks in the queue`).FindAllString(strings.Join(r.notes, "\n"), -1)
	if len(jobs) != 3 {
		t.Errorf("want three arrays, of 4, 4 and 2 tasks: %q", r.notes)
	}
}

// Units that fail, that are killed and that leave nothing are tried twice; then the run says why, with a log, and has done the others.
func TestFailures(t *testing.T) {
	real(t)
	dir := t.TempDir()
	_, err := begin(t, within(t), dir, map[string]string{
		"good": fine, "three": "exit 3", "killed": "kill -9 $PPID", "gone": "vanish", "second": firstTime("exit 5"),
	})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{`three: .*exit status 3.*it was tried twice`, `killed: job \d+_\d+: killed by signal 9 \(log: .*/logs/tasks/likc-t-.*_\d\.log\); it was tried twice`,
		`gone: job \d+_\d+ (ended without an error, but left no result|is over, left no result).*it was tried twice`} {
		if !regexp.MustCompile(want).MatchString(err.Error()) {
			t.Errorf("want %s in\n%v", want, err)
		}
	}
	for name, want := range map[string]bool{"good": true, "second": true, "three": false, "killed": false, "gone": false} {
		if made(dir, name) != want {
			t.Errorf("%s is made: %v", name, !want)
		}
	}
}

// waitFor waits until a file is there.
func waitFor(t *testing.T, path string) {
	t.Helper()
	for range 600 {
		if _, err := os.Stat(path); err == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("%s does not come", path)
}

// What somebody else cancels is not put into the queue again by itself.
func TestCancelledByAnother(t *testing.T) {
	real(t)
	dir := t.TempDir()
	go func() {
		waitFor(t, filepath.Join(dir, "begun"))
		for n := 0; n < 600 && arrayName(dir) == "none"; n++ { // the task may begin before the run has noted its array
			time.Sleep(50 * time.Millisecond)
		}
		exec.Command("scancel", "--name="+arrayName(dir)).Run()
	}()
	_, err := begin(t, within(t), dir, map[string]string{"slow": "touch {run}/begun; sleep 60"})
	if err == nil || !strings.Contains(err.Error(), "was cancelled, and not by this run") {
		t.Errorf("got %v", err)
	}
}

// arrayName is the name of the one array of a run.
func arrayName(dir string) string {
	found, _ := filepath.Glob(filepath.Join(pipeline.WorkFolder(dir), "arrays", "*.json"))
	if len(found) == 0 {
		return "none"
	}
	return strings.TrimSuffix(filepath.Base(found[0]), ".json")
}

// A run that is interrupted leaves its jobs in the queue; the next finds them, also one whose id was lost.
func TestReattach(t *testing.T) {
	real(t)
	dir := t.TempDir()
	scripts := map[string]string{"slow": "touch {run}/begun; while [ ! -e {run}/go ]; do sleep 0.1; done; " + fine, "quick": fine}
	ctx, interrupt := context.WithCancel(within(t))
	go func() {
		waitFor(t, filepath.Join(dir, "begun"))
		interrupt()
	}()
	r, err := begin(t, ctx, dir, scripts)
	if !errors.Is(err, context.Canceled) || len(r.Left()) != 1 {
		t.Fatalf("%v, left %q", err, r.Left())
	}
	saved := filepath.Join(pipeline.WorkFolder(dir), "arrays", arrayName(dir)+".json")
	text, _ := os.ReadFile(saved)
	os.WriteFile(saved, regexp.MustCompile(`"id":"\d+",`).ReplaceAll(text, nil), 0o644)
	time.AfterFunc(time.Second, func() { os.WriteFile(filepath.Join(dir, "go"), nil, 0o644) }) // by then the next run has looked at the queue
	r, err = begin(t, within(t), dir, scripts)
	if err != nil || len(r.notes) == 0 || !strings.Contains(r.notes[0], "since an earlier run") {
		t.Errorf("%v, %q", err, r.notes)
	}
	for name := range scripts {
		if !made(dir, name) {
			t.Errorf("%s is not made", name)
		}
	}
	counts, _ := filepath.Glob(filepath.Join(dir, "count", "*"))
	for _, path := range counts {
		if text, _ := os.ReadFile(path); string(text) != "ran\n" {
			t.Errorf("%s: %q: was run again", path, text)
		}
	}
	if len(counts) != 2 {
		t.Errorf("%d units were run", len(counts))
	}
}

// Cancel takes the jobs out of the queue.
func TestCancel(t *testing.T) {
	real(t)
	dir := t.TempDir()
	ctx, interrupt := context.WithCancel(within(t))
	go func() {
		waitFor(t, filepath.Join(dir, "begun"))
		interrupt()
	}()
	r, err := begin(t, ctx, dir, map[string]string{"slow": "touch {run}/begun; sleep 60"})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	name := arrayName(dir)
	if err := r.Cancel(within(t)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("squeue", "--noheader", "--name="+name).Output(); err != nil || len(out) > 0 {
		t.Errorf("in the queue is %q, %v", out, err)
	}
	if again := arrayName(dir); again != "none" || len(r.Left()) != 0 {
		t.Errorf("%s is still noted", again)
	}
}

// A request that no machine can satisfy is an error, at once where the request alone says so, else as soon as the queue says why it waits.
func TestUnsatisfiable(t *testing.T) {
	real(t)
	for _, arg := range []string{"--cpus-per-task=64", "--partition=nowhere"} {
		_, err := begin(t, within(t), t.TempDir(), map[string]string{"u": fine}, arg)
		if err == nil || !regexp.MustCompile(`(?i)u: sbatch: .*(invalid partition)|the queue would never start it: the partition has no such machine`).MatchString(err.Error()) {
			t.Errorf("%s: %v", arg, err)
		}
	}
}

// The controller may be away for a while: that is no end of a unit.
func TestControllerRestart(t *testing.T) {
	real(t)
	dir := t.TempDir()
	go func() {
		waitFor(t, filepath.Join(dir, "begun"))
		text, _ := os.ReadFile(filepath.Join(clusterFolder, "pid", "slurmctld"))
		exec.Command("kill", strings.Fields(string(text))[0]).Run()
		time.Sleep(time.Second)
		os.WriteFile(filepath.Join(dir, "go"), nil, 0o644)
		time.Sleep(time.Second)
		if _, err := script("up.sh"); err != nil {
			t.Error(err)
		}
	}()
	r, err := begin(t, within(t), dir, map[string]string{"u": "touch {run}/begun; while [ ! -e {run}/go ]; do sleep 0.1; done; " + fine})
	if err != nil || !made(dir, "u") {
		t.Errorf("%v, %q", err, r.notes)
	}
}

// Slurm forgets jobs some time after their end: what their units left counts, and one that left nothing is tried again.
func TestPurgedRecords(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("waits half a minute for Slurm to forget: LIKC_LONG=1 runs it")
	}
	real(t)
	dir := t.TempDir()
	scripts := map[string]string{"good": "touch {run}/begun; sleep 1; " + fine, "bad": firstTime("sleep 1; kill -9 $PPID")}
	ctx, interrupt := context.WithCancel(within(t))
	go func() {
		waitFor(t, filepath.Join(dir, "begun"))
		interrupt()
	}()
	if _, err := begin(t, ctx, dir, scripts); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	time.Sleep(30 * time.Second)
	r, err := begin(t, within(t), dir, scripts)
	if err != nil || !made(dir, "good") || !made(dir, "bad") {
		t.Errorf("%v, %q", err, r.notes)
	}
	if !strings.Contains(strings.Join(r.notes, "\n"), "the queue has forgotten it") {
		t.Errorf("%q", r.notes)
	}
}

// A task that has more memory than it asked for is killed, told as that, and gets more until it is enough; the other unit does not.
func TestMemoryGrows(t *testing.T) {
	real(t)
	const wants = "(head -c 150000000 /dev/zero; sleep 4) | tail | wc -c > /dev/null && echo made > {out}/x"
	r, err := begin(t, within(t), t.TempDir(), map[string]string{"large": wants}, "--mem=60M")
	if err != nil || !made(r.dir, "large") {
		t.Fatal(err, r.notes)
	}
	notes := strings.Join(r.notes, "\n")
	for _, want := range []string{"large: out of memory with 60M; tasks of the stage s get 120M from now on", "large: out of memory with 120M; tasks of the stage s get 240M from now on"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in\n%s", want, notes)
		}
	}
}

// Of three tasks that run one after the other, the last still waits when the first is killed for want of memory: it is taken out of the queue and
// begins with more.
func TestWaitingTasksGetMoreMemory(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("three rounds of tasks of 4 s: LIKC_LONG=1 runs it")
	}
	real(t)
	const wants = "(head -c 90000000 /dev/zero; sleep 4) | tail | wc -c > /dev/null && echo made > {out}/x"
	r, err := begin(t, within(t), t.TempDir(), map[string]string{"a": wants, "b": wants, "c": wants}, "--mem=60M", "--cpus-per-task=6")
	if err != nil || !made(r.dir, "a") || !made(r.dir, "b") || !made(r.dir, "c") {
		t.Fatal(err, r.notes)
	}
	if notes := strings.Join(r.notes, "\n"); !regexp.MustCompile(`job \d+: (1 task|2 tasks) back into the queue, with more memory`).MatchString(notes) {
		t.Error(notes)
	}
}
