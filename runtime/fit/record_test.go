package fit

import (
	"testing"

	"likc/runtime/model/catalog"
)

// The record of a fit contains the text of a model that does not come with likc, and of no other model.
func TestModelText(t *testing.T) {
	for name, want := range map[string]bool{"../../testdata/fronts/improved/improved-l1-s1.jsonl#1": true, "expr2": false, "ddm": false} {
		m, err := catalog.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		spec := specOf(t, m, Wishes{})
		study, err := spec.Unbound(&Subject{})
		if err != nil {
			t.Fatal(err)
		}
		record := spec.Record(Record{}, Settings{}, study)
		if (record.ModelText != "") != want {
			t.Errorf("%s: %q", name, record.ModelText)
		}
		if !want {
			continue
		}
		again, err := catalog.Parse(record.ModelText)
		if err != nil || !again.LogLik.Equal(m.LogLik) || again.Origin.Kind != catalog.Formula {
			t.Errorf("%s: %v, %+v", name, err, again)
		}
	}
}
