package store

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var network = Members{Kind: "a network", Required: []string{"weights", "record"}, Optional: []string{"report"}}

func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func get(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// An update that is stopped after any of its steps leaves a folder that agrees with its manifest. The report,
// which is optional, is then the old one, the new one or missing. If a required file changes, the folder may
// have no manifest instead.
func TestEveryStepOfAnUpdateLeavesAWholeFolder(t *testing.T) {
	old := map[string][]byte{"weights": []byte("w"), "record": []byte("r"), "report": []byte("old")}
	for _, change := range []map[string][]byte{
		{"report": []byte("new")}, {"report": nil}, {"weights": []byte("w2"), "record": []byte("r2"), "report": nil}, {"record": []byte("r2")}, {},
	} {
		_, weights := change["weights"]
		_, record := change["record"]
		for steps := range 8 {
			dir := filepath.Join(t.TempDir(), "net")
			if err := network.Update(dir, old); err != nil {
				t.Fatal(err)
			}
			u, err := network.stage(dir, change)
			if err != nil || u.err != nil {
				t.Fatal(err, u.err)
			}
			last := steps >= len(u.steps)
			for _, step := range u.steps[:min(steps, len(u.steps))] {
				if err := step(); err != nil {
					t.Fatal(err)
				}
			}
			u.discard()
			files, problems := network.Read(dir)
			switch {
			case len(problems) > 0 && (weights || record) && !last && errors.Is(problems[0], fs.ErrNotExist):
			case len(problems) > 0:
				t.Errorf("%v after %d steps: %v", change, steps, problems)
			case last:
				for name, data := range change {
					if !bytes.Equal(files[name], data) {
						t.Errorf("%s is %q, want %q", name, files[name], data)
					}
				}
			case files["report"] != nil && string(files["report"]) != "old" && !bytes.Equal(files["report"], change["report"]):
				t.Errorf("after %d steps the report is %q", steps, files["report"])
			}
			entries, _ := os.ReadDir(dir)
			for _, e := range entries {
				if isHidden(e.Name()) {
					t.Errorf("%v after %d steps: left %s", change, steps, e.Name())
				}
			}
		}
	}
}

// If a file cannot be written, the update leaves the folder as it was.
func TestFailedUpdateChangesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "net")
	if err := network.Update(dir, map[string][]byte{"weights": []byte("w"), "record": []byte("r")}); err != nil {
		t.Fatal(err)
	}
	before := get(t, filepath.Join(dir, ManifestFile))
	if err := os.MkdirAll(filepath.Join(dir, "report", "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	err := network.Update(dir, map[string][]byte{"weights": []byte("w2"), "record": []byte("r2"), "report": []byte("new")})
	if err == nil || !strings.HasPrefix(err.Error(), filepath.Join(dir, "report")+": ") {
		t.Errorf("%v", err)
	}
	if after := get(t, filepath.Join(dir, ManifestFile)); after != before || get(t, filepath.Join(dir, "weights")) != "w" {
		t.Errorf("the folder changed: %s", after)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 4 {
		t.Errorf("left %v", entries)
	}
}

func FuzzManifest(f *testing.F) {
	text := network.Format(map[string][]byte{"weights": []byte("w"), "record": []byte("r"), "report": nil})
	f.Add(text)
	f.Add(bytes.ReplaceAll(text, []byte("  "), []byte(" *")))
	f.Add(bytes.ToUpper(text))
	f.Add(text[:len(text)-1])
	f.Add(append(bytes.Clone(text), text...))
	f.Add([]byte(strings.Repeat("0", 64) + "  ../../etc/passwd\n"))
	f.Add([]byte("\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		listed, err := network.Parse(text)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than a line: %q", err)
			}
			return
		}
		if len(listed) < len(network.Required) {
			t.Fatalf("%d files", len(listed))
		}
		var again strings.Builder
		for _, e := range listed {
			if !filepath.IsLocal(e.Name) || filepath.Base(e.Name) != e.Name {
				t.Errorf("file %q", e.Name)
			}
			again.WriteString(e.SHA256 + "  " + e.Name + "\n")
		}
		canonical := strings.ReplaceAll(strings.ToLower(string(text)), " *", "  ")
		if again.String() != canonical {
			t.Errorf("read %q as %q", text, again.String())
		}
	})
}
