package text

import (
	"reflect"
	"testing"

	"likc/templates"
	"likc/testdata/typed"
)

// TestTemplates compares the templates of all languages with the type of their data.
func TestTemplates(t *testing.T) {
	for _, target := range Targets() {
		text := templates.Text("text/"+string(target)+".txt") + `{{template "binding" .}}`
		for _, problem := range typed.Check(text, reflect.TypeFor[*page](), functions) {
			t.Errorf("%s: %s", target, problem)
		}
	}
}
