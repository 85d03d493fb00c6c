package teacher

import (
	"os"
	"path/filepath"
	"testing"

	"likc/runtime/model/neural"
)

// copied is the committed teacher in a folder of its own.
func copied(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "teacher")
	if err := os.CopyFS(dir, os.DirFS(committed)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestExaminedKeepsWeights: a report is written without touching the weights.
func TestExaminedKeepsWeights(t *testing.T) {
	dir := copied(t)
	before, err := os.Stat(filepath.Join(dir, neural.WeightsFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := Examined(dir, []byte("{}\n")); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(filepath.Join(dir, neural.WeightsFile))
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("the weights were written again: %v", err)
	}
	if o, err := neural.Open(dir); err != nil || string(o.Gate) != "{}\n" {
		t.Errorf("%v", err)
	}
}
