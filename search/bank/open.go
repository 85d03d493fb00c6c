package bank

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// ErrIncomplete says that a bank's making was interrupted.
var ErrIncomplete = errors.New("incomplete: " + ManifestFile + " is not there; make the bank again")

// Open reads a bank after checking its files against their SHA-256 sums, and
// its contents against its settings. Errors name the file.
func Open(dir string) (*Bank, error) {
	files, problems := readFiles(dir)
	if len(problems) > 0 {
		return nil, problems[0]
	}
	return decode(dir, files)
}

// Verify does what Open does, reports every file that differs, and looks for
// files that do not belong to the bank.
func Verify(dir string) (*Bank, error) {
	files, problems := readFiles(dir)
	if entries, err := os.ReadDir(dir); err == nil {
		for _, e := range entries {
			if !ours(e.Name()) && !errors.Is(errors.Join(problems...), errNoBank) {
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

// readFiles reads the files that the manifest lists, and says which differ.
func readFiles(dir string) (files map[string][]byte, problems []error) {
	sums, err := readManifest(dir)
	if err != nil {
		return nil, []error{err}
	}
	files = map[string][]byte{}
	for _, s := range sums {
		path := filepath.Join(dir, s.file)
		data, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			problems = append(problems, fmt.Errorf("%s: missing, though %s lists it", path, ManifestFile))
		case err != nil:
			problems = append(problems, fmt.Errorf("%s: %w", path, plain(err)))
		case sha256.Sum256(data) != s.hash:
			problems = append(problems, fmt.Errorf("%s: differs from %s", path, ManifestFile))
		}
		files[s.file] = data
	}
	return files, problems
}

func readManifest(dir string) ([]sum, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		if info, statErr := os.Stat(dir); statErr == nil && !info.IsDir() {
			return nil, fmt.Errorf("%s: %w", dir, errNoBank)
		}
		return nil, fmt.Errorf("%s: %w", dir, plain(err))
	}
	path := filepath.Join(dir, ManifestFile)
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		foreign := func(e fs.DirEntry) bool { return !ours(e.Name()) }
		if slices.ContainsFunc(entries, foreign) {
			return nil, fmt.Errorf("%s: %w", dir, errNoBank)
		}
		return nil, fmt.Errorf("%s: %w", dir, ErrIncomplete)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, plain(err))
	}
	sums, err := parseManifest(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return sums, nil
}
