package main

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/model/catalog"
	"likc/runtime/model/ssm"
)

// TestCommandPages: the pages of docs/cli have the text of the commands' help, and there is no page of a command that does not exist.
func TestCommandPages(t *testing.T) {
	dir := t.TempDir()
	if err := writePages(dir, false); err != nil {
		t.Fatal(err)
	}
	want, got := folder(t, dir), folder(t, filepath.Join("..", "..", "docs", "cli"))
	if d := gocmp.Diff(want, got); d != "" {
		t.Errorf("run make docs; -commands +docs/cli:\n%s", d)
	}
}

// TestManualPages: every command has a manual page with its flags.
func TestManualPages(t *testing.T) {
	dir := t.TempDir()
	if err := writePages(dir, true); err != nil {
		t.Fatal(err)
	}
	pages := folder(t, dir)
	for _, name := range []string{"likc.1", "likc-fit.1", "likc-bank-make.1"} {
		if !strings.HasPrefix(pages[name], ".nh\n.TH") {
			t.Errorf("%s is no manual page: %.40q", name, pages[name])
		}
	}
	if !strings.Contains(pages["likc-fit.1"], `\-\-warmup`) && !strings.Contains(pages["likc-fit.1"], "--warmup") {
		t.Error("likc-fit.1 lacks --warmup")
	}
}

// TestModelsInDocuments: docs/reference/models.md defines every model that comes with the program.
func TestModelsInDocuments(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", "models.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(catalog.BuiltinNames(), ssm.Names()...) {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("docs/reference/models.md does not name %s", name)
		}
	}
}

// TestCheckInDocuments: docs/explanation/compiler.md shows the output of likc check for its example.
func TestCheckInDocuments(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "explanation", "compiler.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, shown, found := strings.Cut(string(page), "\n$ likc check expr2\n")
	shown, _, _ = strings.Cut(shown, "```")
	var out strings.Builder
	root := newRoot()
	root.SetOut(&out)
	root.SetArgs([]string{"check", "expr2"})
	if err := root.Execute(); err != nil || !found {
		t.Fatal(found, err)
	}
	rounding := regexp.MustCompile(`[0-9.]+e-1[0-9]`) // differs between processors
	if d := gocmp.Diff(rounding.ReplaceAllString(out.String(), "ε"), rounding.ReplaceAllString(shown, "ε")); d != "" {
		t.Errorf("-likc check expr2 +docs/explanation/compiler.md:\n%s", d)
	}
}

// words splits a command line as a shell does: text between quotes is one word.
func words(line string) (all []string) {
	quotes := strings.NewReplacer("'", "", `"`, "")
	for _, w := range regexp.MustCompile(`(?:'[^']*'|"[^"]*"|[^\s'"])+`).FindAllString(line, -1) {
		all = append(all, quotes.Replace(w))
	}
	return all
}

// accepts returns an error if likc does not accept a command line, which is given without the program's name.
func accepts(line string) error {
	line, _, _ = strings.Cut(line, " #")
	cmd, rest, err := newRoot().Find(words(line))
	if err != nil {
		return err
	}
	if !cmd.HasParent() {
		return errors.New("no command")
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	return cmp.Or(cmd.ValidateArgs(cmd.Flags().Args()), cli.CheckSettings(cmd, cmd.Flags().Args()))
}

// TestExamples: likc accepts the examples in every command's help. The help does not begin with the command's name.
func TestExamples(t *testing.T) {
	examples := 0
	for _, c := range newRoot().Commands() {
		for line := range strings.Lines(c.Example) {
			examples++
			if err := accepts(strings.TrimPrefix(strings.TrimSpace(line), "likc ")); err != nil {
				t.Errorf("likc %s --help: %s: %v", c.Name(), strings.TrimSpace(line), err)
			}
		}
		begin := strings.Fields(c.Long + " . .")
		if strings.EqualFold(begin[0], c.Name()) && strings.HasSuffix(begin[1], "s") {
			t.Errorf("likc %s --help begins with the command's name", c.Name())
		}
	}
	if examples < 20 {
		t.Errorf("%d examples", examples)
	}
}

// TestCommandsInDocuments: every command line in a code block of README.md and of a page in docs is one that likc accepts.
func TestCommandsInDocuments(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "docs", "*", "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d documents, %v", len(files), err)
	}
	files = append(files, filepath.Join("..", "..", "README.md"))
	found := 0
	for _, file := range files {
		if filepath.Base(filepath.Dir(file)) == "cli" { // the usage lines of these pages are patterns
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		code := false
		lines := strings.Split(string(text), "\n")
		for i, line := range lines {
			for next := i + 1; strings.HasSuffix(line, "\\") && next < len(lines); next++ { // the command goes on in the next line
				line = strings.TrimSuffix(line, "\\") + lines[next]
			}
			if strings.HasPrefix(line, "```") {
				code = !code
			}
			args, ok := strings.CutPrefix(strings.TrimPrefix(line, "$ "), "likc ")
			if !ok || !code {
				continue
			}
			found++
			if err := accepts(args); err != nil {
				t.Errorf("%s:%d: %s: %v", filepath.Base(file), i+1, line, err)
			}
		}
	}
	if found == 0 {
		t.Error("no document has a command")
	}
}
