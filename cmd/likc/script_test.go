package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"likc": main, "counter": counterMain})
}

// TestEndIsNoInterrupt: a command that ends at once must not be taken for an interrupted one, which exits 1.
func TestEndIsNoInterrupt(t *testing.T) {
	for i := range 60 {
		cmd := exec.Command(os.Args[0], "diagnose")
		cmd.Args[0] = "likc" // the name tells testscript.Main which command to run
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != 2 || strings.Contains(string(out), "interrupted") {
			t.Fatalf("run %d: exit status %d, want 2\n%s", i, code, out)
		}
	}
}

// TestScripts runs the command line as its users do: every file of testdata/script is one case.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", Setup: func(e *testscript.Env) error {
		e.Setenv("LIKC_CACHE", e.WorkDir+"/cache")
		e.Setenv("LIKC_ONLY", filepath.SplitList(e.Getenv("PATH"))[0]) // a PATH without other programs
		return nil
	}, Condition: func(name string) (bool, error) {
		if name != "long" {
			return false, fmt.Errorf("%s: unknown", name)
		}
		return os.Getenv("LIKC_LONG") != "", nil
	}})
}
