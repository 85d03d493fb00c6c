package cli

import (
	"errors"
	"os"
	"path/filepath"

	"likc/runtime/sys/store"
	"likc/testdata"
)

var ErrNotCommitted = errors.New("no data of that name comes with likc")

// Committed gives the folder of a bank or teacher that comes with the program, or the file of a study, in the cache.
func Committed(name string) (string, error) {
	if file, folder, ok := testdata.Study(name); ok {
		dir, err := store.Unpack(name, folder)
		return filepath.Join(dir, file), err
	}
	files, ok := testdata.Folder(name)
	if !ok {
		return "", ErrNotCommitted
	}
	return store.Unpack(name, files)
}

// FolderOrCommitted prefers a folder.
func FolderOrCommitted(name string) (string, error) {
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	dir, err := Committed(name)
	if errors.Is(err, ErrNotCommitted) {
		return "", errors.New("no such folder")
	}
	return dir, err
}
