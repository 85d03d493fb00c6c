package docs

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"

	"likc/runtime/model/catalog"
)

// TestModels: the page has a row for every model that comes with the program, as the catalogue says; -update rewrites them.
func TestModels(t *testing.T) {
	const page = "reference/models.md"
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	before, rest, ok := strings.Cut(text, "see models_test.go -->\n")
	_, after, ends := strings.Cut(rest, "<!-- end of models -->")
	if !ok || !ends {
		t.Fatal("the page has no place for the models")
	}
	want := before + "see models_test.go -->\n" + modelTable(t) + "<!-- end of models -->" + after
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if text != want {
		t.Errorf("the models of %s are not those of the catalogue: rewrite them with -update", page)
	}
}

func modelTable(t *testing.T) string {
	all, err := catalog.All()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| name | kind | parameters | choices | simulator | origin |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, m := range all {
		simulator := "none"
		if s, ok := m.Simulator(); ok {
			simulator = s.Process.SchemeNames()[0]
			if s.Process.Name != m.Name {
				simulator = "`" + s.Process.Name + "`, " + simulator
			}
		}
		if _, session := m.Session(); session {
			simulator = "exact"
		}
		var choices []string
		for _, c := range m.Codes() {
			choices = append(choices, strings.Replace(fmt.Sprint(c), "-", "−", 1))
		}
		fmt.Fprintf(&b, "| `%s` | %s | `%s` | %s | %s | %s |\n", m.Name, m.Origin.Kind, strings.Join(m.ParamNames(), "`, `"),
			cmp.Or(strings.Join(choices, ", "), "none"), simulator, cmp.Or(m.Cites(), "see below"))
	}
	return b.String()
}
