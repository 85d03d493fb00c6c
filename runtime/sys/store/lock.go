package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// lockEnding ends the name of a lock file.
const lockEnding = "lock"

// patience is the time that Lock waits for another process to release a lock.
const patience = 3 * time.Second

// Lock makes sure that one process at a time writes the file or folder at path, which need not exist. It
// makes and locks a hidden file in the same folder, which it makes if it is missing. If another process has
// the lock and keeps it for three seconds, the error wraps ErrLocked. The function release removes what Lock
// made; the system releases the lock of a process that dies.
func Lock(path string) (release func(), err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	release, err = Wait(ctx, path)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("%s: %w", path, ErrLocked)
	}
	return release, err
}

// Wait does what Lock does, but waits until the context ends, and then returns the context's error.
func Wait(ctx context.Context, path string) (release func(), err error) {
	made := missing(filepath.Dir(filepath.Clean(path)))
	file := lockFile(path)
	for {
		f, err := tryLock(file)
		if err != nil {
			return nil, fmt.Errorf("%s: cannot be locked: %w", path, Cause(err))
		}
		if f != nil {
			_ = unfinished.add(file, func() error { return nil })
			return func() {
				os.Remove(file)
				unfinished.drop(file)
				f.Close()
				removeEmpty(made)
			}, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// lockFile returns the path of the hidden file that is locked for the file or folder at path.
func lockFile(path string) string {
	path = filepath.Clean(path)
	return filepath.Join(filepath.Dir(path), hiddenPrefix(path)+lockEnding)
}

// Locked reports whether a process has locked path with [Lock]. It changes no file.
func Locked(path string) bool {
	f, err := os.OpenFile(lockFile(path), os.O_RDWR, 0)
	if err != nil {
		return !os.IsNotExist(err)
	}
	defer f.Close()
	return flock(f) == ErrLocked
}

// tryLock makes and locks a file. It returns nil, without an error, if another process has locked or just removed it.
func tryLock(file string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if flock(f) == ErrLocked || !isStill(f, file) {
		f.Close()
		return nil, nil
	}
	return f, nil
}

// missing returns dir and the folders above it that do not exist, the deepest first.
func missing(dir string) (all []string) {
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !os.IsNotExist(err) {
			return all
		}
		all = append(all, dir)
	}
}

// removeEmpty removes the folders that are empty, the deepest first.
func removeEmpty(made []string) {
	for _, dir := range made {
		os.Remove(dir) // fails if it is not empty
	}
}

// MakeFolder makes a folder, and missing folders above it. undo removes the made folders that are still empty.
func MakeFolder(dir string) (undo func(), err error) {
	made := missing(filepath.Clean(dir))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		removeEmpty(made)
		return nil, fmt.Errorf("%s: %w", dir, Cause(err))
	}
	return func() { removeEmpty(made) }, nil
}
