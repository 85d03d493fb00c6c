package main

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	console = regexp.MustCompile("(?s)\n```console\n(.*?)```\n")
	// file is a model or a program that a page shows, with its name in the sentence before.
	file = regexp.MustCompile("(?s)`([a-z]+\\.(?:lik|py))`:?\n\n```(?:python)?\n(.*?)```\n")
)

// slow are the pages with fits or a search that take long. Without LIKC_LONG their fits have few draws and their search a second, and what these
// commands and those of uncompared print is not compared.
var slow = map[string]bool{"study.md": true, "first-formula.md": true, "learning.md": true, "own-process.md": true, "simulator.md": true}

// shorter are further arguments of a slow page's commands, by command.
var shorter = map[string][]string{
	"fit":    {"--warmup", "20", "--draws", "10", "--chains", "1", "--no-figures"},
	"distil": {"--time", "1s", "--subjects", "4", "--trials", "60"},
}

// uncompared are the commands that read the draws of a fit.
var uncompared = []string{"ppc", "contrast", "compare", "report"}

// TestPages: the commands of README.md and of the tutorials print the output that the page shows, up to differences by rounding on other
// processors.
func TestPages(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "tutorial", "*.md"))
	if err != nil || len(pages) < 5 {
		t.Fatalf("%d tutorials, %v", len(pages), err)
	}
	for _, page := range append(pages, filepath.Join("..", "..", "README.md")) {
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			testPage(t, page)
		})
	}
}

// testPage runs the commands of a documentation page, and compares what they print with the page.
func testPage(t *testing.T, page string) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("python3"); err != nil && strings.Contains(string(text), "python3") {
		t.Skip("python3 is not there")
	}
	short := slow[filepath.Base(page)] && os.Getenv("LIKC_LONG") == ""
	dir := filesOfPage(t, string(text))
	commands := 0
	for _, block := range console.FindAllStringSubmatch(string(text), -1) {
		for _, command := range strings.Split("\n"+block[1], "\n$ ")[1:] {
			line, want, _ := strings.Cut(command, "\n")
			commands++
			args := words(line)[1:]
			var more []string
			if short && !slices.Contains(args, "--map") {
				more = shorter[args[0]]
			}
			args = append(args, more...)
			cmd := exec.Command(os.Args[0], args...)
			cmd.Args[0], cmd.Dir = "likc", dir // the name tells testscript.Main which command to run
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if want == "" || more != nil || short && slices.Contains(uncompared, args[0]) {
				continue
			}
			if why := differs(string(out), want); why != "" {
				t.Errorf("%s\n%s:\n%s\nwant\n%s", line, why, out, want)
			}
		}
	}
	if commands < 2 {
		t.Errorf("%s has %d commands", page, commands)
	}
}

// filesOfPage returns a folder with the files that a page's commands read: the files of the tutorial on learning, models that the page shows,
// and Cavanagh's data.
func filesOfPage(t *testing.T, text string) string {
	dir := t.TempDir()
	learning := filepath.Join("..", "..", "docs", "tutorial", "learning")
	if strings.Contains(text, "(learning/)") {
		if err := os.CopyFS(dir, os.DirFS(learning)); err != nil {
			t.Fatal(err)
		}
		model, err := os.ReadFile(filepath.Join(learning, "learner.lik"))
		if err != nil || !strings.Contains(text, "\n```\n"+string(model)+"```\n") {
			t.Errorf("the page does not have the text of learner.lik: %v", err)
		}
	}
	for _, m := range file.FindAllStringSubmatch(text, -1) {
		if err := os.WriteFile(filepath.Join(dir, m[1]), []byte(m[2]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const study = "cavanagh_theta_nn.csv.gz"
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "reference", study))
	if err == nil && strings.Contains(text, study) {
		err = os.WriteFile(filepath.Join(dir, study), data, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// differs compares two outputs word by word, up to an ellipsis, and returns the first difference, "" for none. Numbers may differ by a tenth;
// those above 200, such as effective sample sizes, and numbers of gradients are not compared. Rounding differs between processors, and with it the draws. So up to
// mostDivergent of 4,000 transitions may diverge where none does on the page.
func differs(got, want string) string {
	const mostDivergent = 40
	a, b := strings.Fields(got), strings.Fields(want)
	if n := len(b) - 1; n >= 0 && b[n] == "…" && len(a) > n {
		a, b = a[:n], b[:n]
	}
	if len(a) != len(b) {
		return "another number of words"
	}
	for i := range a {
		x, err := strconv.ParseFloat(strings.Trim(a[i], ",)"), 64)
		y, wrong := strconv.ParseFloat(strings.Trim(b[i], ",)"), 64)
		switch {
		case err != nil && a[i] != b[i]:
			return a[i] + " in place of " + b[i]
		case err == nil && wrong == nil && i+1 < len(b) && strings.HasPrefix(b[i+1], "gradients"): // this number depends on the last bits of rounding
		case err == nil && i+1 < len(b) && b[i+1] == "divergent":
			if x > mostDivergent {
				return a[i] + " divergent transitions"
			}
		case err == nil && wrong == nil && math.Abs(y) < 200 && !strings.HasPrefix(b[max(0, i-1)], "gradients") && !(math.Abs(x-y) <= 0.1*math.Abs(y)+0.03):
			return a[i] + " in place of " + b[i]
		}
	}
	return ""
}
