// Package plugins opens the plugins that package compiler/build makes. A program that imports it runs its likelihoods in plugins;
// other programs run them in harnesses (see package load).
//
// It is not part of package load because the linker removes no unused code from a program that can open plugins: such a program is
// twice as large, and takes twice as long to link.
package plugins

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"plugin"
	"runtime"
	"strings"

	"likc/runtime/model/load"
)

func init() { load.OpenPlugin = Open }

// symbol is the name of the function that a plugin exports, a func() map[string]load.Candidate.
const symbol = "Candidates"

// Error is the error for a plugin that could not be opened.
type Error struct {
	Path   string
	Advice string // what is wrong, and what the user can do
	Err    error  // error of package plugin
}

func (e *Error) Error() string {
	why, _, _ := strings.Cut(strings.TrimSpace(e.Err.Error()), "\n")
	return fmt.Sprintf("plugin %s: %s (%s)", e.Path, e.Advice, strings.TrimPrefix(why, "plugin: "))
}

func (e *Error) Unwrap() error { return e.Err }

// Open opens a plugin that compiler/build made. The same path may be opened again. The code stays in memory until the process
// ends, even after Close. The error is an *os.PathError if there is no such file, otherwise an *Error.
func Open(path string) (load.Set, error) {
	if err := checkFile(path); err != nil {
		return nil, err
	}
	p, err := plugin.Open(path)
	if err != nil {
		return nil, &Error{Path: path, Advice: advice(err.Error()), Err: err}
	}
	found, err := p.Lookup(symbol)
	if err != nil {
		return nil, &Error{Path: path, Advice: "a plugin, but not one that likc made", Err: err}
	}
	candidates, ok := found.(func() map[string]load.Candidate)
	if !ok {
		err := fmt.Errorf("%s is %T", symbol, found)
		return nil, &Error{Path: path, Advice: "made by another version of likc: build it again", Err: err}
	}
	return load.Linked(candidates()), nil
}

// advice says, for the text of an error of package plugin, what is wrong and what the user can do.
func advice(text string) string {
	switch {
	case strings.Contains(text, "not implemented"):
		return "this program opens no plugins: it was built without cgo, or for a system without them; use a harness instead"
	case strings.Contains(text, "different version of package"):
		return "built by another Go or with other flags (-race, -trimpath, -tags, …) than this program: build it again with " +
			"this program, or use a harness instead"
	case strings.Contains(text, "already loaded"):
		return "a plugin of the same module path is loaded from another file: open that one, or build this one under another path"
	case strings.Contains(text, "initialization failure"):
		return "its packages failed to start: use a harness instead"
	}
	return "not a plugin for this system, or damaged: build it again"
}

// checkFile refuses a damaged file, which could crash this process when the system loads it: a file whose SHA-256 is not the one in
// PATH.sha256, and an ELF file that ends before its segments do.
func checkFile(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return &Error{Path: path, Advice: advice(""), Err: errors.New("a directory")}
	}
	want, err := os.ReadFile(path + ".sha256")
	if err != nil {
		return wholeELF(path, info.Size())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(data); !strings.HasPrefix(string(want), hex.EncodeToString(sum[:])) {
		return &Error{Path: path, Advice: "damaged since it was built: build it again", Err: errors.New("its SHA-256 differs")}
	}
	return nil
}

// wholeELF returns an error if the tables or segments of an ELF file are incomplete. It ignores other formats.
func wholeELF(path string, size int64) error {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return nil
	}
	f, err := elf.Open(path)
	if err != nil {
		return &Error{Path: path, Advice: advice(""), Err: err}
	}
	defer f.Close()
	for _, segment := range f.Progs {
		if end := segment.Off + segment.Filesz; end < segment.Off || end > uint64(size) {
			return &Error{Path: path, Advice: advice(""), Err: errors.New("cut short")}
		}
	}
	return nil
}
