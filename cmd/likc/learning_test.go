package main

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var console = regexp.MustCompile("(?s)\n```console\n(.*?)```\n")

// TestLearningPage: the commands of docs/tutorial/learning.md print what the page says, up to the noise of other processors' rounding.
func TestLearningPage(t *testing.T) {
	docs := filepath.Join("..", "..", "docs", "tutorial")
	page, err := os.ReadFile(filepath.Join(docs, "learning.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(docs, "learning"))); err != nil {
		t.Fatal(err)
	}
	model, err := os.ReadFile(filepath.Join(dir, "learner.lik"))
	if err != nil || !strings.Contains(string(page), "\n```\n"+string(model)+"```\n") {
		t.Errorf("the page does not have the text of learner.lik: %v", err)
	}
	blocks := console.FindAllStringSubmatch(string(page), -1)
	for _, block := range blocks {
		line, want, _ := strings.Cut(strings.TrimPrefix(block[1], "$ "), "\n")
		cmd := exec.Command(os.Args[0], strings.Fields(strings.ReplaceAll(line, "'alpha ~ 1 + (1 | id)'", "alpha~1+(1|id)"))[1:]...)
		cmd.Args[0], cmd.Dir = "likc", dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if why := differs(string(out), want); why != "" {
			t.Errorf("%s\n%s:\n%s\nwant\n%s", line, why, out, want)
		}
	}
	if len(blocks) != 5 {
		t.Errorf("%d blocks of commands, want 5", len(blocks))
	}
}

// differs compares words, numbers among them to a tenth, and effective sizes and counts not at all. Other processors round otherwise, so their
// draws differ: up to mostDivergent of 4,000 transitions may diverge where none does on the page.
func differs(got, want string) string {
	const mostDivergent = 40
	a, b := strings.Fields(got), strings.Fields(want)
	if len(a) != len(b) {
		return "another number of words"
	}
	for i := range a {
		x, err := strconv.ParseFloat(strings.Trim(a[i], ",)"), 64)
		y, wrong := strconv.ParseFloat(strings.Trim(b[i], ",)"), 64)
		switch {
		case err != nil && a[i] != b[i]:
			return a[i] + " in place of " + b[i]
		case err == nil && i+1 < len(b) && b[i+1] == "divergent":
			if x > mostDivergent {
				return a[i] + " divergent transitions"
			}
		case err == nil && wrong == nil && math.Abs(y) < 600 && !strings.HasPrefix(b[max(0, i-1)], "gradients") && !(math.Abs(x-y) <= 0.1*math.Abs(y)+0.03):
			return a[i] + " in place of " + b[i]
		}
	}
	return ""
}
