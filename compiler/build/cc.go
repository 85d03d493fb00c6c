package build

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"likc/compiler/emit"
)

// COptions say how C sources are compiled. The flags -std=c11 and -O3 are always given.
type COptions struct {
	Kind   Kind // ObjectKind or ProgramKind
	Native bool // for the processor of this machine only (-march=native)
	Fast   bool // arithmetic may be reordered, and NaN is taken not to occur (-ffast-math)
}

// flags returns the compiler's flags for the options.
func (o COptions) flags() []string {
	flags := []string{"-std=c11", "-O3"}
	if o.Native {
		flags = append(flags, "-march=native")
	}
	if o.Fast {
		flags = append(flags, "-ffast-math")
	}
	if o.Kind == ObjectKind {
		flags = append(flags, "-shared", "-fPIC")
	}
	return flags
}

// SourceError is the first error of a C compiler.
type SourceError struct {
	File string
	Line int
	Why  string
}

// Error returns the error in one line.
func (e *SourceError) Error() string {
	if e.File == "" {
		return "build: C: " + e.Why
	}
	return "build: " + e.File + ":" + strconv.Itoa(e.Line) + ": " + e.Why
}

// CompileC compiles and links C sources, headers among them, with $CC or gcc. The error is a *ToolchainError where there is
// no compiler, a *SourceError where the sources do not compile.
func CompileC(ctx context.Context, files []emit.File, o COptions) (*Artifact, error) {
	if o.Kind != ObjectKind && o.Kind != ProgramKind {
		return nil, errors.New("build: C: kind " + strconv.Quote(string(o.Kind)) + ": want an object or a program")
	}
	paths := map[string]bool{}
	for _, f := range files {
		if err := checkFile(paths, "C", "", f); err != nil {
			return nil, err
		}
	}
	cc, err := findC()
	if err != nil {
		return nil, err
	}
	h := newHashed(o.Kind)
	h.add(runtime.GOOS, runtime.GOARCH, cc.fingerprint(ctx, o))
	for _, f := range files {
		h.add(f.Name, string(f.Data))
	}
	hash := h.key()
	file := "c-" + hash
	if o.Kind == ObjectKind {
		file += ".so"
	}
	return inCache(ctx, o.Kind, hash, file, func(dir string) (*Artifact, error) {
		return &Artifact{Kind: o.Kind}, cc.build(ctx, dir, file, files, o)
	})
}

// compilerC is a C compiler: its command and leading arguments.
type compilerC []string

// findC returns the C compiler of the environment variable CC, or gcc. It fails if the command is not installed.
func findC() (compilerC, error) {
	cc := compilerC(strings.Fields(os.Getenv("CC")))
	if len(cc) == 0 {
		cc = compilerC{"gcc"}
	}
	if _, err := exec.LookPath(cc[0]); err != nil {
		return nil, &ToolchainError{Tool: cc[0], Err: err}
	}
	return cc, nil
}

// command returns a command that runs the compiler in a folder, with messages in English.
func (cc compilerC) command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	args = append(append([]string(nil), cc[1:]...), args...)
	c := interruptible(exec.CommandContext(ctx, cc[0], args...))
	c.Dir, c.Env = dir, append(os.Environ(), "LC_ALL=C")
	return c
}

// fingerprint returns the command, its flags, and the settings that the compiler derives from them on this machine. It is hashed
// with the sources, because -march=native means something else on each processor.
func (cc compilerC) fingerprint(ctx context.Context, o COptions) string {
	said, _ := cc.command(ctx, "", append(o.flags(), "-v", "-E", "-x", "c", os.DevNull)...).CombinedOutput()
	return strings.Join(append(cc, o.flags()...), " ") + "\n" + string(said)
}

// build writes the files to a folder and compiles them there.
func (cc compilerC) build(ctx context.Context, dir, output string, files []emit.File, o COptions) error {
	args := append(o.flags(), "-o", filepath.Join("..", output))
	for _, f := range files {
		if err := writeFile(filepath.Join(dir, "source", f.Name), f.Data); err != nil {
			return err
		}
		if filepath.Ext(f.Name) == ".c" {
			args = append(args, f.Name)
		}
	}
	c := cc.command(ctx, filepath.Join(dir, "source"), append(args, "-lm")...)
	var said bytes.Buffer
	c.Stderr = &said
	err := c.Run()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return sourceError(said.String(), err)
	}
	return os.RemoveAll(filepath.Join(dir, "source"))
}

// sourceError returns the first error in the compiler's output, such as "k.c:3:5: error: …".
func sourceError(said string, err error) error {
	for line := range strings.Lines(said) {
		position, why, found := strings.Cut(strings.TrimSpace(line), "error: ")
		if !found {
			continue
		}
		e := &SourceError{Why: why}
		if place := strings.Split(position, ":"); len(place) > 2 {
			e.File = place[0]
			e.Line, _ = strconv.Atoi(place[1])
		}
		return e
	}
	if said == "" {
		said = err.Error()
	}
	return &SourceError{Why: firstLine(said)}
}
