package build

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// job is one artifact being built.
type job struct {
	kind  Kind
	batch Batch
	host  host   // the build settings of the running program
	hash  string // the hash of all that the artifact depends on
	tools *tools // the Go toolchain
	dir   string // the folder of the artifact

	alive   []Candidate      // the candidates that have not failed so far
	dropped []CandidateError // the errors of the others
}

// key returns the hash of all that the artifact depends on.
func (j *job) key() string {
	h := newHashed(j.kind)
	h.add(j.host.version, runtime.GOOS, runtime.GOARCH)
	h.add(j.host.flags...)
	h.add(j.host.env...)
	for _, f := range j.batch.tree(j.kind, "", j.alive) {
		h.add(f.Name, string(f.Data))
	}
	return h.key()
}

// file returns the file name of the artifact. A plugin's name contains its hash, because a process opens only one plugin of a
// name.
func (j *job) file() string {
	switch {
	case j.kind == PluginKind:
		return "batch-" + j.hash + ".so"
	case runtime.GOOS == "windows":
		return "batch-" + j.hash + ".exe"
	}
	return "batch-" + j.hash
}

// module returns the path of the Go module. It contains the hash, because a process cannot load two plugins with packages of
// the same path.
func (j *job) module() string { return "likcbatch_" + j.hash }

// compile builds the candidates in alive. If some fail to compile, it drops these and tries again with the rest.
func (j *job) compile(ctx context.Context) error {
	j.screen()
	for len(j.alive) > 0 {
		said, err := j.try(ctx, j.alive)
		if err == nil {
			return os.RemoveAll(j.source())
		}
		if ctx.Err() != nil || said == "" {
			return err
		}
		blamed := j.blame(said)
		if len(blamed) == 0 {
			if blamed, err = j.search(ctx, said); err != nil {
				return err
			}
		}
		j.drop(blamed)
	}
	return &BatchError{Candidates: j.dropped}
}

func (j *job) source() string { return filepath.Join(j.dir, "source") }

// try builds an artifact with the given candidates. If the toolchain fails, said is its output.
func (j *job) try(ctx context.Context, some []Candidate) (said string, err error) {
	if err := os.RemoveAll(j.source()); err != nil {
		return "", err
	}
	for _, f := range j.batch.tree(j.kind, j.module(), some) {
		if err := writeFile(filepath.Join(j.source(), filepath.FromSlash(f.Name)), f.Data); err != nil {
			return "", err
		}
	}
	return j.tools.build(ctx, j.source(), j.module(), filepath.Join(j.dir, j.file()))
}

// position matches a line of the compiler, the assembler or go build that is about a place in a file.
var position = regexp.MustCompile(`^(?:\./)?([^\s:]+\.(?:go|s)):(\d+)(?::\d+)?: (.+)$`)

// blame finds the candidates in whose files the toolchain found errors, with the first error of each.
func (j *job) blame(said string) map[string]CandidateError {
	owner := map[string]string{}
	for _, c := range j.alive {
		for _, f := range c.Files {
			owner[path.Join(c.folder(), f.Name)] = c.Name
		}
	}
	blamed := map[string]CandidateError{}
	for line := range strings.Lines(said) {
		m := position.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		name, ours := owner[filepath.ToSlash(m[1])]
		if _, known := blamed[name]; known || !ours {
			continue
		}
		at, _ := strconv.Atoi(m[2])
		blamed[name] = CandidateError{Name: name, File: path.Base(filepath.ToSlash(m[1])), Line: at, Why: m[3]}
	}
	return blamed
}

// search finds one candidate that fails although no error names its files, such as an error of the linker. It builds halves of
// the candidates in turn.
func (j *job) search(ctx context.Context, said string) (map[string]CandidateError, error) {
	if _, err := j.try(ctx, nil); err != nil {
		return nil, j.unexplained(ctx, said)
	}
	suspects := j.alive
	for len(suspects) > 1 {
		first, second := suspects[:len(suspects)/2], suspects[len(suspects)/2:]
		text, err := j.try(ctx, first)
		if err == nil {
			first = second
			if text, err = j.try(ctx, second); err == nil {
				return nil, j.unexplained(ctx, said) // the two halves fail only together
			}
		}
		suspects, said = first, text
	}
	name := suspects[0].Name
	return map[string]CandidateError{name: {Name: name, Why: summary(said)}}, nil
}

// unexplained returns the error of a build that no single candidate makes fail.
func (j *job) unexplained(ctx context.Context, said string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &BatchError{Said: summary(said)}
}

// summary returns the first line of the toolchain's output that is not a heading with a package's name.
func summary(said string) string {
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return line
		}
	}
	return strings.TrimSpace(said)
}

// drop moves the candidates in blamed from alive to dropped, in the batch's order.
func (j *job) drop(blamed map[string]CandidateError) {
	var alive []Candidate
	for _, c := range j.alive {
		if e, bad := blamed[c.Name]; bad {
			j.dropped = append(j.dropped, e)
		} else {
			alive = append(alive, c)
		}
	}
	j.alive = alive
}
