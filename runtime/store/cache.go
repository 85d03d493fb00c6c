package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// CacheVariable is the environment variable that moves the cache; by default it is "likc" in the user's cache folder.
const CacheVariable = "LIKC_CACHE"

// Cache returns a folder of the program's cache, or the cache itself for "", and makes it.
func Cache(name string) (string, error) {
	root := os.Getenv(CacheVariable)
	if root == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("cache: %w: set %s to a folder", err, CacheVariable)
		}
		root = filepath.Join(user, "likc")
	}
	root, err := filepath.Abs(filepath.Join(root, name))
	if err == nil {
		err = os.MkdirAll(root, 0o777)
	}
	if err != nil {
		return "", fmt.Errorf("cache: %w: set %s to a folder that can be written", Cause(err), CacheVariable)
	}
	return root, nil
}

// Unpack returns a folder of the cache that holds files: they are written, under their hash, the first time.
func Unpack(name string, files fs.FS) (string, error) {
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
	root, err := Cache("data")
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
	folder, err := NewFolder(dir)
	if err != nil {
		return err
	}
	defer folder.Discard()
	if err := folder.Copy("", files); err != nil {
		return err
	}
	err = folder.Replace(dir)
	if _, missing := os.Stat(dir); missing == nil {
		return nil // another process was faster: what it put there is the same
	}
	return err
}
