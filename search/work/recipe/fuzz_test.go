package recipe

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"likc/testdata"
)

// said is the form of an error of Parse: a line with the file, and the position where there is one.
var said = regexp.MustCompile(`^p\.toml:(\d+:\d+:)? \S`)

// FuzzParse: no text of a pipeline panics or gives an error that is not one line with a place, and the units of what is read are in an order
// in which each stands after its inputs, or an error says why there are none.
func FuzzParse(f *testing.F) {
	f.Add(small)
	for _, name := range testdata.PipelineNames() {
		text, _ := testdata.Pipeline(name)
		f.Add(text)
		for i, line := range strings.SplitAfter(text, "\n") { // mutants of real files: a line left out, twice, or cut off
			if i%7 == 0 && line != "\n" {
				f.Add(strings.Replace(text, line, "", 1))
				f.Add(strings.Replace(text, line, line+line, 1))
				f.Add(strings.Replace(text, line, line[:len(line)/2], 1))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Parse("p.toml", []byte(text))
		if err != nil {
			if strings.Contains(err.Error(), "\n") || !said.MatchString(err.Error()) {
				t.Fatalf("error %q", err)
			}
			return
		}
		if r.Search != nil && r.Search.Seeds*len(r.Search.Lambda) > 1000 {
			return // many units take long, and are no other than few
		}
		for _, find := range []Find{
			func(name string) (string, error) { return "/data/" + name, nil },
			func(string) (string, error) { return "", errors.New("no such folder") },
		} {
			plan, err := r.Plan(find)
			if err != nil {
				continue
			}
			known := map[string]bool{}
			for _, u := range plan.Units {
				for _, in := range u.Inputs {
					if in.Path == "" && !known[in.Unit] {
						t.Fatalf("unit %s needs %s, which does not stand before it", u.Name, in.Unit)
					}
				}
				if known[u.Name] {
					t.Fatalf("unit %s: there are two", u.Name)
				}
				known[u.Name] = true
			}
		}
	})
}
