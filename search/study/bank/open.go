package bank

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"likc/runtime/sys/store"
)

// ErrIncomplete means that the simulation of a bank was interrupted.
var ErrIncomplete = errors.New("incomplete: " + ManifestFile + " is not there; make the bank again")

// Open reads a bank. It first checks the files against their SHA-256 sums, then the contents against the settings. Errors name
// the file.
func Open(dir string) (*Bank, error) {
	if b, isForeign, err := readForeign(dir); isForeign {
		return b, err
	}
	files, problems := readFiles(dir)
	if len(problems) > 0 {
		return nil, problems[0]
	}
	return decode(dir, files)
}

// Verify checks a bank as Open does. It reports every file that differs, not only the first, and files that do not belong to the
// bank.
func Verify(dir string) (*Bank, error) {
	if _, isForeign, err := readForeign(dir); isForeign {
		if err == nil {
			err = fmt.Errorf("%s: a bank of another program, with no %s to compare it with; likc bank show says what it holds", dir, ManifestFile)
		}
		return nil, err
	}
	files, problems := readFiles(dir)
	if entries, err := os.ReadDir(dir); err == nil {
		for _, e := range entries {
			if !members.Holds(e.Name()) && !errors.Is(errors.Join(problems...), errNoBank) {
				problems = append(problems, fmt.Errorf("%s: does not belong to the bank", filepath.Join(dir, e.Name())))
			}
		}
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return decode(dir, files)
}

var errNoBank = errors.New("not a bank: want a folder with " + ManifestFile)

// readFiles reads the files that the manifest lists. problems has an error for each file that differs.
func readFiles(dir string) (files map[string][]byte, problems []error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		if info, statErr := os.Stat(dir); statErr == nil && !info.IsDir() {
			return nil, []error{fmt.Errorf("%s: %w", dir, errNoBank)}
		}
		return nil, []error{fmt.Errorf("%s: %w", dir, store.Cause(err))}
	}
	files, problems = members.Read(dir)
	if files != nil || !errors.Is(problems[0], fs.ErrNotExist) {
		return files, problems
	}
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !members.Holds(e.Name()) }) {
		return nil, []error{fmt.Errorf("%s: %w", dir, errNoBank)}
	}
	return nil, []error{fmt.Errorf("%s: %w", dir, ErrIncomplete)}
}
