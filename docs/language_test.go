// Package docs tests the pages that promise something.
package docs

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"likc/compiler"
	"likc/compiler/expr"
	"likc/compiler/normal"
	"likc/compiler/simplify"
	"likc/compiler/syntax"
	"likc/runtime/model/catalog"
	"likc/runtime/model/ssm"
	"likc/testdata"
)

var update = flag.Bool("update", false, "rewrite the tables of operators and models")

// operatorsPage has the table of operators.
const operatorsPage = "reference/language-expressions.md"

// read returns the pages of the language, one after another.
func read(t *testing.T) string {
	t.Helper()
	return readAll(t, "reference/language*.md")
}

// readAll returns the text of the pages whose paths match, one after another.
func readAll(t *testing.T, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d pages, %v", pattern, len(files), err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

var (
	fenced = regexp.MustCompile("(?s)\n```([a-z]*)\n(.*?)```\n")
	// broken marks the line of an example that is wrong, with the whole message.
	broken = regexp.MustCompile(`// error: (.*)`)
)

// TestExamples compiles the examples, and finds the errors of those that are wrong.
func TestExamples(t *testing.T) {
	compiled, refused := map[string]bool{}, 0
	for _, m := range fenced.FindAllStringSubmatch(read(t), -1) {
		language, text := m[1], m[2]
		if language != "" {
			continue
		}
		models, err := syntax.ReadWith("mistaken.lik", strings.NewReader(text), builtin(t))
		if want := broken.FindStringSubmatch(text); want != nil {
			if refused++; err == nil || err.Error() != want[1] {
				t.Errorf("%s%v, want %s", text, err, want[1])
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s%v", text, err)
		}
		for _, model := range models {
			if model.LogLik == nil || model.Called != nil {
				compiled[model.Name] = true // a model without expression cannot be compiled
				continue
			}
			if model.Normalise {
				parts, err := normal.Of(model)
				if err != nil {
					t.Fatalf("%s%v", text, err)
				}
				model = parts.Bare
			}
			if _, err := compiler.Compile(model, compiler.Options{Check: true}); err != nil {
				t.Errorf("%s%v", text, err)
			}
			compiled[model.Name] = true
		}
	}
	for _, name := range []string{"exgaussian", "guesses", "expr2", "shifted_wald", "regression", "drift_on_x", "flat", "corrected", "decision_and_motor", "psychometric", "learner"} {
		if !compiled[name] {
			t.Errorf("no example %s", name)
		}
	}
	if refused != 3 {
		t.Errorf("%d examples of errors, want 3", refused)
	}
}

// builtin finds the built-in models.
func builtin(t *testing.T) syntax.Library {
	return syntax.Library{Named: func(name string) (*expr.Model, error) {
		if p, err := ssm.Lookup(name); err == nil {
			if _, closed := testdata.Model(name); !closed {
				return catalog.HeaderOf(p), nil
			}
		}
		text, ok := testdata.Model(name)
		if !ok {
			return nil, nil
		}
		models, err := syntax.Read(name, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return models[0], nil
	}}
}

// TestOperators: the page has every operator of the table that a user can write, as the table has it.
func TestOperators(t *testing.T) {
	text := readAll(t, operatorsPage)
	begin := strings.Index(text, "<!-- operators")
	begin += strings.Index(text[begin:], "\n") + 1
	end := strings.Index(text, "<!-- end of operators")
	if begin < 1 || end < begin {
		t.Fatal("the page has no place for the operators")
	}
	table := operators()
	if *update {
		if err := os.WriteFile(operatorsPage, []byte(text[:begin]+table+text[end:]), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if text[begin:end] != table {
		t.Errorf("the operators of %s are not those of the operator table: rewrite them with -update", operatorsPage)
	}
}

func operators() string {
	var b strings.Builder
	b.WriteString("| name | written | value | needs | in R |\n| --- | --- | --- | --- | --- |\n")
	for _, op := range expr.Ops() {
		info := op.Info()
		if info.Notation == expr.Leaf || info.Internal {
			continue
		}
		e := expr.New(op, []*expr.Expr{expr.Var("x"), expr.Var("y"), expr.Var("z")}[:info.Arity]...)
		var needs []string
		for _, c := range info.Domain {
			needs = append(needs, simplify.Condition{Expr: e.Args[c.Arg], Must: c.Must}.String())
		}
		cells := []string{code(info.Name), code(e.String()), info.Doc, code(strings.Join(needs, ", ")), code(inR(op))}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	return b.String()
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(text, "|", `\|`) + "`"
}

// inR is how base R writes an operator, "" where it needs a function of ours.
func inR(op expr.Op) string {
	letters := []string{"x", "y", "z"}[:op.Info().Arity]
	switch s := op.In(expr.R); {
	case s.Body != "":
		return ""
	case s.Kind == expr.Function:
		return s.Text + "(" + strings.Join(letters, ", ") + ")"
	case s.Kind == expr.Binary:
		return "x " + s.Text + " y"
	case s.Kind == expr.Unary:
		return s.Text + "x"
	default:
		text := s.Text
		for i, letter := range letters {
			for _, mark := range []string{"(?%d)", "$%d", "@%d"} {
				text = strings.ReplaceAll(text, fmt.Sprintf(mark, i+1), letter)
			}
		}
		if strings.HasPrefix(text, "(") { // such a form is in parentheses as a whole
			text = text[1 : len(text)-1]
		}
		return text
	}
}

// TestLimits: the page states the limits of the parser and the words of the grammar.
func TestLimits(t *testing.T) {
	text := read(t)
	for what, n := range map[string]int{
		"words, numbers and signs in a file": syntax.MaxTokens, "inside one another": syntax.MaxDepth, "are written": syntax.MaxNodes,
		"parameters of a model": syntax.MaxParams, "trial columns of a model": syntax.MaxTrials,
		"choices of a model": syntax.MaxChoices,
	} {
		if row := fmt.Sprintf("%s | %s |", what, thousands(n)); !strings.Contains(text, row) {
			t.Errorf("no row %q", row)
		}
	}
	if row := fmt.Sprintf("size of a file | %d MiB |", syntax.MaxBytes>>20); !strings.Contains(text, row) {
		t.Errorf("no row %q", row)
	}
	for _, word := range regexp.MustCompile(`"([a-z]+)"`).FindAllStringSubmatch(text[strings.Index(text, "```ebnf"):], -1) {
		if !strings.Contains(text, "`"+word[1]) && word[1] != "e" {
			t.Errorf("the grammar's %q is explained nowhere", word[1])
		}
	}
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
