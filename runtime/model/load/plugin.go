package load

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
)

// symbol is the name of the function that a plugin exports, a func() map[string]Candidate.
const symbol = "Candidates"

// PluginError says why a plugin could not be opened, and what to do.
type PluginError struct {
	Path   string
	Advice string
	Err    error // error of package plugin
}

func (e *PluginError) Error() string {
	return fmt.Sprintf("plugin %s: %s (%s)", e.Path, e.Advice, strings.TrimPrefix(firstLine(e.Err.Error()), "plugin: "))
}

func (e *PluginError) Unwrap() error { return e.Err }

// OpenPlugin opens a plugin that compiler/build made. The same path may be opened again. The code stays in memory until the process
// ends, even after Close. The error is an *os.PathError if there is no such file, otherwise a *PluginError.
func OpenPlugin(path string) (Set, error) {
	if err := checkFile(path); err != nil {
		return nil, err
	}
	p, err := plugin.Open(path)
	if err != nil {
		return nil, &PluginError{Path: path, Advice: advice(err.Error()), Err: err}
	}
	found, err := p.Lookup(symbol)
	if err != nil {
		return nil, &PluginError{Path: path, Advice: "a plugin, but not one that likc made", Err: err}
	}
	candidates, ok := found.(func() map[string]Candidate)
	if !ok {
		err := fmt.Errorf("%s is %T", symbol, found)
		return nil, &PluginError{Path: path, Advice: "made by another version of likc: build it again", Err: err}
	}
	return newLinked(candidates()), nil
}

// advice says what to do about an error of package plugin.
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
		return &PluginError{Path: path, Advice: advice(""), Err: errors.New("a directory")}
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
		return &PluginError{Path: path, Advice: "damaged since it was built: build it again", Err: errors.New("its SHA-256 differs")}
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
		return &PluginError{Path: path, Advice: advice(""), Err: err}
	}
	defer f.Close()
	for _, segment := range f.Progs {
		if end := segment.Off + segment.Filesz; end < segment.Off || end > uint64(size) {
			return &PluginError{Path: path, Advice: advice(""), Err: errors.New("cut short")}
		}
	}
	return nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
