//go:build linux || darwin

package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/sys/store"

	"github.com/spf13/cobra"
)

// writer is a command that writes. Its arguments name files in IN, which prepareInputs makes, and in OUT.
type writer struct {
	name  string
	args  string
	other string         // further arguments with which it writes another output to the same file, the older one; "" for none
	log   bool           // whether the output grows, and a new run continues one that was stopped
	once  bool           // whether an existing output is refused
	times *regexp.Regexp // files that contain times, so that they differ between two runs
	extra *regexp.Regexp // further files that a stopped run may leave
	long  bool           // whether the command is too slow for the short suite
}

// writers are all commands that write files. TestEveryWriterIsListed says which command is missing.
var writers = []writer{
	{name: "simulate", args: "simulate ddm --theta v=1,a=1,z=0.5,t=0.3 -n 20000 -o OUT/t.csv", other: "--seed 2"},
	{name: "simulate", args: "simulate ddm --theta v=1,a=1,z=0.5,t=0.3 -n 2000 -o OUT/t.parquet", other: "--seed 2"},
	{name: "bank make", args: "bank make --role test-60 --subjects 6 --trials 300 -o OUT/bank", other: "--seed 2"},
	{name: "compile", args: "compile expr2 -o OUT/pkg", other: "--isa none"},
	{name: "normalise", args: "normalise expr2 -o OUT/n.lik"},
	{name: "calibrate", args: "calibrate wald --teacher IN/teacher --points 400 --degree 4 -o OUT/c.lik", other: "--degree 3", long: true},
	{name: "eval", args: "eval expr2 --data IN/t.csv --theta v=1,a=1,z=0.5,t=0.1 --per-trial OUT/p.csv", other: "--theta v=2,a=1,z=0.5,t=0.1"},
	{name: "fit", args: "fit expr2 --data IN/t.csv --chains 2 --warmup 60 --draws 100 -o OUT/fit", other: "--seed 2",
		times: regexp.MustCompile(`summary\.json$`), extra: regexp.MustCompile(`^fit\.|^\.fit\.likc-work/`)}, // the states of chains, for --resume
	{name: "recover", args: "recover ddm --subjects 6 --trials 60 --chains 1 --warmup 100 --draws 60 -o OUT/recovery",
		log: true, times: regexp.MustCompile(`.`), long: true},
	{name: "confuse", args: "confuse exgaussian shifted_lognormal --subjects 6 --trials 60 --chains 1 --warmup 100 --draws 60 -o OUT/confusion",
		log: true, times: regexp.MustCompile(`.`), long: true},
	{name: "judge", args: "judge expr2 wald --bank IN/bank --chains 1 --warmup 60 --draws 30 -o OUT/V.jsonl", log: true,
		times: regexp.MustCompile(`V\.jsonl`)},
	{name: "judge", args: "judge expr2 --bank IN/bank --screen --figures OUT/figures"},
	{name: "apply", args: "apply IN/V.jsonl --data IN/t.csv --formula v~1+(1|choice) --chains 1 --warmup 60 --draws 40 --max-gradients 20000 -o OUT/A.jsonl",
		log: true, times: regexp.MustCompile(`.`), long: true},
	{name: "search", args: "search --objective paper --lambda 0 --evals 4000 --max-size 12 -o OUT/F.jsonl --archive OUT/A.jsonl", other: "--seed 2",
		extra: regexp.MustCompile(`\.state$|^F\.(csv|jsonl)$|^A\.jsonl$`)}, // the front so far, which users may read while the search runs
	{name: "distil", args: "distil shifted_wald --subjects 0 --time 1h -o OUT/d", other: "--seed 2", long: true, times: regexp.MustCompile(`search\.json$|summary\.json$|report\.html$`)},
	{name: "polish", args: "polish IN/start.jsonl --top 1 --evals 15 --subjects 20 -o OUT/P.jsonl", long: true},
	{name: "front", args: "front IN/F.jsonl -o OUT/U.jsonl", long: true},
	{name: "teacher copy", args: "teacher copy spline -o OUT/teacher", once: true},
	{name: "teacher score", args: "teacher score IN/teacher --bank IN/rows -o OUT/scored"},
	{name: "teacher train", args: "teacher train --subjects 40 --trials 20 --epochs 2 -o OUT/teacher", once: true, long: true,
		times: regexp.MustCompile(`.`), extra: regexp.MustCompile(`checkpoint\.bin$`)},
	{name: "sbc", args: "sbc expr2 --simulations 20 --trials 30 -o OUT/sbc", log: true, times: regexp.MustCompile(`.`), long: true},
	{name: "ppc", args: "ppc expr2 --bank IN/bank -o OUT/ppc", log: true, times: regexp.MustCompile(`.`), long: true},
	{name: "audit", args: "audit expr2 --bank IN/bank -o OUT/audit", log: true, times: regexp.MustCompile(`.`), long: true},
	{name: "ablate", args: "ablate expr2 --bank IN/bank --chains 1 --warmup 60 --draws 30 -o OUT/ablation", log: true, times: regexp.MustCompile(`.`), long: true},
	{name: "sweep", args: "sweep IN/V.jsonl -o OUT/sweep --refit-list OUT/refit.jsonl", long: true},
	{name: "report", args: "report IN/sweep -o OUT/r.html", long: true},
	{name: "bench", args: "bench expr2 --sizes 30,100 --repeat 1 --time 1s --engine portable --svg OUT/b.svg", times: regexp.MustCompile(`.`), long: true},
	{name: "run", args: "run IN/p.toml -o OUT/run", log: true, times: regexp.MustCompile(`.`), extra: regexp.MustCompile(`.`), long: true},
}

// inputCommands make the files that the writers read.
var inputCommands = []string{
	"simulate ddm --theta v=1,a=1,z=0.5,t=0.3 -n 300 -o IN/t.csv",
	"bank make --role test-60 --subjects 3 --trials 60 -o IN/bank",
	"bank make --role search-rows --subjects 30 -o IN/rows",
	"teacher copy spline -o IN/teacher",
}

// slowInputCommands make further files, which only the slow writers read.
var slowInputCommands = []string{
	"search --objective paper --lambda 0 --evals 3000 --max-size 10 -o IN/F.jsonl",
	"judge IN/F.jsonl --bank IN/bank --screen -o IN/V.jsonl",
	"sweep IN/V.jsonl -o IN/sweep",
}

const smallPipeline = `name = "small"
[bank.test]
role = "test-60"
subjects = 3
trials = 60
[teacher]
path = "spline"
[search]
lambda = [0]
seeds = 1
evals = 1500
max_size = 12
objective = "paper"
[judge]
bank = "test"
chains = 1
warmup = 60
draws = 20
[sweep]
top = 1
resamples = 100
`

// climbable is a front of one expression from which polish can climb.
const climbable = `{"expr":"t*exp(sqrt(z) - z - a)*(a - (((a - v*(rt - t))/((rt - t) + z + z^2))^2)^2) - (rt - t)","model":"ddm"}
`

// workshop runs commands in a temporary folder. in has the files that they read; the outputs of each run get a new folder below dir.
type workshop struct {
	t       *testing.T
	in, dir string
	older   string // the folder with a writer's older output, once that is made
}

// newWorkshop returns a temporary workshop, and runs the commands that make its input files.
func newWorkshop(t *testing.T) *workshop {
	t.Helper()
	root := t.TempDir()
	t.Setenv("LIKC_CACHE", filepath.Join(root, "cache"))
	s := &workshop{t: t, in: filepath.Join(root, "in"), dir: root}
	if err := os.Mkdir(s.in, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.in, "p.toml"), []byte(smallPipeline), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.in, "start.jsonl"), []byte(climbable), 0o666); err != nil {
		t.Fatal(err)
	}
	all := inputCommands
	if os.Getenv("LIKC_LONG") != "" {
		all = slices.Concat(inputCommands, slowInputCommands)
	}
	for _, args := range all {
		if out, err := s.command(args, "", -1).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", args, err, out)
		}
	}
	return s
}

// command returns the command likc with arguments in which IN and OUT stand for the folders of inputs and outputs. No file can grow beyond
// limit bytes, unless limit is negative.
func (s *workshop) command(args, out string, limit int64) *exec.Cmd {
	list := strings.Fields(args)
	for i := range list {
		list[i] = strings.ReplaceAll(strings.ReplaceAll(list[i], "IN/", s.in+"/"), "OUT/", out+"/")
	}
	cmd := exec.Command(os.Args[0], list...)
	cmd.Args[0] = "likc"
	cmd.Dir = s.dir
	cmd.Env = os.Environ()
	if limit >= 0 {
		cmd.Env = append(cmd.Env, fileLimit+"="+strconv.FormatInt(limit, 10))
	}
	return cmd
}

// newOutput makes an empty folder for outputs.
func (s *workshop) newOutput() string {
	dir, err := os.MkdirTemp(s.dir, "out")
	if err != nil {
		s.t.Fatal(err)
	}
	return dir
}

// write runs a command to its end and returns the files in the folder out.
func (s *workshop) write(args, out string) map[string]string {
	s.t.Helper()
	if text, err := s.command(args, out, -1).CombinedOutput(); err != nil {
		s.t.Fatalf("likc %s: %v: %s", args, err, text)
	}
	return s.files(out)
}

// files returns the texts of all files below a folder, by their paths in it.
func (s *workshop) files(dir string) map[string]string {
	s.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if d.IsDir() {
			if store.Hidden(d.Name()) {
				all[name] = "a folder"
			}
			return nil
		}
		text, err := os.ReadFile(path)
		all[name] = string(text)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}

// hidden lists the hidden files, which are unfinished outputs.
func hidden(files map[string]string) (names []string) {
	for name := range files {
		for _, part := range strings.Split(name, string(filepath.Separator)) {
			if store.Hidden(part) {
				names = append(names, name)
				break
			}
		}
	}
	return names
}

// compare fails the test for each file of got that is neither the older nor the newer output, and for checksums that do not fit their files.
func (w writer) compare(t *testing.T, when, dir string, got, older, newer map[string]string) {
	t.Helper()
	for name, text := range got {
		checked, isSum := strings.CutSuffix(name, store.SumEnding)
		switch {
		case len(hidden(map[string]string{name: ""})) > 0:
		case isSum:
			if _, err := store.ReadChecked(filepath.Join(dir, checked)); err != nil && !os.IsNotExist(err) && got[checked] != "" {
				t.Errorf("%s, %s: %v", w.args, when, err)
			}
		case w.extra != nil && w.extra.MatchString(name):
		case w.times != nil && w.times.MatchString(name):
		case w.log && strings.HasPrefix(newer[name], text):
		case text != older[name] && text != newer[name]:
			t.Errorf("%s, %s: %s is neither the older nor the newer: %d bytes, want %d or %d", w.args, when, name, len(text), len(older[name]), len(newer[name]))
		}
	}
	for name := range older {
		if _, there := got[name]; !there && newer[name] != "" {
			t.Errorf("%s, %s: %s is gone", w.args, when, name)
		}
	}
}

// runAgain runs the command to its end. It must remove hidden files and write the output of an undisturbed run.
func (s *workshop) runAgain(w writer, out string, newer map[string]string) {
	s.t.Helper()
	if w.once {
		for _, e := range must(os.ReadDir(out)) {
			if !store.Hidden(e.Name()) {
				os.RemoveAll(filepath.Join(out, e.Name()))
			}
		}
	}
	got := s.write(w.args, out)
	if left := hidden(got); len(left) > 0 {
		s.t.Errorf("%s: the next run leaves %v", w.args, left)
	}
	for name, want := range newer {
		is := got[name]
		switch {
		case w.times == nil || !w.times.MatchString(name):
		case w.log && strings.HasSuffix(name, ".jsonl"): // units, each with its seconds
			is, want = timeless(is), timeless(want)
		default:
			continue
		}
		if is != want {
			s.t.Errorf("%s: the next run writes another %s", w.args, name)
		}
	}
}

// timed matches times in a file, and checksums of files that contain times.
var timed = regexp.MustCompile(`"([a-z_]*seconds|sha256)": ?[^,}\s]+`)

// timeless returns a text without times.
func timeless(text string) string { return timed.ReplaceAllString(text, "") }

// must returns x, and panics if there is an error.
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// olderOutput makes a folder with the older output of a writer, and returns its files. The command runs once; further folders are copies.
func (s *workshop) olderOutput(w writer) (out string, files map[string]string) {
	out = s.newOutput()
	if w.other == "" {
		return out, nil
	}
	if s.older == "" {
		s.older = s.newOutput()
		s.write(w.args+" "+w.other, s.older)
	}
	if err := os.CopyFS(out, os.DirFS(s.older)); err != nil {
		s.t.Fatal(err)
	}
	return out, s.files(out)
}

// TestFaults disturbs every command that writes files: it limits the size of files, as a full disk does, kills the command and interrupts it.
// Every file must then be the complete older or newer output. The next run must remove hidden files and write the right output.
func TestFaults(t *testing.T) {
	s := newWorkshop(t)
	long := os.Getenv("LIKC_LONG") != ""
	for k, w := range writers {
		if w.long && !long {
			continue
		}
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			s := &workshop{t: t, in: s.in, dir: s.dir}
			start := time.Now()
			newer := s.write(w.args, s.newOutput())
			took := time.Since(start)
			s.fillDisk(w, newer)
			rounds := 1
			if long {
				rounds = min(12, max(4, int(4*time.Second/took)))
			}
			s.stopAt(w, newer, moments(rounds, took, rand.New(rand.NewPCG(5, uint64(k)))))
		})
	}
}

// moments returns two moments for each round, at which a command that takes some time is stopped: in turns anywhere, and in the last eighth,
// when most files are written.
func moments(rounds int, took time.Duration, random *rand.Rand) (all []time.Duration) {
	for round := range rounds {
		for range 2 {
			before := time.Duration(random.Int64N(int64(took)))
			if round%2 == 1 {
				before /= 8
			}
			all = append(all, took-before)
		}
	}
	return all
}

// stopAt runs the command for each moment, and kills and interrupts it in turns.
func (s *workshop) stopAt(w writer, newer map[string]string, moments []time.Duration) {
	s.t.Helper()
	for i, after := range moments {
		s.stop(w, newer, []syscall.Signal{syscall.SIGKILL, syscall.SIGINT}[i%2], after)
	}
}

// fillDisk runs the command with limits at which no file, or only the first part of a file, can be written.
func (s *workshop) fillDisk(w writer, newer map[string]string) {
	s.t.Helper()
	most := 0
	for _, text := range newer {
		most = max(most, len(text))
	}
	for _, limit := range []int64{0, int64(most) / 2} {
		out, older := s.olderOutput(w)
		when := fmt.Sprintf("files of at most %d bytes", limit)
		text, err := s.command(w.args, out, limit).CombinedOutput()
		if err == nil {
			s.t.Errorf("%s, %s: succeeds: %s", w.args, when, text)
		}
		if strings.Contains(string(text), ".likc-") {
			s.t.Errorf("%s, %s: names a hidden file: %s", w.args, when, text)
		}
		if twiceNamed.Match(text) {
			s.t.Errorf("%s, %s: says where twice: %s", w.args, when, text)
		}
		got := s.files(out)
		if left := hidden(got); len(left) > 0 {
			s.t.Errorf("%s, %s: leaves %v", w.args, when, left)
		}
		w.compare(s.t, when, out, got, older, newer)
		for name := range got {
			if _, before := older[name]; limit == 0 && !before {
				s.t.Errorf("%s, %s: leaves %s", w.args, when, name)
			}
		}
		s.runAgain(w, out, newer)
	}
}

// twiceNamed matches an error in which two callers have named the same command, as in "compile: compile: no space left".
var twiceNamed = regexp.MustCompile(`(?:^|: )(likc: likc|compile: compile|emit: emit|fit: fit|judge: judge|search: search|simulate: simulate|bank: bank): `)

// stop sends a signal to the command after some time, then runs it again.
func (s *workshop) stop(w writer, newer map[string]string, signal syscall.Signal, after time.Duration) {
	s.t.Helper()
	out, older := s.olderOutput(w)
	cmd := s.command(w.args, out, -1)
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	time.Sleep(after)
	cmd.Process.Signal(signal)
	cmd.Wait()
	when := fmt.Sprintf("%v after %v", signal, after.Round(time.Millisecond))
	got := s.files(out)
	if left := hidden(got); signal == syscall.SIGINT && len(left) > 0 {
		s.t.Errorf("%s, %s: leaves %v", w.args, when, left)
	}
	w.compare(s.t, when, out, got, older, newer)
	s.runAgain(w, out, newer)
}

// TestEveryWriterIsListed: a command with a flag that names a file or folder to write is among the writers.
func TestEveryWriterIsListed(t *testing.T) {
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		for _, flag := range []string{"output", "per-trial", "svg", "figures", "archive", "refit-list"} {
			name := strings.TrimPrefix(c.CommandPath(), "likc ")
			if name == "demo" || name == "teacher gate" { // demo writes as compile does; teacher gate exits with 1 unless it is the whole gate
				continue
			}
			if c.Flags().Lookup(flag) != nil && !slices.ContainsFunc(writers, func(w writer) bool { return w.name == name }) {
				t.Errorf("likc %s has --%s and is not among the writers", name, flag)
			}
		}
	}
	walk(newRoot())
}

// TestInterruptKeepsWork: a command whose next run continues a stopped one is marked as keeping its work at an interrupt.
func TestInterruptKeepsWork(t *testing.T) {
	for _, w := range writers {
		cmd, _, err := newRoot().Find(strings.Fields(w.name))
		if err != nil || w.log && !cli.DoesKeepWork(cmd) {
			t.Errorf("likc %s: an interrupt ends it at once, %v", w.name, err)
		}
	}
}
