package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// CacheVariable is the environment variable that names the cache's folder. The default is the folder "likc" in the user's cache folder.
const CacheVariable = "LIKC_CACHE"

// CacheOwners is the environment variable that lists, with commas, the users who may own the cache besides the current user and root.
const CacheOwners = "LIKC_CACHE_OWNERS"

// Cache returns the path of the folder `name` of the program's cache, or of the cache itself for "". If the folder does not exist,
// Cache makes it, for the current user only. The path has no links. The error wraps [ErrUntrusted] if another user owns the folder or a
// folder above it, or may write to one.
func Cache(name string) (string, error) {
	root := os.Getenv(CacheVariable)
	if root == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("cache: %w: set %s to a folder", err, CacheVariable)
		}
		root = filepath.Join(user, "likc")
	}
	root, err := madeFolder(root)
	if err != nil {
		return "", fmt.Errorf("cache: %w: set %s to a folder that can be written", Cause(err), CacheVariable)
	}
	if err := trustedRoot(root); err != nil {
		return "", fmt.Errorf("cache: %w", err)
	}
	if name == "" {
		return root, nil
	}
	dir := filepath.Join(root, name)
	mode, err := permissions(root)
	if err == nil {
		err = os.Mkdir(dir, mode)
	}
	if err != nil && !os.IsExist(err) {
		return "", fmt.Errorf("cache: %w: set %s to a folder that can be written", Cause(err), CacheVariable)
	}
	if err := trustedRoot(dir); err != nil {
		return "", fmt.Errorf("cache: %w", err)
	}
	return dir, nil
}

// madeFolder makes a folder, and missing folders above it, that no other user can enter. It returns the folder's path without links.
func madeFolder(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// PutInCache renames a filled folder `from`, which is in the cache, to its final path dir. Its content gets the permissions of the
// folder that holds dir.
func PutInCache(from, dir string) error {
	if err := restrict(from, filepath.Dir(dir)); err != nil {
		return err
	}
	return Replace(from, dir)
}

// Unpack returns a folder of the cache that holds files. At the first call it writes them, in a folder named by their hash. It
// refuses an existing folder if other users own it or may write to it.
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
	if _, err := os.Lstat(dir); err != nil {
		if err := unpack(files, dir); err != nil {
			return "", err
		}
	}
	if err := Trusted(dir); err != nil {
		return "", fmt.Errorf("cache: %w", err)
	}
	return dir, nil
}

// unpack writes files to a folder, whole or not at all.
func unpack(files fs.FS, dir string) error {
	folder, err := NewFolder(dir)
	if err != nil {
		return err
	}
	defer folder.Discard()
	if err := os.Chmod(folder.Path, 0o700); err != nil {
		return err
	}
	if err := folder.Copy("", files); err != nil {
		return err
	}
	if err := restrict(folder.Path, filepath.Dir(dir)); err != nil {
		return err
	}
	err = folder.Replace(dir)
	if _, missing := os.Stat(dir); missing == nil {
		return nil // another process has stored the same entry first
	}
	return err
}
