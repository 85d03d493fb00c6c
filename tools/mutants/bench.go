//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// bench builds and runs the tests of packages, the first of which is changed.
type bench struct {
	folder   string // programs and overlays; home in it is the one place where tests may write
	packages []tested
	limit    time.Duration // the time that a mutant's tests may take in addition to four times that of the original
	took     time.Duration // the time of the first package's tests
}

// tested is a package as the go command lists it.
type tested struct {
	ImportPath, Dir string
	GoFiles         []string
}

const (
	nobody = 65534         // the user and group without rights
	which  = "LIKC_MUTANT" // the environment variable with the number of the mutant that a program runs as; 0 is the original
)

// newBench lists the packages, and makes the folder in which their tests run: as user nobody, if this program runs as root.
func newBench(ctx context.Context, patterns []string, limit time.Duration) (*bench, error) {
	b := &bench{limit: limit, packages: make([]tested, len(patterns))}
	for i, pattern := range patterns {
		text, err := command(ctx, "go", "list", "-json=ImportPath,Dir,GoFiles", pattern).Output()
		if err != nil {
			return nil, fmt.Errorf("go list %s: %w", pattern, err)
		}
		if err := json.Unmarshal(text, &b.packages[i]); err != nil {
			return nil, err
		}
	}
	folder, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return nil, err
	}
	b.folder = folder
	if err := os.Mkdir(b.home(), 0o700); err != nil || os.Getuid() != 0 {
		return b, err
	}
	return b, errors.Join(os.Chmod(folder, 0o755), os.Chown(b.home(), nobody, nobody))
}

// home returns the folder in which tests may write.
func (b *bench) home() string { return filepath.Join(b.folder, "home") }

// command returns a command that is killed when ctx ends, with all processes that it has started.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// cover runs the first package's tests and returns the file that says which blocks they reach.
func (b *bench) cover(ctx context.Context) (profile string, err error) {
	program, err := b.build(ctx, 0, "-cover")
	if err != nil {
		return "", err
	}
	profile = filepath.Join(b.home(), "cover.out")
	start := time.Now()
	out, err := b.run(ctx, program, 0, 0, time.Hour, "-test.coverprofile="+profile)
	b.took = time.Since(start)
	if err != nil {
		return "", fmt.Errorf("the tests fail before anything is changed: %w\n%s", err, out)
	}
	return profile, nil
}

// build compiles the tests of package i.
func (b *bench) build(ctx context.Context, i int, flags ...string) (program string, err error) {
	program = filepath.Join(b.folder, strconv.Itoa(i)+".test")
	flags = append([]string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-o", program}, flags...)
	if out, err := command(ctx, "go", append(flags, b.packages[i].ImportPath)...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return program, nil
}

// overlay writes the changed files and returns the flag by which the compiler reads them.
func (b *bench) overlay(changed map[string][]byte) (flag string, err error) {
	replace := map[string]string{}
	for path, text := range changed {
		replace[path] = filepath.Join(b.folder, filepath.Base(path))
		if err := os.WriteFile(replace[path], text, 0o644); err != nil {
			return "", err
		}
	}
	text, _ := json.Marshal(map[string]any{"Replace": replace})
	file := filepath.Join(b.folder, "overlay.json")
	return "-overlay=" + file, os.WriteFile(file, text, 0o644)
}

// judge says for each mutant whether some tests fail on it: those of the first package, then those of the next ones. If the
// tests fail although no mutant is selected, for example because they read the package's text, the mutants are compiled in halves, and in
// the end one by one.
func (b *bench) judge(ctx context.Context, mutants []mutant) (killed []bool, err error) {
	changed, err := together(b.packages[0].Dir, mutants)
	if err != nil {
		return nil, err
	}
	killed, err = b.judgeBuilt(ctx, changed, len(mutants))
	switch n := len(mutants); {
	case err == nil || !errors.Is(err, errUnselected):
		return killed, err
	case n == 1:
		m := mutants[0]
		alone := map[string][]byte{m.file: slices.Concat(m.source[:m.start], []byte(m.text), m.source[m.end:])}
		_, err = b.judgeBuilt(ctx, alone, 0)
		return []bool{errors.Is(err, errUnselected)}, nil
	default:
		first, err := b.judge(ctx, mutants[:n/2])
		second, err2 := b.judge(ctx, mutants[n/2:])
		return append(first, second...), errors.Join(err, err2)
	}
}

// errUnselected says that the tests fail although no mutant is selected.
var errUnselected = errors.New("the tests fail although the mutants sleep")

// judgeBuilt compiles changed files, which hold n mutants.
func (b *bench) judgeBuilt(ctx context.Context, changed map[string][]byte, n int) (killed []bool, err error) {
	overlay, err := b.overlay(changed)
	if err != nil {
		return nil, err
	}
	killed = make([]bool, n)
	for i := range b.packages {
		program, err := b.build(ctx, i, overlay)
		if err != nil {
			return nil, err
		}
		start := time.Now()
		if out, err := b.run(ctx, program, i, 0, b.limit+10*b.took); err != nil {
			return nil, fmt.Errorf("%w: %w\n%s", errUnselected, err, out)
		}
		limit := b.limit + 4*time.Since(start)
		for k := range killed {
			if !killed[k] {
				_, err := b.run(ctx, program, i, k+1, limit)
				killed[k] = err != nil
			}
		}
	}
	return killed, nil
}

// run runs the tests of package i on a mutant for at most limit, within 4 GB of memory.
func (b *bench) run(ctx context.Context, program string, i, mutant int, limit time.Duration, flags ...string) (output []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	limited := []string{"-c", `ulimit -v 4194304 2>/dev/null; exec "$@"`, "sh", program, "-test.short", "-test.failfast", "-test.timeout=0"}
	cmd := command(ctx, "sh", append(limited, flags...)...)
	cmd.Dir = b.packages[i].Dir
	cmd.Env = append(os.Environ(), which+"="+strconv.Itoa(mutant), "HOME="+b.home(), "TMPDIR="+b.home(), "LIKC_CACHE="+b.home(), "PWD="+cmd.Dir)
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	return cmd.CombinedOutput()
}
