package folder

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"likc/runtime/fit"
	"likc/runtime/sys/store"
)

// CompareDraws compares the files of draws in one folder with those of the same names in another, byte by byte but for comments and the names of
// columns, which versions of likc write otherwise. It returns how many files there are in the first, and the names of those that differ.
func CompareDraws(old, repeated string) (files int, differ []string, err error) {
	names, err := chainFiles(old)
	if err != nil {
		return 0, nil, err
	}
	for _, name := range names {
		first, err := os.ReadFile(filepath.Join(old, name))
		if err != nil {
			return 0, nil, fmt.Errorf("%s: %w", filepath.Join(old, name), store.Cause(err))
		}
		if second, err := os.ReadFile(filepath.Join(repeated, name)); err != nil || !bytes.Equal(drawsIn(first), drawsIn(second)) {
			differ = append(differ, name)
		}
	}
	return len(names), differ, nil
}

// drawsIn are the lines of a file of draws that hold draws.
func drawsIn(text []byte) []byte {
	var all [][]byte
	for line := range bytes.Lines(text) {
		if !bytes.HasPrefix(line, []byte("#")) {
			all = append(all, line)
		}
	}
	return bytes.Join(all[min(1, len(all)):], nil) // the first has the names
}

// chainFiles lists the files of draws in a folder of one fit or of many, by their paths in it.
func chainFiles(dir string) (names []string, err error) {
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("%s: %w", path, store.Cause(err))
		}
		if ok, _ := filepath.Match("chain_*.csv", e.Name()); ok && !e.IsDir() {
			name, err := filepath.Rel(dir, path)
			names = append(names, name)
			return err
		}
		return nil
	})
	return names, err
}

// IsWhole reports whether a folder holds the whole fit of a record: one with the same [fit.Record.Key].
func IsWhole(dir string, record *fit.Record) bool {
	text, err := os.ReadFile(filepath.Join(dir, SummaryFile))
	if err != nil {
		return false
	}
	there, err := fit.ReadRecord(text)
	return err == nil && !fit.IsPartial(text) && bytes.Equal(there.Key(), record.Key())
}
