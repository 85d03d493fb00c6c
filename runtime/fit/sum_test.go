package fit

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// After any bit of a summary.json is flipped, either the file is refused or it has the same content.
func TestSumOfASummary(t *testing.T) {
	plain := []byte("{\n  \"format\": 1,\n  \"model\": \"ddm\",\n  \"chains\": 2,\n  \"params\": {\n    \"v\": {\n      \"mean\": 0.5\n    }\n  },\n  \"command\": [\n    \"likc\",\n    \"fit\",\n    \"ddm\"\n  ]\n}\n")
	text := AddSum(plain)
	read := func(text []byte) string {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(text, &fields); err != nil {
			return err.Error()
		}
		var all []string
		for _, name := range []string{"format", "model", "chains", "params", "command"} {
			all = append(all, string(fields[name]))
		}
		return strings.Join(all, " ")
	}
	if err := CheckSum(text); err != nil || read(text) != read(plain) || CheckSum(plain) != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for i := range text {
		for bit := range 8 {
			flipped := bytes.Clone(text)
			flipped[i] ^= 1 << bit
			if CheckSum(flipped) != nil {
				continue
			}
			if got := read(flipped); got != read(text) && !strings.Contains(got, "invalid character") {
				t.Errorf("bit %d of byte %d is not noticed: %s", bit, i, got)
			}
		}
	}
	wrong := bytes.Replace(text, []byte("0.5"), []byte("0.4"), 1)
	if _, err := ReadSummaries(wrong); err != errDamaged {
		t.Errorf("summaries: %v", err)
	}
	if _, err := ReadRecord(wrong); err != errDamaged {
		t.Errorf("record: %v", err)
	}
}
