package build

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// host holds the build settings of the running program with which a plugin must agree.
type host struct {
	version string   // the version of Go
	flags   []string // -race, -trimpath, -tags=…
	env     []string // GOAMD64=…, GOEXPERIMENT=…
	cgo     bool
}

// hostSettings reads the settings from the running binary.
func hostSettings() host {
	h := host{version: runtime.Version(), cgo: true}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return h
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "-race", "-msan", "-asan", "-trimpath":
			if s.Value == "true" {
				h.flags = append(h.flags, s.Key)
			}
		case "-tags", "-pgo":
			h.flags = append(h.flags, s.Key+"="+s.Value)
		case "GOAMD64", "GOARM64", "GOARM", "GO386", "GOMIPS", "GOMIPS64", "GOPPC64", "GORISCV64", "GOEXPERIMENT", "GOFIPS140":
			h.env = append(h.env, s.Key+"="+s.Value)
		case "CGO_ENABLED":
			h.cgo = s.Value == "1"
		}
	}
	return h
}

// pluginsWork returns a *PlatformError if this program cannot open plugins, and nil if it can.
func pluginsWork() error {
	switch {
	case !slices.Contains([]string{"linux", "darwin", "freebsd"}, runtime.GOOS):
		return &PlatformError{Why: "Go has no plugins on " + runtime.GOOS}
	case !hostSettings().cgo:
		return &PlatformError{Why: "this program was built without cgo (CGO_ENABLED=0), so it opens no plugins"}
	}
	return nil
}

// tools is a Go toolchain: the path of the go command, and the flags and the environment with which it is run.
type tools struct {
	goCommand string
	flags     []string
	env       []string
}

// findGo finds a Go toolchain that can build an artifact of the kind for this program.
func findGo(ctx context.Context, h host, kind Kind) (*tools, error) {
	command, err := exec.LookPath("go")
	if err != nil {
		return nil, &ToolchainError{Tool: "go", Err: err}
	}
	t := &tools{goCommand: command, env: append(environment(), h.env...)}
	if kind == HarnessKind {
		t.env = append(t.env, "CGO_ENABLED=0")
		return t, nil
	}
	t.flags = append([]string{"-buildmode=plugin"}, h.flags...)
	t.env = append(t.env, "CGO_ENABLED=1")
	out, err := t.command(ctx, "", "env", "GOVERSION", "CC").Output()
	if err != nil {
		return nil, &ToolchainError{Tool: "go", Err: commandError(err)}
	}
	version, compiler, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if version != h.version {
		return nil, &VersionError{Host: h.version, Toolchain: version}
	}
	if fields := strings.Fields(compiler); len(fields) == 0 {
		return nil, &ToolchainError{Tool: "a C compiler", Err: errors.New("go env CC is empty")}
	} else if _, err := exec.LookPath(fields[0]); err != nil {
		return nil, &ToolchainError{Tool: fields[0], Err: err}
	}
	return t, nil
}

// environment returns the user's environment with every variable that could change a build set to a fixed value, and with
// downloads of modules and toolchains off.
func environment() []string {
	owned := []string{"GOFLAGS=", "GOPROXY=off", "GOSUMDB=off", "GOWORK=off", "GO111MODULE=on", "GOTOOLCHAIN=local", "GOENV=off",
		"GOOS=" + runtime.GOOS, "GOARCH=" + runtime.GOARCH, "GOEXPERIMENT=", "LC_ALL=C"}
	return append(os.Environ(), owned...)
}

// command prepares a run of the go command in dir. The run stops soon after ctx is cancelled.
func (t *tools) command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	c := interruptible(exec.CommandContext(ctx, t.goCommand, args...))
	c.Dir, c.Env = dir, t.env
	return c
}

// build runs go build in dir. If it fails, said is its output.
func (t *tools) build(ctx context.Context, dir, module, output string) (said string, err error) {
	args := []string{"build", "-buildvcs=false", "-o", output, "-ldflags=-s -w",
		"-gcflags=" + module + "/...=-e"} // -e: all errors, not the first ten
	args = append(append(args, t.flags...), ".")
	c := t.command(ctx, dir, args...)
	var all bytes.Buffer
	c.Stdout, c.Stderr = &all, &all
	err = c.Run()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return all.String(), err
}

// commandError adds the error output of a command to the error with which it ended.
func commandError(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return errors.New(firstLine(string(exit.Stderr)))
	}
	return err
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
