// Package version says which build of likc is running: its version and commit, the Go toolchain that built it, and the
// instruction set that its kernels use. It is the one place that knows the path of the module.
package version

import (
	"encoding/hex"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"

	"likc/runtime/num/isa"
)

// The linker sets these in released binaries (make dist), which carry no version control information.
var (
	release string // such as v1.2.0
	commit  string // the commit's full hash; "" if the files were in no commit
)

// Info describes the running program.
type Info struct {
	Version  string `json:"version"`          // a release such as v1.2.0, else the commit's first 12 digits, else "devel"
	Commit   string `json:"commit,omitempty"` // the full hash; "" if it is not known
	Modified bool   `json:"modified"`         // whether files differed from the commit
	Module   string `json:"module"`           // the path of the module
	Go       string `json:"go"`               // the Go version, such as go1.26.0
	Platform string `json:"platform"`         // operating system and architecture, such as linux/amd64
	Cgo      bool   `json:"cgo"`              // whether the program can open plugins
	Kernels  string `json:"kernels"`          // the instruction set that kernels use: AVX-512, AVX2 or portable
}

// Get returns the version that the linker and the Go command have recorded in the running program.
func Get() Info {
	i := Info{Version: release, Commit: commit, Module: Module(), Go: runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH, Kernels: isa.Best().String()}
	if build, ok := debug.ReadBuildInfo(); ok {
		i.read(build)
	}
	if !isHash(i.Commit) {
		i.Commit = ""
	}
	if i.Version == "" {
		i.Version = "devel"
		if i.Commit != "" {
			i.Version = i.Commit[:12]
		}
		if i.Modified {
			i.Version += "+dirty"
		}
	}
	return i
}

// read adds the Go command's records. Values that the linker has set take precedence.
func (i *Info) read(build *debug.BuildInfo) {
	if i.Version == "" && build.Main.Path == i.Module && strings.HasPrefix(build.Main.Version, "v") {
		i.Version = build.Main.Version
	}
	for _, s := range build.Settings {
		switch {
		case s.Key == "CGO_ENABLED":
			i.Cgo = s.Value == "1"
		case s.Key == "vcs.revision" && i.Commit == "":
			i.Commit = s.Value
		case s.Key == "vcs.modified":
			i.Modified = s.Value == "true"
		}
	}
}

// isHash reports whether text can be the hash of a commit.
func isHash(text string) bool {
	_, err := hex.DecodeString(text)
	return err == nil && len(text) >= 40
}

// Source returns the commit that the program was built from. ok is false if the files differed from the commit, or if the commit is not known.
func (i Info) Source() (commit string, ok bool) { return i.Commit, i.Commit != "" && !i.Modified }

// Module returns the path of the module that this package belongs to, such as example.org/you/likc.
func Module() string {
	return strings.TrimSuffix(reflect.TypeFor[Info]().PkgPath(), "/runtime/sys/version")
}
