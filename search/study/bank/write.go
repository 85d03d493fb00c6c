package bank

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"likc/runtime/sys/store"
)

// members lists the files of a bank.
var members = store.Members{Kind: "a bank", Required: []string{SettingsFile, SubjectsFile, TrialsFile}}

// Write writes the bank to the folder dir, which it makes if needed, and replaces an earlier bank in it. A folder with a manifest
// is complete, even after a crash.
func Write(dir string, b *Bank) error {
	files, err := encode(b)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if err := Writable(dir); err != nil {
		return err
	}
	if err := replace(dir, files); err != nil {
		return fmt.Errorf("%s: cannot be written: %w", dir, err)
	}
	return nil
}

// replace moves a new folder with the files to dir. An earlier bank in dir stays complete until the new one is.
func replace(dir string, files map[string][]byte) error {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	folder, err := store.NewFolder(dir)
	if err != nil {
		return err
	}
	defer folder.Discard()
	files[ManifestFile] = members.Format(files)
	for name, data := range files {
		if err := folder.WriteFile(name, func(w io.Writer) error { _, err := w.Write(data); return err }); err != nil {
			return err
		}
	}
	return folder.Replace(dir)
}

// encode returns the files of a bank by name.
func encode(b *Bank) (map[string][]byte, error) {
	settings, err := encodeSettings(b)
	if err != nil {
		return nil, err
	}
	subjects, err := encodeSubjects(b)
	if err != nil {
		return nil, err
	}
	trials, err := encodeTrials(b)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{SettingsFile: settings, SubjectsFile: subjects, TrialsFile: trials}, nil
}

// Writable returns an error if Write would not write to dir, because it is not a folder, or holds files that are not a bank's.
func Writable(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", dir, store.Cause(err))
	}
	for _, e := range entries {
		if !members.Holds(e.Name()) || e.IsDir() {
			return fmt.Errorf("%s: holds %s, which is not a bank's: name a new folder", dir, e.Name())
		}
	}
	return nil
}
