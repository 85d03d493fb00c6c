//go:build linux || darwin

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// replacing are the commands that write single files. In their arguments FILE is the output, and IN the folder of inputs.
var replacing = []struct {
	args  string
	input string // the command's input file, which it must not overwrite
	long  bool   // whether a run that is not refused is too slow for the short suite
}{
	{"simulate IN/own.lik --theta k=1 -n 20 -o FILE", "own.lik", false},
	{"normalise IN/expr.lik -o FILE", "expr.lik", false},
	{"eval expr2 --data IN/t.csv --theta v=1,a=1,z=0.5,t=0.1 --per-trial FILE", "t.csv", false},
	{"front IN/start.jsonl -o FILE", "start.jsonl", false},
	{"front IN/start.jsonl --line 1 -o FILE", "start.jsonl", false},
	{"bench IN/expr.lik --sizes 30 --repeat 1 --time 1s --engine portable --svg FILE", "expr.lik", true},
	{"calibrate wald --teacher IN/teacher --points 400 --degree 4 -o FILE", "teacher/weights.bin", true},
	{"search --teacher IN/teacher --objective paper --lambda 0 --evals 4000 --max-size 12 -o FILE", "teacher/weights.bin", true},
	{"search --objective paper --lambda 0 --evals 4000 --max-size 12 --teacher IN/teacher -o OUT/F.jsonl --archive FILE", "teacher/weights.bin", true},
	{"report IN/page -o FILE", "page/summary.json", true},
}

// TestForeignFilesStay: a command replaces a file that likc did not write only with --force. It never replaces its input, not even through a
// link. It always replaces its own earlier output.
func TestForeignFilesStay(t *testing.T) {
	s := newWorkshop(t)
	put := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(s.in, "own.lik"), "model own { trial rt positive param k in [0.1, 9] loglik = log(k) - k*rt }\n")
	expr := must(s.command("front IN/start.jsonl --line 1", s.dir, -1).Output())
	put(filepath.Join(s.in, "expr.lik"), string(expr))
	long := os.Getenv("LIKC_LONG") != ""
	if long {
		s.write("fit expr2 --data IN/t.csv --chains 2 --warmup 60 --draws 100 --no-figures -o IN/page", s.newOutput())
	}
	for _, c := range replacing {
		if strings.Contains(c.args, "IN/page") && !long {
			continue
		}
		out := s.newOutput()
		refused := func(path, why string, force bool) {
			t.Helper()
			args := strings.ReplaceAll(c.args, "FILE", path)
			if force {
				args += " --force"
			}
			before := must(os.ReadFile(path))
			cmd := s.command(args, out, -1)
			text, err := cmd.CombinedOutput()
			if err == nil || cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(text), why) || strings.Count(string(text), "\n") != 1 {
				t.Errorf("likc %s: %v: %s", args, err, text)
			}
			if string(must(os.ReadFile(path))) != string(before) {
				t.Errorf("likc %s: wrote over it", args)
			}
		}
		foreign := filepath.Join(out, "notes.csv")
		if strings.HasPrefix(c.args, "search") {
			foreign = filepath.Join(out, "notes.jsonl") // a search refuses .csv
		}
		put(foreign, "participant,score\n7,1\n")
		refused(foreign, "did not write it: name another file, or give --force", false)
		if in := filepath.Join(s.in, c.input); !strings.HasSuffix(c.args, "--archive FILE") || long {
			link, hard := filepath.Join(out, "link"), filepath.Join(out, "hard")
			if err := os.Symlink(in, link); err != nil {
				t.Fatal(err)
			}
			if err := os.Link(in, hard); err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{in, link, hard} {
				refused(path, "which is read: name another", true)
			}
		}
		if c.long && !long {
			continue
		}
		for _, force := range []string{" --force", "", ""} { // over the foreign file, then twice over the command's own output
			s.write(strings.ReplaceAll(c.args, "FILE", foreign)+force, out)
		}
	}
}

// TestInputFolderStays: an output folder that is an input of the command is refused too.
func TestInputFolderStays(t *testing.T) {
	s := newWorkshop(t)
	before := s.files(filepath.Join(s.in, "bank"))
	text, err := s.command("judge expr2 --bank IN/bank --screen --figures IN/bank", s.dir, -1).CombinedOutput()
	if err == nil || !strings.Contains(string(text), "--figures "+s.in+"/bank: is "+s.in+"/bank, which is read") {
		t.Errorf("%v: %s", err, text)
	}
	if after := s.files(filepath.Join(s.in, "bank")); len(after) != len(before) {
		t.Errorf("%d files, then %d", len(before), len(after))
	}
}
