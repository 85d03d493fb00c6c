package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// RemoveAll tries again while a folder is not empty, and returns any other error at once.
func TestRemoveAll(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "work")
	if err := os.MkdirAll(filepath.Join(dir, "below"), 0o777); err != nil {
		t.Fatal(err)
	}
	tries := 0
	err := removeAll(dir, func(dir string) error {
		if tries++; tries < 3 {
			return &fs.PathError{Op: "unlinkat", Path: dir, Err: syscall.ENOTEMPTY}
		}
		return os.RemoveAll(dir)
	})
	if _, gone := os.Stat(dir); err != nil || tries != 3 || !os.IsNotExist(gone) {
		t.Errorf("%v after %d tries, %v", err, tries, gone)
	}
	tries = 0
	if err := removeAll(dir, func(string) error { tries++; return fs.ErrPermission }); !errors.Is(err, fs.ErrPermission) || tries != 1 {
		t.Errorf("%v after %d tries", err, tries)
	}
}
