package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree lists a folder's entries; a file's name is followed by its text.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if !e.IsDir() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name += "=" + string(text)
		}
		out = append(out, filepath.ToSlash(name))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, " ")
}

// plant makes folders that each hold a file f with the given text, by which the test recognises the folder.
func plant(t *testing.T, root string, folders map[string]string) {
	t.Helper()
	for name, text := range folders {
		dir := filepath.Join(root, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "f"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRestore checks which folders remain after a kill at each step of a replacement, once the next process has started.
func TestRestore(t *testing.T) {
	for _, c := range []struct {
		name   string
		before map[string]string
		want   string
	}{
		{"while it was filled", map[string]string{"out": "older", ".out.likc-1": "half"}, "out out/f=older"},
		{"while the first was filled", map[string]string{".out.likc-1": "half"}, ""},
		{"between two renames", map[string]string{".out.likc-1": "new", ".out.likc-1.old": "older"}, "out out/f=new"},
		{"after both", map[string]string{"out": "new", ".out.likc-1.old": "older"}, "out out/f=new"},
		{"without the new one", map[string]string{".out.likc-1.old": "older"}, "out out/f=older"},
		{"of another folder", map[string]string{".outer.likc-1": "half", ".out.likc-x": "mine", ".out.5": "mine"},
			".out.5 .out.5/f=mine .out.likc-x .out.likc-x/f=mine .outer.likc-1 .outer.likc-1/f=half"},
	} {
		root := t.TempDir()
		plant(t, root, c.before)
		restore(filepath.Join(root, "out"))
		if got := tree(t, root); got != c.want {
			t.Errorf("a kill %s leaves %s, want %s", c.name, got, c.want)
		}
	}
}

func TestWorkUnderWayIsLeftAlone(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "out")
	first, err := NewFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if first.lock == nil {
		t.Skip("the file system has no locks")
	}
	second, err := NewFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(first.Path); err != nil {
		t.Fatalf("the second took the first one's folder away: %v", err)
	}
	first.Discard()
	second.Discard()
	if got := tree(t, root); got != "" {
		t.Errorf("left behind: %s", got)
	}
}

func TestReplace(t *testing.T) {
	for name, replace := range map[string]func(from, dir string) error{"at once": Replace, "in steps": replaceInSteps} {
		root := t.TempDir()
		plant(t, root, map[string]string{"out": "older"})
		dir := filepath.Join(root, "out")
		b, err := NewFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(b.Path, "g"), []byte("new"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := replace(b.Path, dir); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		b.Discard()
		if got := tree(t, root); got != "out out/g=new" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestParentsMadeForNothingGo(t *testing.T) {
	root := t.TempDir()
	b, err := NewFolder(filepath.Join(root, "a", "b", strings.Repeat("x", 250)))
	if err != nil {
		t.Fatal(err)
	}
	b.Discard()
	if got := tree(t, root); got != "" {
		t.Errorf("left behind: %s", got)
	}
	file := filepath.Join(root, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := NewFolder(filepath.Join(file, "out")); err == nil {
		t.Error("a folder in a file, and no error")
	}
}
