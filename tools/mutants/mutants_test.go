//go:build unix

package main

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const original = `package p

import "fmt"

var table = []func(x int) int{func(x int) int { return x * 2 }}

func f(x, y int) (int, error) {
	z := max(x, y)
	if x < y && !(x == 3) {
		z += 1
	}
	if z > 1e3 {
		return 0, fmt.Errorf("%d", z+1)
	}
	return -z, nil
}
`

// TestMutate compares the list of every mutant of a short file. A number that is returned with an error has no mutant, because callers do not
// read it.
func TestMutate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(file, []byte(original), 0o644); err != nil {
		t.Fatal(err)
	}
	all, err := mutate(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range all {
		got = append(got, strings.TrimPrefix(m.String()[:strings.Index(m.String(), " in: ")], "p.go:"))
	}
	want := []string{
		"5:58: / for *", "5:60: (2+1) for 2",
		"8:7: min for max",
		"9:5: !(x < y && !(x == 3)) for x < y && !(x == 3)", "9:11: || for &&", "9:7: <= for <", "9:14: nothing for !", "9:18: != for ==", "9:21: (3+1) for 3",
		"10:3: nothing for z += 1", "10:5: -= for +=", "10:8: (1+1) for 1",
		"12:5: !(z > 1e3) for z > 1e3", "12:7: >= for >", "12:9: (2*1e3) for 1e3",
		"15:9: nothing for -",
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("mutants\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestMain runs the program in place of the tests if the environment says so.
func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// asProgram is the environment variable that makes this test the program that it tests.
const asProgram = "LIKC_MUTANTS"

// enterModule makes a module of files with their texts, and goes there. It returns an empty folder in which the program makes its own.
func enterModule(t *testing.T, files map[string]string) (room string) {
	t.Helper()
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("set LIKC_LONG=1: it builds programs")
	}
	dir, room := t.TempDir(), t.TempDir()
	files["go.mod"] = "module example\n\ngo 1.26\n"
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []string{dir, room, filepath.Dir(dir)} { // the tests of mutants run as nobody
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("TMPDIR", room)
	return room
}

// sleeper is a test that starts another program, writes the numbers of both processes to a file, and waits.
const sleeper = `package example

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestF(t *testing.T) {
	sleep := exec.Command("sleep", "600")
	sleep.Start()
	pids := filepath.Join(os.Getenv("HOME"), "pids")
	os.WriteFile(pids+".new", fmt.Append(nil, os.Getpid(), " ", sleep.Process.Pid), 0o644)
	os.Rename(pids+".new", pids)
	sleep.Wait()
}
`

// TestEnds: a signal ends the program together with the tests that it runs and the programs that those have started, and its folder goes.
func TestEnds(t *testing.T) {
	room := enterModule(t, map[string]string{"f.go": "package example\n\nfunc F() int { return 1 }\n", "f_test.go": sleeper})
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		program := exec.Command(os.Args[0], ".")
		program.Env = append(os.Environ(), asProgram+"=1")
		var out bytes.Buffer
		program.Stderr = &out
		if err := program.Start(); err != nil {
			t.Fatal(err)
		}
		pids := sleepers(t, room)
		program.Process.Signal(signal)
		if program.Wait(); program.ProcessState.ExitCode() != 1 || out.String() != "mutants: .: interrupted\n" {
			t.Errorf("%v: %v: %s", signal, program.ProcessState, out.Bytes())
		}
		for _, pid := range pids {
			if !ended(pid) {
				t.Errorf("%v: process %d lives on", signal, pid)
				syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		if left, err := os.ReadDir(room); err != nil || len(left) > 0 {
			t.Errorf("%v: %v are left behind, %v", signal, left, err)
		}
		if err := os.RemoveAll(room); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(room, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// sleepers waits until a sleeper has begun, and returns the numbers of its processes.
func sleepers(t *testing.T, room string) (pids []int) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		files, _ := filepath.Glob(filepath.Join(room, "mutants-*", "home", "pids"))
		if len(files) == 0 {
			continue
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range strings.Fields(string(text)) {
			pid, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, pid)
		}
		return pids
	}
	t.Fatal("no test has begun")
	return nil
}

// ended waits for the end of a process, at most ten seconds; it reports whether the process has ended.
func ended(pid int) bool {
	for range 200 {
		if syscall.Kill(pid, 0) == syscall.ESRCH {
			return true
		}
		time.Sleep(50 * time.Millisecond)
	}
	return false
}

// TestTry makes mutants of a function whose test does not reach the bound of a condition, so that mutants of the bound stay alive.
func TestTry(t *testing.T) {
	room := enterModule(t, map[string]string{
		"f.go": `package example

// F counts down from x, or up to 3.
func F(x int) (n int) {
count:
	for ; x > 0; x-- {
		n++
		continue count
	}
	if x < -5 {
		return 3
	}
	return n
}

func unused(x int) int { return x + 1 }
`,
		"f_test.go": `package example

import "testing"

func TestF(t *testing.T) {
	if F(2) != 2 || F(-7) != 3 {
		t.Fail()
	}
}
`})
	alive, tried, err := try(context.Background(), []string{"."}, rand.New(rand.NewPCG(1, 0)), 100, time.Second, regexp.MustCompile(""))
	if err != nil {
		t.Fatal(err)
	}
	// alive: <= for <, 6 for 5; leaving out the continue gives no mutant, because the label would be unused
	if alive != 2 || tried != 10 {
		t.Errorf("%d of %d mutants are alive, want 2 of 10", alive, tried)
	}
	if left, err := os.ReadDir(room); err != nil || len(left) > 0 {
		t.Errorf("%v are left behind, %v", left, err)
	}
}
