// Package build compiles emitted source files. Go files of a batch of likelihoods become a plugin, or a harness: a program that
// evaluates them on request. C files become a shared object or a program. Only this package runs the Go toolchain or a C
// compiler, and it alone knows their flags. Package runtime/model/load opens what is built.
//
// Each artifact is built once and kept in a cache, under the hash of all that it depends on. Concurrent builders wait for one
// another, and an entry of the cache appears whole or not at all. An entry that other users own or may write is refused,
// because this process would run its code. The cache may be deleted at any time.
package build

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"likc/runtime/sys/store"
)

// Kind says what an artifact is.
type Kind string

// The kinds of artifacts.
const (
	PluginKind  Kind = "plugin"  // for plugins.Open, in a program with the build settings of the program that built it
	HarnessKind Kind = "harness" // for load.StartHarness
	ObjectKind  Kind = "object"  // a C shared object
	ProgramKind Kind = "program" // a C program
)

// Artifact is something that was built.
type Artifact struct {
	Kind    Kind             `json:"kind"`
	Path    string           `json:"-"`       // the file to open
	Names   []string         `json:"names"`   // the candidates in it, in the batch's order
	Dropped []CandidateError `json:"dropped"` // the candidates that do not compile
	Cached  bool             `json:"-"`       // whether the cache held the artifact already
}

// Plugin builds a batch as a plugin that the running program can open: with that program's Go version, build tags and
// instrumentation. The error is a *PlatformError or *VersionError where plugins cannot work; [Harness] works there too.
func Plugin(ctx context.Context, b Batch) (*Artifact, error) {
	if err := pluginsWork(); err != nil {
		return nil, err
	}
	return artifact(ctx, PluginKind, b)
}

// Harness builds a batch as a program of its own, without cgo and without a network.
func Harness(ctx context.Context, b Batch) (*Artifact, error) {
	return artifact(ctx, HarnessKind, b)
}

// artifact returns the artifact from the cache, or builds it there.
func artifact(ctx context.Context, kind Kind, b Batch) (*Artifact, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	j := &job{kind: kind, batch: b, host: hostSettings(), alive: b.Candidates}
	j.hash = j.key()
	return inCache(ctx, kind, j.hash, j.file(), func(dir string) (*Artifact, error) {
		j.dir = dir
		return j.run(ctx)
	})
}

// run builds the job's artifact in j.dir, without the candidates that do not compile.
func (j *job) run(ctx context.Context) (*Artifact, error) {
	tools, err := findGo(ctx, j.host, j.kind)
	if err != nil {
		return nil, err
	}
	j.tools = tools
	if err := j.compile(ctx); err != nil {
		return nil, err
	}
	a := &Artifact{Kind: j.kind}
	for _, c := range j.batch.Candidates {
		if i := slices.IndexFunc(j.dropped, func(e CandidateError) bool { return e.Name == c.Name }); i >= 0 {
			a.Dropped = append(a.Dropped, j.dropped[i])
		} else {
			a.Names = append(a.Names, c.Name)
		}
	}
	return a, nil
}

const recordName = "artifact.json"

// inCache returns the artifact with the hash, whose file in its folder is named file. If the cache has none, build makes it in
// a new folder.
func inCache(ctx context.Context, kind Kind, hash, file string, build func(dir string) (*Artifact, error)) (*Artifact, error) {
	root, err := cacheRoot()
	if err != nil {
		return nil, err
	}
	entry := filepath.Join(root, string(kind)+"-"+hash)
	if a, err := readEntry(entry, file); err == nil || errors.Is(err, store.ErrUntrusted) {
		return a, err
	}
	unlock, err := store.Wait(ctx, entry)
	if err != nil {
		return nil, fmt.Errorf("build cache: %w", err)
	}
	defer unlock()
	if a, err := readEntry(entry, file); err == nil || errors.Is(err, store.ErrUntrusted) { // another builder was first
		return a, err
	}
	// This builder holds the lock, so an earlier builder whose files are still here was interrupted.
	building := entry + ".building"
	if err := errors.Join(os.RemoveAll(building), os.RemoveAll(entry), os.Mkdir(building, 0o700)); err != nil {
		return nil, fmt.Errorf("build cache: %w", err)
	}
	defer os.RemoveAll(building)
	a, err := build(building)
	if err != nil {
		return nil, err
	}
	if err := writeRecord(building, file, a); err != nil {
		return nil, fmt.Errorf("build cache: %w", err)
	}
	if err := store.PutInCache(building, entry); err != nil {
		return nil, fmt.Errorf("build cache: %w", err)
	}
	a.Path = filepath.Join(entry, file)
	return a, nil
}

// readEntry reads an artifact that an earlier builder left. The error wraps store.ErrUntrusted if another user could have
// written to it.
func readEntry(entry, file string) (*Artifact, error) {
	if _, err := os.Lstat(entry); err != nil {
		return nil, err
	}
	if err := store.Trusted(entry); err != nil {
		return nil, fmt.Errorf("build cache: %w", err)
	}
	data, err := os.ReadFile(filepath.Join(entry, recordName))
	if err != nil {
		return nil, err
	}
	a := &Artifact{Path: filepath.Join(entry, file), Cached: true}
	if err := json.Unmarshal(data, a); err != nil {
		return nil, err
	}
	if err := checkSum(a.Path); err != nil {
		return nil, err
	}
	return a, nil
}
