package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRunOnASharedFolder: some network file systems have no locks, no hard links and no exchange of two names. A run on such a file system
// writes the same bytes as a run on a disk. The test makes these system calls fail with strace, in the run and in the programs that it starts.
func TestRunOnASharedFolder(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("long: set LIKC_LONG=1")
	}
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed: apt-get install strace")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.toml"), []byte(killed), 0o644); err != nil {
		t.Fatal(err)
	}
	mustRun(t, dir, "run", "p.toml", "-o", "here")
	cmd := likcCommand(dir)
	cmd.Path, cmd.Args = strace, []string{"strace", "-f", "--seccomp-bpf", "-qq", "-a0", "-o", "calls", "-e", "trace=flock,link,linkat,renameat2",
		"-e", "inject=flock:error=ENOSYS", "-e", "inject=link,linkat:error=EPERM", "-e", "inject=renameat2:error=EINVAL",
		"likc", "run", "p.toml", "-o", "there"} // the likc of PATH is this program
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	here, there := contents(t, filepath.Join(dir, "here")), contents(t, filepath.Join(dir, "there"))
	for name, sum := range here {
		if there[name] != sum {
			t.Errorf("%s differs", name)
		}
	}
	if len(there) != len(here) {
		t.Errorf("%d files, and %d on a disk", len(there), len(here))
	}
	text, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	calls := string(text)
	if link := regexp.MustCompile(`.*\blink(at)?\(.*there.*`).FindString(calls); link != "" {
		t.Errorf("a hard link: %s", link)
	}
	if !strings.Contains(calls, "ENOSYS") || regexp.MustCompile(`flock\(.*= 0`).MatchString(calls) {
		t.Errorf("no lock was refused: %.200s", calls)
	}
}
