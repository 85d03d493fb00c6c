package chains

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestHeaders: names as R, spreadsheets and Stan write them.
func TestHeaders(t *testing.T) {
	tests := map[string][]string{
		"\"theta[1,1]\",\"theta[1,2]\"\n1,2\n3,4\n": {"theta[1,1]", "theta[1,2]"},
		"\ufeffv,a\n1,2\n3,4\n":                     {"v", "a"},
		"\ufeff# model = x\nv, a\n1,2\n3,4\n":       {"v", "a"},
	}
	for text, want := range tests {
		d, err := Read(strings.NewReader(text), "f.csv")
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, d.Names); diff != "" {
			t.Errorf("%q: -want +got:\n%s", text, diff)
		}
	}
}
