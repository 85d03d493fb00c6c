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

// CompareDraws compares the files of draws in one folder with the files of the same names in another, byte by byte. It ignores
// comments and the names of columns, which versions of likc write differently. It returns the number of files in the first
// folder, and the names of the files that differ.
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

// drawsIn returns the lines of a file that hold draws.
func drawsIn(text []byte) []byte {
	var all [][]byte
	for line := range bytes.Lines(text) {
		if !bytes.HasPrefix(line, []byte("#")) {
			all = append(all, line)
		}
	}
	return bytes.Join(all[min(1, len(all)):], nil) // the first line has the names
}

// chainFiles lists the files of draws in the folder of one or many fits, as paths relative to it.
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

// IsComplete reports whether a folder holds a complete fit with the same [fit.Record.Key] as record.
func IsComplete(dir string, record *fit.Record) bool {
	text, err := os.ReadFile(filepath.Join(dir, SummaryFile))
	if err != nil {
		return false
	}
	there, err := fit.ReadRecord(text)
	return err == nil && !fit.IsPartial(text) && bytes.Equal(there.Key(), record.Key())
}
