package teacher

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"likc/runtime/neural"
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

// TestEveryStepLeavesATeacher stops the replacement of a report, of none, and of one by none, after every step: the teacher
// opens, with the old report, without one, or with the new one.
func TestEveryStepLeavesATeacher(t *testing.T) {
	before, _ := os.ReadFile(filepath.Join(committed, neural.GateFile))
	for _, had := range []string{string(before), ""} {
		for _, report := range [][]byte{[]byte("{}\n"), nil} {
			for steps := range 4 {
				dir := copied(t)
				if had == "" {
					if err := writeFiles(dir, map[string][]byte{neural.GateFile: nil}); err != nil {
						t.Fatal(err)
					}
				}
				r, err := stage(dir, map[string][]byte{neural.GateFile: report})
				if err != nil {
					t.Fatal(err)
				}
				for _, step := range r.steps[:min(steps, len(r.steps))] {
					if err := step(); err != nil {
						t.Fatal(err)
					}
				}
				o, err := neural.Open(dir)
				if err != nil {
					t.Fatalf("after %d steps: %v", steps, err)
				}
				want := []string{had, "", string(report)}
				if steps == 3 {
					want = want[2:]
				}
				if got := string(o.Gate); !slices.Contains(want, got) {
					t.Errorf("after %d steps the report is %.20q", steps, got)
				}
			}
		}
	}
}

// TestFailedWriteChangesNothing: what cannot be written whole leaves the folder as it was.
func TestFailedWriteChangesNothing(t *testing.T) {
	dir := copied(t)
	manifest, err := os.ReadFile(filepath.Join(dir, neural.ManifestFile))
	if err != nil {
		t.Fatal(err)
	}
	r, err := stage(dir, map[string][]byte{neural.GateFile: []byte("{}\n")})
	if err != nil {
		t.Fatal(err)
	}
	r.dir = filepath.Join(dir, "gone") // as if the disk could not be written
	if err := r.add(neural.RecordFile, nil); err == nil {
		t.Fatal("a file was written into no folder")
	}
	r.discard()
	again, err := os.ReadFile(filepath.Join(dir, neural.ManifestFile))
	if err != nil || string(again) != string(manifest) {
		t.Errorf("the manifest changed: %v", err)
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), partial) {
			t.Errorf("left %s", e.Name())
		}
	}
	if o, err := neural.Open(dir); err != nil || o.Gate == nil {
		t.Errorf("%v", err)
	}
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
