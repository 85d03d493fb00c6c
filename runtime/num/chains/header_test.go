package chains

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestHeaders reads headers as R, spreadsheets and Stan write them.
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

// TestNumbersOfDrawsAreNoParameters reads a draws_df of R's posterior, which holds all chains in one table,
// with a column for the number of the chain and of the draw.
func TestNumbersOfDrawsAreNoParameters(t *testing.T) {
	text := "\"mu\",\".chain\",\".iteration\",\".draw\",\"lp__\"\n1,2,1,4,-1\n2,1,1,1,-2\n3,2,2,5,-3\n4,1,2,2,-4\n"
	d, err := Read(strings.NewReader(text), "f.csv")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"mu"}, d.Names); diff != "" {
		t.Errorf("names: -want +got:\n%s", diff)
	}
	var got [][]float64
	for _, c := range d.Chains {
		got = append(got, c.Params[0], c.LogDensity)
	}
	if diff := cmp.Diff([][]float64{{2, 4}, {-2, -4}, {1, 3}, {-1, -3}}, got); diff != "" {
		t.Errorf("chains: -want +got:\n%s", diff)
	}
	if _, err := Read(strings.NewReader("mu,.chain\n1,1.5\n"), "f.csv"); err == nil || !strings.Contains(err.Error(), "f.csv:2: column .chain: 1.5 is not") {
		t.Errorf("half a chain: %v", err)
	}
}
