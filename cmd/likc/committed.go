package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"likc/compiler/build"
	"likc/testdata"
)

var errNotCommitted = errors.New("no data of that name comes with likc")

// committed gives the folder of a bank or teacher that comes with the program: its files are put into the cache, under
// their hash, the first time that they are asked for.
func committed(name string) (string, error) {
	files, ok := testdata.Folder(name)
	if !ok {
		return "", errNotCommitted
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
	return dir, unpack(files, root, dir)
}

// unpack writes files to a folder, whole or not at all.
func unpack(files fs.FS, root, dir string) error {
	beside, err := os.MkdirTemp(root, ".new-*")
	if err != nil {
		return fmt.Errorf("%s: %w", root, plain(err))
	}
	unfinished.add(beside)
	defer os.RemoveAll(beside)
	if err := os.CopyFS(filepath.Join(beside, "data"), files); err != nil {
		return fmt.Errorf("%s: %w", beside, plain(err))
	}
	err = os.Rename(filepath.Join(beside, "data"), dir)
	if _, there := os.Stat(dir); err != nil && there == nil {
		return nil // another process was faster
	}
	return err
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
		return "", fmt.Errorf("cache: %w: set %s to a folder that can be written", plain(err), build.CacheVariable)
	}
	return root, nil
}
