package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Folder is a hidden folder that will replace another folder next to it. It is filled first; then Replace moves it into place.
type Folder struct {
	Path   string   // the folder in which files are collected
	target string   // the folder's path as the caller named it, for errors
	lock   *os.File // nil where the file system has no locks
	made   []string // parent folders that were made for this folder, the deepest first
}

// NewFolder makes a hidden folder. It also removes hidden folders for the same target that killed processes have left. End
// every Folder with Discard.
func NewFolder(dir string) (*Folder, error) {
	dir = filepath.Clean(dir)
	parent := filepath.Dir(dir)
	f := &Folder{target: dir, made: missing(parent)}
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return nil, fmt.Errorf("%s: %w", parent, Cause(err))
	}
	restore(dir)
	for range 10 { // another process may remove the folder before it is locked
		if err := f.make(dir); err != nil {
			f.Discard()
			return nil, fmt.Errorf("nothing can be written in %s: %w", parent, Cause(err))
		}
		if f.Path != "" {
			return f, nil
		}
	}
	return nil, fmt.Errorf("%s: other processes write there", parent)
}

// make makes and locks the folder. Path stays empty if another process removed the folder before it was locked.
func (f *Folder) make(dir string) error {
	path := filepath.Join(filepath.Dir(dir), hiddenPrefix(dir)+fmt.Sprint(rand.Uint32()))
	if err := unfinished.add(path, func() error { return os.Mkdir(path, 0o777) }); err != nil {
		return err
	}
	lock, err := lockFolder(path)
	if _, gone := os.Lstat(path); gone != nil || errors.Is(err, ErrLocked) {
		unlock(lock)
		unfinished.drop(path)
		return nil
	}
	f.Path, f.lock = path, lock
	return nil
}

// lockFolder opens and locks a folder. The lock lasts until the returned file is closed or the process ends.
func lockFolder(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := flock(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func unlock(f *os.File) {
	if f != nil {
		f.Close()
	}
}

// WriteFile writes the file `name`, a path relative to the folder. The file needs no hidden name, because Replace moves the whole folder.
func (f *Folder) WriteFile(name string, write func(io.Writer) error) error {
	file, err := os.Create(filepath.Join(f.Path, name))
	if err != nil {
		return f.fail(name, err)
	}
	buffered := bufio.NewWriterSize(file, 1<<16)
	if err = write(buffered); err == nil {
		err = buffered.Flush()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return f.fail(name, err)
}

// Copy makes a subfolder `name` and copies all files into it, or into the folder itself for "".
func (f *Folder) Copy(name string, files fs.FS) error {
	return f.fail(name, os.CopyFS(filepath.Join(f.Path, name), files))
}

// Mkdir makes a subfolder.
func (f *Folder) Mkdir(name string) error {
	return f.fail(name, os.MkdirAll(filepath.Join(f.Path, name), 0o777))
}

// fail returns an error that names the file's final path instead of the hidden path.
func (f *Folder) fail(name string, err error) error {
	if err == nil {
		return nil
	}
	text := strings.ReplaceAll(Cause(err).Error(), f.Path, f.target)
	return fmt.Errorf("%s: %w", filepath.Join(f.target, name), reworded{text, err})
}

// reworded is an error with another text.
type reworded struct {
	text string
	error
}

func (r reworded) Error() string { return r.text }
func (r reworded) Unwrap() error { return r.error }

// Replace flushes the folder to the disk and moves it to dir, in exchange for a folder of that name. dir may differ from the argument of
// NewFolder, but must be on the same file system.
func (f *Folder) Replace(dir string) error {
	flushFor(300*time.Millisecond, f.Path)
	return Replace(f.Path, dir)
}

// Keep renames the folder to dir. It returns an error if dir exists.
func (f *Folder) Keep(dir string) error {
	if _, err := os.Lstat(dir); err == nil {
		return fmt.Errorf("%s: %w", dir, fs.ErrExist)
	}
	return os.Rename(f.Path, dir)
}

// Discard removes the hidden folder if it was not moved to its target. It also removes parent folders that were made for it and are empty.
func (f *Folder) Discard() {
	if f.Path != "" {
		os.RemoveAll(f.Path)
		unfinished.drop(f.Path)
	}
	removeEmpty(f.made)
	unlock(f.lock)
	f.lock = nil
}

// flushFor flushes a file system, but waits at most for the given time, because other processes may have much to write.
func flushFor(most time.Duration, dir string) {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	go func() {
		flushAll(dir)
		cancel()
	}()
	<-ctx.Done()
}

// Replace moves the folder or file `from` to dir and removes the old one. At every moment dir exists, with its old or its new content. On
// a system that cannot exchange two folders, it is missing for a moment.
func Replace(from, dir string) error {
	if _, err := os.Lstat(dir); os.IsNotExist(err) {
		return os.Rename(from, dir)
	}
	if exchange(from, dir) != nil {
		return replaceInSteps(from, dir)
	}
	return os.RemoveAll(from) // after the exchange, from is the old folder
}

func replaceInSteps(from, dir string) error {
	old := from + oldSuffix
	if err := os.Rename(dir, old); err != nil {
		return err
	}
	if err := os.Rename(from, dir); err != nil {
		return errors.Join(err, os.Rename(old, dir))
	}
	return os.RemoveAll(old)
}

// oldSuffix ends the name of an old folder that was renamed so that the new folder could have its name.
const oldSuffix = ".old"

// restore gives dir its folder back if a process was killed between the two renames of replaceInSteps. It also removes the hidden folders
// of processes that have ended. It changes only folders with names that NewFolder gives, and only if their lock is free.
func restore(dir string) {
	entries, _ := os.ReadDir(filepath.Dir(dir))
	for _, suffix := range []string{oldSuffix, ""} {
		for _, e := range entries {
			name, suffixed := strings.CutSuffix(e.Name(), suffix)
			if isNumbered(name, hiddenPrefix(dir)) && suffixed && e.IsDir() {
				restoreFrom(filepath.Join(filepath.Dir(dir), name), dir)
			}
		}
	}
}

// restoreFrom does the work of restore for one hidden folder and the old folder that was renamed for it.
func restoreFrom(hidden, dir string) {
	_, noHidden := os.Lstat(hidden)
	if noHidden == nil {
		lock, err := lockFolder(hidden)
		if err != nil {
			return
		}
		defer unlock(lock)
	}
	_, noOld := os.Lstat(hidden + oldSuffix)
	if _, err := os.Lstat(dir); os.IsNotExist(err) && noOld == nil {
		from := hidden // the new folder was complete before the old one was renamed
		if noHidden != nil {
			from = hidden + oldSuffix
		}
		if os.Rename(from, dir) != nil {
			return
		}
	}
	os.RemoveAll(hidden + oldSuffix)
	os.RemoveAll(hidden)
}
