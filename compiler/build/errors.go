package build

import (
	"fmt"
	"strings"
)

// ToolchainError says that the Go toolchain or C compiler was not found, or does not run.
type ToolchainError struct {
	Tool string
	Err  error
}

// Error returns the error in one line.
func (e *ToolchainError) Error() string {
	return fmt.Sprintf("build: %s does not run: %v: install it or put it on PATH", e.Tool, e.Err)
}

// Unwrap returns the reason why the tool does not run.
func (e *ToolchainError) Unwrap() error { return e.Err }

// VersionError says that the Go toolchain is not the one that built this program, which a plugin needs.
type VersionError struct{ Host, Toolchain string }

// Error returns the error in one line.
func (e *VersionError) Error() string {
	return fmt.Sprintf("build: a plugin needs the Go that built this program, %s, but PATH has %s", e.Host, e.Toolchain)
}

// PlatformError says that this program cannot open plugins.
type PlatformError struct{ Why string }

// Error returns the error in one line.
func (e *PlatformError) Error() string { return "build: no plugin: " + e.Why }

// CandidateError says why a candidate was left out of an artifact.
type CandidateError struct {
	Name string `json:"name"` // name of the candidate
	File string `json:"file"` // the candidate's file with the error, "" if unknown
	Line int    `json:"line"`
	Why  string `json:"why"`
}

// Error returns the error in one line.
func (e CandidateError) Error() string {
	if e.File == "" {
		return fmt.Sprintf("candidate %q: %s", e.Name, e.Why)
	}
	return fmt.Sprintf("candidate %q: %s:%d: %s", e.Name, e.File, e.Line, e.Why)
}

// BatchError says that no candidate of a batch could be built.
type BatchError struct {
	Candidates []CandidateError // the errors of all candidates, if each of them failed by itself
	Said       string           // otherwise the output of the toolchain
}

// Error returns the error in one line. Of several candidates it names the first.
func (e *BatchError) Error() string {
	if len(e.Candidates) == 0 {
		return "build: the batch does not compile: " + firstLine(e.Said)
	}
	text := fmt.Sprintf("build: no candidate of %d compiles: %v", len(e.Candidates), e.Candidates[0])
	return strings.ReplaceAll(text, "\n", " ")
}
