package recipe

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOpenEnds: files without an end are refused, as a pipeline and as what it names.
func TestOpenEnds(t *testing.T) {
	const endless = "/dev/zero"
	if _, err := os.Stat(endless); err != nil {
		t.Skip(err)
	}
	if _, err := Open(endless); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("error %v", err)
	}
	r, err := Open(pipelineFile(t, strings.Replace(small, `path = "rows"`, `path = "/dev/zero"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Plan(func(string) (string, error) { return "", errors.New("asked for data of the program") })
	if err == nil || err.Error() != "bank rows: /dev/zero: is neither a file nor a folder" {
		t.Errorf("error %v", err)
	}
}

// TestOpenFindsPathsBesideTheFile: what a pipeline names lies below its own folder, wherever the program runs, or else comes
// with the program.
func TestOpenFindsPathsBesideTheFile(t *testing.T) {
	file := pipelineFile(t, small)
	r, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	find := func(name string) (string, error) { return "/committed/" + name, nil }
	input := func() string {
		p, err := r.Plan(find)
		if err != nil {
			t.Fatal(err)
		}
		return p.Units[1].Inputs[0].Path
	}
	if got := input(); got != "/committed/rows" {
		t.Errorf("without a folder: %s", got)
	}
	want := filepath.Join(filepath.Dir(file), "rows")
	if err := os.Mkdir(want, 0o777); err != nil {
		t.Fatal(err)
	}
	if got := input(); got != want {
		t.Errorf("with a folder: %s, want %s", got, want)
	}
}

func pipelineFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "p.toml")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}
