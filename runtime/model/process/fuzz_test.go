package process

import (
	"reflect"
	"strings"
	"testing"

	"likc/compiler/syntax"
	"likc/runtime/model/ssm"
	"likc/testdata"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// noFunctions leaves functions out of a comparison: no two closures are equal.
var noFunctions = cmp.FilterPath(func(p cmp.Path) bool { return p.Last().Type().Kind() == reflect.Func }, cmp.Ignore())

// FuzzOfModel: no model panics or gives an error of several lines, and the text of a process reads as the same process.
func FuzzOfModel(f *testing.F) {
	f.Add(doubled)
	f.Add("model m { trial rt choice c in {0, 1, 2} param b in [0, 2] param t in [0.1, 0.5] support t < rt }")
	f.Add("model m { trial rt choice c param b in [-2, 2] param z in [0, 1] lower { b = -b z = 1 - z } }")
	for _, name := range testdata.ProcessNames() {
		text, _ := testdata.Model(name)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		models, err := syntax.Read("fuzz.lik", strings.NewReader(text))
		if err != nil {
			return
		}
		for _, m := range models {
			p, err := OfModel(m)
			if err != nil {
				if strings.Contains(err.Error(), "\n") {
					t.Fatalf("error %q", err)
				}
				continue
			}
			again, err := Of(m.Name, p.Text)
			if err != nil {
				t.Fatalf("%v\n%s", err, p.Text)
			}
			if d := cmp.Diff(p, again, noFunctions, cmpopts.IgnoreUnexported(ssm.Model{})); d != "" {
				t.Fatalf("the text reads as another process:\n%s\n%s", d, p.Text)
			}
		}
	})
}
