package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrUntrusted means that another user could have written, or could change, files in likc's cache that likc runs or reads.
var ErrUntrusted = errors.New("the cache cannot be trusted")

// Untrusted is a path of the cache that another user owns or may write. It wraps [ErrUntrusted].
type Untrusted struct {
	Path string
	Why  string // the reason, with advice for the user
}

func (e *Untrusted) Error() string { return e.Path + ": " + e.Why }
func (e *Untrusted) Unwrap() error { return ErrUntrusted }

// Trusted returns an error if a stranger could change files of a cache folder. Strangers are all users except the current one, root, and
// those of [CacheOwners]. They must not own, or be allowed to write, the folder, its content or any folder above it. A folder above may
// be open to all if it is sticky, as /tmp is. Below a folder that strangers cannot enter, permissions to write do not matter. On Windows
// every folder is trusted, because the cache is in the user's profile.
func Trusted(dir string) error {
	trust, err := newTrust()
	if err != nil || trust == nil {
		return err
	}
	if err := trust.above(dir); err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return trust.check(path, false)
	})
}

// trustedRoot does what Trusted does, for the cache folder itself. It looks at the folder and its parents, and not at the files within.
func trustedRoot(dir string) error {
	trust, err := newTrust()
	if err != nil || trust == nil {
		return err
	}
	if err := trust.above(dir); err != nil {
		return err
	}
	return trust.check(dir, false)
}

// above checks the folders above a path without links, from the top.
func (t *trust) above(path string) error {
	parent := filepath.Dir(path)
	if parent == path {
		return nil
	}
	if err := t.above(parent); err != nil {
		return err
	}
	return t.check(parent, true)
}

// permissions returns the permissions of files put into a cache folder: the folder's own, but only the owner may write.
func permissions(dir string) (fs.FileMode, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return 0, err
	}
	return info.Mode().Perm() &^ 0o022, nil
}

// restrict gives a new folder the permissions of the cache folder that it is moved to, and removes all other permissions from its
// content. Otherwise a user's umask could let a group write.
func restrict(dir, cache string) error {
	most, err := permissions(cache)
	if err != nil {
		return err
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil || info.Mode()&fs.ModeSymlink != 0 || info.Mode().Perm()&^most == 0 {
			return err
		}
		return os.Chmod(path, info.Mode().Perm()&most)
	})
	if err != nil {
		return err
	}
	return os.Chmod(dir, most)
}
