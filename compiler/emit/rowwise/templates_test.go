package rowwise

import (
	"path/filepath"
	"reflect"
	"testing"

	"likc/templates"
	"likc/testdata/typed"
)

// TestTemplates compares all templates with the type of their data.
func TestTemplates(t *testing.T) {
	files, err := filepath.Glob("../../../templates/rowwise/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no templates: %v", err)
	}
	for _, file := range files {
		for _, problem := range typed.Check(templates.Text("rowwise/"+filepath.Base(file)), reflect.TypeFor[*page](), functions) {
			t.Errorf("%s: %s", file, problem)
		}
	}
}
