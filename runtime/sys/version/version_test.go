package version

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// TestModule compares the path with the one that the go command reads from go.mod.
func TestModule(t *testing.T) {
	out, err := exec.Command("go", "list", "-m").Output()
	if err != nil {
		t.Skipf("go list -m: %v", err)
	}
	if want := strings.TrimSpace(string(out)); Module() != want {
		t.Errorf("module %q, want %q", Module(), want)
	}
}

const hash = "0123456789abcdef0123456789abcdef01234567"

func TestRead(t *testing.T) {
	settings := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "CGO_ENABLED", Value: "1"}, {Key: "vcs.revision", Value: hash}, {Key: "vcs.modified", Value: modified}}
	}
	for _, test := range []struct {
		main, modified string
		want           Info
		clean          bool
	}{
		{"(devel)", "false", Info{Commit: hash, Cgo: true}, true},
		{"(devel)", "true", Info{Commit: hash, Cgo: true, Modified: true}, false},
		{"v1.2.0", "false", Info{Version: "v1.2.0", Commit: hash, Cgo: true}, true},
	} {
		i := Info{Module: "example.org/likc"}
		i.read(&debug.BuildInfo{Main: debug.Module{Path: "example.org/likc", Version: test.main}, Settings: settings(test.modified)})
		if i.Version != test.want.Version || i.Commit != test.want.Commit || i.Modified != test.want.Modified || i.Cgo != test.want.Cgo {
			t.Errorf("%s: %+v, want %+v", test.main, i, test.want)
		}
		if _, clean := i.Source(); clean != test.clean {
			t.Errorf("%s, modified %s: clean %v", test.main, test.modified, clean)
		}
	}
}

// TestStamp builds a program with the linker flags of make dist, and checks the version that it prints.
func TestStamp(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "ask")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	set := "-X " + Module() + "/runtime/sys/version."
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", program,
		"-ldflags", set+"release=v9.8.7 "+set+"commit="+hash, "./testdata/ask")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := "v9.8.7 " + hash + " true " + Module() + "\n"; string(out) != want {
		t.Errorf("says %q, want %q", out, want)
	}
}
