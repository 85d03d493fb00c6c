package report

import (
	"maps"
	"reflect"
	"testing"

	"github.com/DataDog/datadog-agent/pkg/template/html"

	"likc/testdata/typed"
)

// TestTemplates compares the templates of all pages with the types of their data.
func TestTemplates(t *testing.T) {
	for _, page := range []struct {
		text string
		data any
		more template.FuncMap
	}{
		{pageText, &page{}, pageFunctions},
		{fitPageText, &fitPage{}, fitFunctions},
		{distilledText, &Distilled{}, distilledFunctions},
	} {
		funcs := maps.Clone(functions)
		maps.Copy(funcs, page.more)
		for _, problem := range typed.Check(page.text, reflect.TypeOf(page.data), funcs) {
			t.Errorf("%T: %s", page.data, problem)
		}
	}
}
