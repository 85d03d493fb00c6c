package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"likc/compiler/build"
	"likc/runtime/store"
	"likc/testdata"
)

var ErrNotCommitted = errors.New("no data of that name comes with likc")

// Committed gives the folder of a bank or teacher that comes with the program: its files are put into the cache, under
// their hash, the first time that they are asked for.
func Committed(name string) (string, error) {
	files, ok := testdata.Folder(name)
	if !ok {
		return "", ErrNotCommitted
	}
	sum := sha256.New()
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, path)
		fmt.Fprintf(sum, "%s %d\n", path, len(text))
		sum.Write(text)
		return err
	})
	if err != nil {
		return "", err
	}
	root, err := cacheFolder("data")
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, name+"-"+hex.EncodeToString(sum.Sum(nil)[:8]))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	return dir, unpack(files, dir)
}

// unpack writes files to a folder, whole or not at all.
func unpack(files fs.FS, dir string) error {
	folder, err := store.NewFolder(dir)
	if err != nil {
		return err
	}
	defer folder.Discard()
	if err := folder.Copy(files); err != nil {
		return err
	}
	if _, err := os.Stat(dir); err == nil {
		return nil // another process was faster
	}
	return folder.Replace(dir)
}

// cacheFolder is a folder of the program's cache.
func cacheFolder(name string) (string, error) {
	root := os.Getenv(build.CacheVariable)
	if root == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("cache: %w: set %s to a folder", err, build.CacheVariable)
		}
		root = filepath.Join(user, "likc")
	}
	root, err := filepath.Abs(filepath.Join(root, name))
	if err == nil {
		err = os.MkdirAll(root, 0o777)
	}
	if err != nil {
		return "", fmt.Errorf("cache: %w: set %s to a folder that can be written", store.Cause(err), build.CacheVariable)
	}
	return root, nil
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
