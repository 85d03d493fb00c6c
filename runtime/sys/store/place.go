package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

var errFolder = errors.New("is a folder; name a file in it")

// Follow returns the target of a path that is a link, whether the target exists or not. It returns any other path unchanged.
func Follow(path string) (string, error) {
	for range 40 {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&os.ModeSymlink == 0 {
			return path, nil
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			parent, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return "", err
			}
			to = filepath.Join(parent, to)
		}
		path = filepath.Clean(to)
	}
	return "", errors.New("a link that leads to itself")
}

// SameFile reports whether two paths name the same file, which need not exist.
func SameFile(a, b string) bool {
	if x, err := os.Stat(a); err == nil {
		if y, err := os.Stat(b); err == nil && os.SameFile(x, y) {
			return true
		}
	}
	x, errX := os.Stat(filepath.Dir(a))
	y, errY := os.Stat(filepath.Dir(b))
	return filepath.Base(a) == filepath.Base(b) && errX == nil && errY == nil && os.SameFile(x, y)
}

// CanWrite returns an error if no file can be made in a folder.
func CanWrite(dir string) error {
	f, err := createHidden(filepath.Join(dir, "probe"))
	if err != nil {
		return fmt.Errorf("nothing can be written in %s: %w", dir, Cause(err))
	}
	defer unfinished.drop(f.Name())
	defer f.Close()
	return os.Remove(f.Name())
}

// Immovable returns the reason why a folder cannot be renamed, or "" if it can.
func Immovable(dir string) string {
	here, err := os.Getwd()
	if err != nil {
		return ""
	}
	path, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for _, p := range []*string{&here, &path} {
		if real, err := filepath.EvalSymlinks(*p); err == nil {
			*p = real
		}
	}
	if inside, err := filepath.Rel(path, here); err == nil && (inside == "." || filepath.IsLocal(inside)) {
		return "is or holds the working folder"
	}
	if isMountPoint(path, filepath.Dir(path)) {
		return "is a mount point"
	}
	return ""
}
