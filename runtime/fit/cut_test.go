package fit

import (
	"strings"
	"testing"

	"likc/runtime/model/trials"
)

// A warning is given if many trials are dropped for their response times. Rows that are dropped for other reasons do not count.
func TestCutWarnings(t *testing.T) {
	for _, c := range []struct {
		rows    int
		dropped map[string]int
		want    []string
	}{
		{2000, map[string]int{"slower than 3 s": 71}, []string{"71 of 2000 trials (3.55 %) dropped, slower than 3 s. The model expects such responses, "}},
		{2000, map[string]int{"slower than 3 s": 10, "faster than 0.2 s": 10, "of other subjects": 0}, nil},
		{2000, map[string]int{"slower than 3 s": 4, "faster than 0.2 s": 6, "of other subjects": 1000}, []string{"6 of 1000 trials (0.6 %) dropped, faster than 0.2 s. "}},
		{100, map[string]int{"with a missing value": 50}, nil},
	} {
		got := CutWarnings(&trials.Source{Rows: c.rows, Dropped: c.dropped})
		if len(got) != len(c.want) {
			t.Fatalf("%v: %q", c.dropped, got)
		}
		for i := range got {
			if !strings.HasPrefix(got[i], c.want[i]) {
				t.Errorf("%v: %q, want %q", c.dropped, got[i], c.want[i])
			}
		}
	}
	if CutWarnings(nil) != nil {
		t.Error("a warning of no data")
	}
}
