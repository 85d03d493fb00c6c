package bank

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// partial begins the names of files that are being written.
const partial = ".partial-"

// Write writes the bank to the folder dir, which it makes, or where it
// replaces a bank. All files are first written beside and flushed to the disk;
// the manifest goes away before the first file is put in place and comes back
// after the last, so that a folder with a manifest is whole, whenever the
// program or the machine stops.
func Write(dir string, b *Bank) error {
	files, err := encode(b)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	made, err := prepare(dir)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, plain(err))
	}
	if err := replace(dir, files); err != nil {
		discard(dir)
		if made {
			os.Remove(dir) // goes only if it is empty
		}
		return fmt.Errorf("%s: cannot be written: %w", dir, plain(err))
	}
	return nil
}

// content is a file of a bank in memory.
type content struct {
	name string
	data []byte
}

// encode returns the files of a bank, the manifest last.
func encode(b *Bank) ([]content, error) {
	settings, err := encodeSettings(b)
	if err != nil {
		return nil, err
	}
	subjects, err := encodeSubjects(b)
	if err != nil {
		return nil, err
	}
	trials, err := encodeTrials(b.Subjects)
	if err != nil {
		return nil, err
	}
	files := []content{{SettingsFile, settings}, {SubjectsFile, subjects}, {TrialsFile, trials}}
	var sums []sum
	for _, f := range files {
		sums = append(sums, sum{sha256.Sum256(f.data), f.name})
	}
	return append(files, content{ManifestFile, formatManifest(sums)}), nil
}

// Writable reports why Write would not write to dir: it is no folder, or holds
// what is not a bank's.
func Writable(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", dir, plain(err))
	}
	for _, e := range entries {
		if !ours(e.Name()) {
			return fmt.Errorf("%s: holds %s, which is not a bank's: name a new folder", dir, e.Name())
		}
	}
	return nil
}

func ours(name string) bool {
	return name == ManifestFile || slices.Contains(dataFiles, name) || strings.HasPrefix(name, partial)
}

// prepare makes the folder if it is not there, and removes what an interrupted
// Write left.
func prepare(dir string) (made bool, err error) {
	if err := Writable(dir); err != nil {
		return false, errors.New(strings.TrimPrefix(err.Error(), dir+": "))
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		made = true
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return false, err
	}
	return made, discard(dir)
}

// discard removes files that were being written.
func discard(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), partial) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

func replace(dir string, files []content) error {
	beside := make([]string, len(files))
	for i, f := range files {
		var err error
		if beside[i], err = writeBeside(dir, f.data); err != nil {
			return err
		}
	}
	manifest := len(files) - 1
	if err := os.Remove(filepath.Join(dir, ManifestFile)); err == nil {
		if err := flush(dir); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for i, f := range files {
		if i == manifest { // the others are on the disk before it says so
			if err := flush(dir); err != nil {
				return err
			}
		}
		if err := os.Rename(beside[i], filepath.Join(dir, f.name)); err != nil {
			return err
		}
	}
	return flush(dir)
}

// writeBeside writes a file under a name of its own and flushes it to the disk.
func writeBeside(dir string, data []byte) (path string, err error) {
	f, err := os.CreateTemp(dir, partial+"*")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := f.Chmod(0o644); err != nil {
		return "", err
	}
	if _, err := f.Write(data); err != nil {
		return "", err
	}
	return f.Name(), f.Sync()
}

// flush brings the names in a folder to the disk, where folders can be flushed.
func flush(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && filepath.Separator == '/' {
		return err
	}
	return nil
}

// plain drops the operation and path that errors of the system repeat.
func plain(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
