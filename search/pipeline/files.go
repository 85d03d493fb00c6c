package pipeline

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// writeJSON writes a file whole or not at all.
func writeJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once it is renamed
	if _, err = f.Write(append(text, '\n')); err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// prune removes from a folder what is not among the outputs, and reports outputs that are not there.
func prune(dir string, outputs []string) error {
	for _, o := range outputs {
		if _, err := os.Stat(filepath.Join(dir, o)); err != nil {
			return fmt.Errorf("%s was not written", o)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !contains(outputs, e.Name()) {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// contains reports whether an output is, or lies below, the entry called name.
func contains(outputs []string, name string) bool {
	for _, o := range outputs {
		if first, _, _ := strings.Cut(filepath.ToSlash(o), "/"); first == name {
			return true
		}
	}
	return false
}

// putInPlace moves a finished folder to its place. What stood there goes first: a kill between leaves the new folder, with
// its record, where the next run finds it.
func putInPlace(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(to, RecordFile)); err != nil {
		return err
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(to))
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// syncFiles makes sure that the files of a folder are on the disk.
func syncFiles(dir string, files []File) error {
	for _, f := range files {
		if err := syncFolder(filepath.Join(dir, filepath.FromSlash(f.Name))); err != nil {
			return err
		}
	}
	return syncFolder(dir)
}
