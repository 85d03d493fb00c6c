// Package texttest runs printed code, in tests of several packages.
package texttest

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"likc/compiler/emit"
	"likc/compiler/expr"
)

// Interpreter is a program that runs a target's files, with a script that prints the log density of every trial of every
// case, one number for each line.
type Interpreter struct {
	Target  expr.Target
	Script  func(m *expr.Model, file string, cases []emit.Case) string
	ByTrial bool                                                       // the functions take the numbers of one trial, and no arrays
	Slopes  func(m *expr.Model, file string, cases []emit.Case) string // a script that prints each trial's log density and gradient; nil: no gradient
	command []string                                                   // runs a file, named after it
	probe   []string                                                   // fails where the command or a library is missing
	around  [2]string                                                  // the text before and after the scripts of a run
}

// Interpreters are those of all targets that are run.
var Interpreters = []Interpreter{
	{Target: expr.Python, command: []string{python(), "-B"}, probe: []string{python(), "-c", "import numpy"}, Script: pythonScript},
	{Target: expr.R, command: []string{"Rscript", "--vanilla"}, probe: []string{"Rscript", "--version"}, Script: rScript, Slopes: rSlopes},
	{Target: expr.Julia, command: []string{"julia", "--startup-file=no"}, probe: []string{"julia", "--version"}, Script: juliaScript},
	{Target: expr.JavaScript, command: []string{"node"}, probe: []string{"node", "--version"}, Script: javaScript, Slopes: javaScriptSlopes, ByTrial: true,
		around: [2]string{"(async () => {\n", "})()"}},
	{Target: expr.Rust, command: []string{"sh", "-c", `rustc --edition 2021 -D warnings -o check "$0" && ./check`}, probe: []string{"rustc", "--version"},
		Script: rustScript, Slopes: rustSlopes, ByTrial: true, around: [2]string{"fn main() {\n", "}"}},
}

// python is the interpreter that has the modules which differentiate; the environment may name another one.
func python() string { return cmp.Or(os.Getenv("LIKC_PYTHON"), "python3") }

// Missing returns an error if the program or a library of it is not on this machine.
func (in Interpreter) Missing() error {
	if err := exec.Command(in.probe[0], in.probe[1:]...).Run(); err != nil {
		return fmt.Errorf("%q does not run on this machine: %w", in.probe, err)
	}
	return nil
}

// Run runs scripts in a folder that has the files, and returns the lines that they print.
func (in Interpreter) Run(dir, scripts string) ([]string, error) {
	if err := os.WriteFile(filepath.Join(dir, "check.txt"), []byte(in.around[0]+scripts+in.around[1]), 0o644); err != nil {
		return nil, err
	}
	cmd := exec.Command(in.command[0], append(in.command[1:len(in.command):len(in.command)], "check.txt")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "R_ENABLE_JIT=0") // R would compile each function at its second call, for longer than it runs
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n"), nil
}
