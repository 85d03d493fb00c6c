package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// word is a word of a command line, in quotes or not.
var word = regexp.MustCompile(`'[^']*'|\S+`)

// TestTutorialOfRegressions: the commands of the how-to pages on regressions run as they are written, but with few draws. Only with LIKC_LONG
// does it run all of them.
func TestTutorialOfRegressions(t *testing.T) {
	var section string
	for _, file := range []string{"regressions.md", "bayes-factors.md"} { // the second contrasts a fit of the first
		page, err := os.ReadFile("../../docs/how-to/" + file)
		if err != nil {
			t.Fatal(err)
		}
		section += string(page)
	}
	data, err := filepath.Abs("../../testdata/reference/cavanagh_theta_nn.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	dir, run := t.TempDir(), 0
	for _, line := range strings.Split(section, "\n") {
		if !strings.HasPrefix(line, "likc ") || os.Getenv("LIKC_LONG") == "" && !strings.Contains(line, "conflict") {
			continue
		}
		run++
		args := word.FindAllString(line, -1)[1:]
		for i := range args {
			args[i] = strings.ReplaceAll(strings.Trim(args[i], "'"), "cavanagh_theta_nn.csv.gz", data)
		}
		if args[0] == "fit" {
			args = append(args, "--warmup", "20", "--draws", "10", "--chains", "1", "--no-figures")
		}
		cmd := exec.Command(os.Args[0], args...)
		cmd.Args[0], cmd.Dir = "likc", dir // the name tells testscript.Main which command to run
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
	if run < 2 {
		t.Errorf("the tutorial has %d commands", run)
	}
}
