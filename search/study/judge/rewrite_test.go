package judge

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestRewrite: after reading the verdicts of this repository, including the lines of fronts in them, the same bytes are written.
func TestRewrite(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/verdicts/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("files %v: %v", files, err)
	}
	searched := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		verdicts, err := parse(text)
		if err != nil {
			t.Fatalf("%s:%v", file, err)
		}
		for i, line := range bytes.SplitAfter(text, []byte("\n"))[:len(verdicts)] {
			again, err := Line(verdicts[i])
			if err != nil || !bytes.Equal(line, again) {
				t.Fatalf("%s:%d: %v\nread    %.800s\nwritten %.800s", file, i+1, err, line, again)
			}
			if verdicts[i].Search != nil && verdicts[i].Search.Rest["from"] != nil {
				searched++
			}
		}
	}
	if searched == 0 {
		t.Error("no verdict says what its expression was polished from")
	}
}
