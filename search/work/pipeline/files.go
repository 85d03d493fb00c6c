package pipeline

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"likc/runtime/sys/store"
)

// WorkFolder returns the folder of unfinished work in the run dir. It is removed when all units are done.
func WorkFolder(dir string) string { return filepath.Join(dir, workFolder) }

// LogFolder returns the folder of logs in the run dir.
func LogFolder(dir string) string { return filepath.Join(dir, logFolder) }

// writeJSON writes a file completely or not at all.
func writeJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return store.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// prune removes everything except the outputs from a folder, and returns an error for missing outputs.
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

// contains reports whether the entry called name is an output, contains one, or is the file with an output's hash.
func contains(outputs []string, name string) bool {
	name = strings.TrimSuffix(name, store.SumEnding)
	for _, o := range outputs {
		if first, _, _ := strings.Cut(filepath.ToSlash(o), "/"); first == name {
			return true
		}
	}
	return false
}

// putInPlace moves a finished folder to its place, and replaces an older one there.
func putInPlace(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	if err := store.Replace(from, to); err != nil {
		return err
	}
	return store.SyncFolder(filepath.Dir(to))
}

// syncFiles makes sure that the files of a folder are on the disk.
func syncFiles(dir string, files []store.Entry) error {
	for _, f := range files {
		if err := store.SyncFolder(filepath.Join(dir, filepath.FromSlash(f.Name))); err != nil {
			return err
		}
	}
	return store.SyncFolder(dir)
}
