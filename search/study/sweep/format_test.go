package sweep

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestFormat: a file without a version is of the first one; a later version is refused by its number.
func TestFormat(t *testing.T) {
	for text, want := range map[string]string{
		`{"searches":3}`:             "",
		`{"format":1,"searches":3}`:  "",
		`{"format":2,"searches":3}`:  "format 2: this likc reads format 1",
		`{"format":-1,"searches":3}`: "format -1: this likc reads format 1",
	} {
		var r Result
		err := json.Unmarshal([]byte(text), &r)
		switch {
		case want == "" && (err != nil || r.Format != 1 || r.Searches != 3):
			t.Errorf("%s: %+v, %v", text, r, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
