package teacher

import (
	"os"
	"path/filepath"
	"testing"

	"likc/runtime/model/neural"
)

// TestCopy: a copy opens as the same teacher; a damaged teacher and a folder that exists are refused, and nothing is written.
func TestCopy(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "copy")
	if err := Copy(committed, dir, nil); err != nil {
		t.Fatal(err)
	}
	want, err := neural.Open(committed)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := neural.Open(dir); err != nil || got.Sum != want.Sum {
		t.Errorf("the copy: %v", err)
	}
	if err := Copy(committed, dir, nil); err == nil || err.Error() != dir+": is there already" {
		t.Errorf("a folder that exists: %v", err)
	}
	weights := filepath.Join(dir, neural.WeightsFile)
	if err := os.WriteFile(weights, []byte("other"), 0o666); err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(t.TempDir(), "again")
	if err := Copy(dir, again, nil); err == nil {
		t.Error("a damaged teacher is copied")
	}
	if _, err := os.Stat(again); !os.IsNotExist(err) {
		t.Errorf("%s: %v", again, err)
	}
}
