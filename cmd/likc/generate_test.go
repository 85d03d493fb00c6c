package main

import (
	"os"
	"path/filepath"
	"testing"

	"likc/cmd/likc/internal/model"

	"github.com/google/go-cmp/cmp"
)

// TestGeneratedIsUpToDate: generating anew changes no byte and leaves no stale file.
func TestGeneratedIsUpToDate(t *testing.T) {
	dir := t.TempDir()
	if err := model.Generate(dir); err != nil {
		t.Fatal(err)
	}
	want, got := folder(t, dir), folder(t, filepath.Join("..", "..", "generated"))
	if len(want) < 50 {
		t.Fatalf("only %d files were generated", len(want))
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("run make generate; -generated anew +committed:\n%s", d)
	}
}

// folder reads all files below dir.
func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
