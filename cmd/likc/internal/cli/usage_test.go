package cli

import (
	"errors"
	"strings"
	"testing"
)

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"one":                              "one",
		"two\nlines":                       "two; lines",
		" many\t\tspaces ":                 "many spaces",
		"f: got " + strings.Repeat("é", 9): "f: got ééééééééé",
	} {
		if got := OneLine(errors.New(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	long := OneLine(errors.New("f.json: format is " + strings.Repeat("é", 1e6) + ", want 1"))
	if n := len([]rune(long)); n > 2300 || !strings.HasPrefix(long, "f.json: format is éé") || !strings.HasSuffix(long, "éé, want 1") {
		t.Errorf("%d characters: %.60s", n, long)
	}
}
