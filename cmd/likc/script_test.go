package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"likc": main})
}

// TestScripts runs the command line as its users do: every file of testdata/script is one case.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", Setup: func(e *testscript.Env) error {
		e.Setenv("LIKC_CACHE", e.WorkDir+"/cache")
		return nil
	}})
}
