// The test is in a package of its own, because lastwords must be initialised before the packages that the test imports.
package lastwords_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	_ "likc/runtime/sys/lastwords"
)

const noMemory = "likc: out of memory: the address space is limited (ulimit -v): use less data or fewer threads, or allow more\n"

// run runs this test's program under a limit of 2 GB and returns its standard error and status.
func run(t *testing.T, act string) (string, int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", `ulimit -v 2000000 && exec "$0" -test.run '^TestAct$'`, os.Args[0])
	cmd.Env = append(os.Environ(), "LIKC_TEST_ACT="+act)
	var said bytes.Buffer
	cmd.Stderr = &said
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Skip(err)
	}
	return said.String(), cmd.ProcessState.ExitCode()
}

var allocated [][]byte

// TestAct is the program that run starts: it reaches the memory limit or panics, as its environment says.
func TestAct(t *testing.T) {
	switch os.Getenv("LIKC_TEST_ACT") {
	case "allocate":
		for {
			allocated = append(allocated, bytes.Repeat([]byte{1}, 64<<20))
		}
	case "panic":
		go func() { panic("an invariant is broken") }()
		select {}
	case "say":
		fmt.Fprintln(os.Stderr, "likc: out of memory, says the program itself")
		os.Exit(3)
	}
}

func TestMemoryEndsInOneLine(t *testing.T) {
	if said, status := run(t, "allocate"); said != noMemory || status != 2 {
		t.Errorf("status %d, %q; want 2 and %q", status, said, noMemory)
	}
}

func TestPanicIsSaidInFull(t *testing.T) {
	if said, status := run(t, "panic"); !strings.Contains(said, "an invariant is broken") || !strings.Contains(said, "goroutine") || status != 2 {
		t.Errorf("status %d, %q; want 2 and the stacks", status, said)
	}
}

func TestOwnWordsStay(t *testing.T) {
	if said, status := run(t, "say"); said != "likc: out of memory, says the program itself\n" || status != 3 {
		t.Errorf("status %d, %q", status, said)
	}
}

// TestFewFiles: where the limit on open files suffices to start a program, but not for Go's runtime to wait for files, one line says so.
func TestFewFiles(t *testing.T) {
	for _, files := range []string{"4", "7"} {
		cmd := exec.Command("sh", "-c", `ulimit -n "$1" && exec "$0" -test.run '^TestAct$'`, os.Args[0], files)
		out, _ := cmd.CombinedOutput()
		const want = "likc: open files: the limit is too low: want at least 8 (ulimit -n 8)\n"
		if status := cmd.ProcessState.ExitCode(); string(out) != want || status != 1 {
			t.Errorf("%s files: status %d, %q; want 1 and %q", files, status, out, want)
		}
	}
}
